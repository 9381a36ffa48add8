"""Which triangle is the nearest at every sample of a picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

CHUNK = 4_000_000  # samples that are looked at in one go
THIN = 1e-9  # of its corners' distance from the origin, squared: a triangle of less area is not seen


def nearest(
    flat: np.ndarray, near: np.ndarray, shade: np.ndarray, size: tuple[int, int], before: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each sample: 1 / d of the nearest triangle that is before 1 / d = `before`, its number or −1, its light.

    1 / d is linear in the picture; so is the light of a triangle, nearly.
    """
    best, which, light = before.copy(), np.full(len(before), -1), np.zeros(len(before))
    areas = np.abs(_cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]))
    kept = np.flatnonzero(areas > THIN * np.abs(flat).max(axis=(1, 2), initial=1.0) ** 2)
    corners = np.concatenate([flat[kept], np.ones((len(kept), 3, 1))], axis=2)
    weights = np.linalg.inv(corners.transpose(0, 2, 1))  # of the corners at a point (x, y, 1)
    for k, x, y in _samples(weights, flat[kept], size):
        own = np.einsum("nij,nj->ni", weights[k], np.column_stack([x + 0.5, y + 0.5, np.ones(len(x))]))
        k, at = kept[k], y * size[0] + x
        z = np.einsum("ni,ni->n", own, near[k])
        front = np.flatnonzero(z > best[at])
        order = front[np.argsort(z[front], kind="stable")]  # of several at one sample the last is kept
        best[at[order]], which[at[order]] = z[order], k[order]
        light[at[order]] = np.einsum("ni,ni->n", own[order], shade[k[order]])
    return best, which, light


def _samples(
    weights: np.ndarray, flat: np.ndarray, size: tuple[int, int]
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Triangles (n,) with the columns (n,) and rows (n,) of the samples in them, part by part."""
    low = np.clip(np.ceil(flat[..., 1].min(axis=1) - 0.5), 0, size[1]).astype(int)
    high = np.clip(np.floor(flat[..., 1].max(axis=1) - 0.5) + 1, 0, size[1]).astype(int)
    k, y = _runs(low, high)
    across, rest = weights[k, :, 0], weights[k, :, 1] * (y[:, None] + 0.5) + weights[k, :, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        edge = -rest / across  # where a weight is zero
    begin = np.where(across > 0, edge, -np.inf).max(axis=1)
    end = np.where(across < 0, edge, np.inf).min(axis=1)
    begin = np.ceil(np.clip(begin, 0, size[0]) - 0.5).astype(int)
    end = (np.floor(np.clip(end, 0, size[0]) - 0.5) + 1).astype(int)
    end[np.any((across == 0) & (rest < 0), axis=1)] = 0
    ends = np.cumsum(np.maximum(end - begin, 0))
    parts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, CHUNK))
    for part in np.split(np.arange(len(k)), parts[1:]):
        row, x = _runs(begin[part], end[part])
        yield k[part][row], x, y[part][row]


def _runs(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the runs, and all integers from `low` up to below `high`, one run after another."""
    count = np.maximum(high - low, 0)
    run = np.repeat(np.arange(len(low)), count)
    return run, low[run] + np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of vectors in the plane (n, 2)."""
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
