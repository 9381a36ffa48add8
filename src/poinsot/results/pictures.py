"""Panels that several results share: responses, maps over grids, matrices, errors of parameters, places of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from poinsot.results.panels import VERDICTS, BarPanel, Curve, FieldPanel, LinePanel, Panel, with_unit

MAPS = 4  # of one result
POOR = 0.1  # relative standard error that counts as poor


def response_panels(
    f: np.ndarray, responses: Mapping[str, np.ndarray], label: str, errors: Mapping[str, np.ndarray] | None = None
) -> tuple[Panel, ...]:
    """Magnitude and phase of complex responses (n,) over frequencies (n,) [Hz]; `errors` are those of |H|."""
    shown = np.asarray(f) > 0
    x, bars = np.asarray(f)[shown], errors or {}
    size = [
        Curve(name, x, np.abs(H[shown]), bars[name][shown] if name in bars else None) for name, H in responses.items()
    ]
    phase = [Curve(name, x, np.degrees(np.angle(H[shown])), style="line") for name, H in responses.items()]
    return (
        LinePanel(x="frequency [Hz]", y=label, curves=tuple(size), log="xy", title="magnitude"),
        LinePanel(x="frequency [Hz]", y="phase [deg]", curves=tuple(phase), log="x", title="phase"),
    )


def map_panels(
    grid: Mapping[str, tuple[np.ndarray, str]], values: Mapping[str, np.ndarray], label: str
) -> tuple[Panel, ...]:
    """Values by name over grids with units, arrays of one shape: lines over one abscissa, images over two."""
    varied = {name: (np.asarray(x), u) for name, (x, u) in grid.items() if np.ptp(np.asarray(x)) > 0}
    names = [*varied]
    if len(names) == 2 and (axes := _product(*(varied[name][0] for name in names))) is not None:
        (across, upwards), turned = axes
        labels = [with_unit(name, varied[name][1]) for name in names]
        first = [*values.items()][:MAPS]
        of = f", first {MAPS} of {len(values)}" if len(values) > MAPS else ""
        return tuple(
            FieldPanel(
                title=name + of,
                x=labels[0],
                y=labels[1],
                across=across,
                upwards=upwards,
                values=v.T if turned else v,
                label=label,
            )
            for name, v in first
        )
    if len(names) == 1:
        x, u = varied[names[0]]
        order = np.argsort(x.ravel(), kind="stable")
        curves = tuple(Curve(name, x.ravel()[order], v.ravel()[order]) for name, v in values.items())
        return (LinePanel(x=with_unit(names[0], u), y=label, curves=curves),)
    curves = tuple(Curve(n, np.arange(v.size), v.ravel(), style="points") for n, v in values.items())
    return (LinePanel(x="sample", y=label, curves=curves),)


def _product(a: np.ndarray, b: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], bool] | None:
    """The two abscissae of a grid, and whether the first runs along its columns; None if it is no product."""
    if a.ndim != 2:
        return None
    for turned in (False, True):
        p, q = (a.T, b.T) if turned else (a, b)
        if np.array_equal(p, np.broadcast_to(p[:, :1], p.shape)) and np.array_equal(
            q, np.broadcast_to(q[:1], q.shape)
        ):
            return (p[:, 0], q[0]), turned
    return None


def matrix_panel(
    rows: Sequence[str], columns: Sequence[str], values: np.ndarray, label: str, **more: Any
) -> FieldPanel:
    """A matrix (r, c), the first row at the top; colours on both sides of zero."""
    flipped = np.asarray(values)[::-1]
    return FieldPanel(
        x="", y="", across=[*columns], upwards=[*rows][::-1], values=flipped.T, label=label, signed=True, **more
    )


def correlation_panel(names: Sequence[str], covariance: np.ndarray) -> FieldPanel:
    """Correlations of estimates from their covariance (k, k)."""
    size = np.sqrt(np.diag(covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = covariance / size / size[:, None]
    return matrix_panel(names, names, values, "correlation [-]", limit=1.0, title="correlation of the errors")


def error_panel(names: Sequence[str], relative: Any, verdicts: Sequence[str] = (), **more: Any) -> BarPanel:
    """Relative standard errors by parameter with what they mean; those that are undetermined have none."""
    percent = 100 * np.asarray(relative, float)
    told = tuple(verdicts) or tuple(
        VERDICTS[2] if not np.isfinite(x) else VERDICTS[1] if x > 100 * POOR else VERDICTS[0] for x in percent
    )
    finite = percent[np.isfinite(percent)]
    return BarPanel(
        names=tuple(names),
        x="relative standard error [%]",
        series={"relative standard error": percent},
        verdicts=told,
        log=bool(finite.size and (finite > 0).all()),
        **more,
    )


def value_panel(
    names: Sequence[str],
    units: Sequence[str],
    nominal: np.ndarray,
    results: Mapping[str, tuple[np.ndarray, np.ndarray]],
    what: str = "the model",
) -> BarPanel:
    """Values with standard errors (k,), by result, as relative changes from nominal ones.

    What has no relative change, because it is zero there or undetermined, is told in its name.
    """
    zero = ~(np.abs(nominal) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(zero, np.nan, np.abs(nominal))
        series = {name: 100 * (value - nominal) / size for name, (value, _) in results.items()}
        errors = {name: 100 * spread / size for name, (_, spread) in results.items()}
    value, spread = next(iter(results.values()))
    said = [
        f"{name} (undetermined)"
        if not np.isfinite(x)
        else f"{name} ({x:.3g} ± {s:.1g} {unit}, from 0)"
        if none
        else name
        for name, unit, none, x, s in zip(names, units, zero, value, spread)
    ]
    return BarPanel(
        names=tuple(said),
        x=f"change from {what} [%]",
        series=series,
        errors=errors,
        points=True,
        levels={what: 0.0},
        title="values with standard errors",
    )


def relative_errors(
    names: Sequence[str], units: Sequence[str], nominal: Any, deviation: Any
) -> tuple[list[str], np.ndarray, list[str]]:
    """Names, relative standard errors and verdicts of parameters; where the nominal value is zero there is no
    relative error, and the name tells the absolute one."""
    nominal, deviation = np.asarray(nominal, float), np.asarray(deviation, float)
    zero = nominal == 0
    relative = np.where(zero, np.nan, deviation / np.where(zero, 1.0, np.abs(nominal)))
    said = [
        f"{name} (0 ± {s:.2g} {unit})" if none and np.isfinite(s) else name
        for name, unit, none, s in zip(names, units, zero, deviation)
    ]
    told = [
        VERDICTS[2] if not np.isfinite(s) else VERDICTS[1] if x > POOR else VERDICTS[0]
        for s, x in zip(deviation, relative)
    ]
    return said, relative, told


def place_panels(poses: Mapping[str, Any]) -> tuple[Panel, ...]:
    """Origins of bodies from above and, where they leave the plane, from the side."""
    points = {name: np.asarray(pose.p, float).ravel() for name, pose in poses.items()}
    span = np.ptp(np.array([*points.values()]), axis=0) if points else np.zeros(3)
    views = [("x", 0, "y", 1)] + ([("x", 0, "z", 2)] if span[2] > 1e-9 * max(span.max(), 1e-300) else [])
    return tuple(
        LinePanel(
            x=f"{a} [m]",
            y=f"{b} [m]",
            square=True,
            curves=tuple(Curve(name, p[i : i + 1], p[j : j + 1], style="points") for name, p in points.items()),
            title="origins of the bodies",
        )
        for a, i, b, j in views
    )
