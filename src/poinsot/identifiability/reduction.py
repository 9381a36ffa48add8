"""Gautier's reduction of a regressor: which columns count, which have no effect, which combine.

W θ = W₁ (θ₁ + β θ₂),    W₂ = W₁ β          (theory/identifiability, eq. 4)

Columns are scaled to equal length first, so that neither units nor the size of a parameter decide the rank; but none
is scaled up so far that its round-off, which is relative to its natural size, would look like an effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.identifiability.choice import eliminated_rows

NO_EFFECT = 1e-9  # of its natural size below which a column is nothing but round-off or noise
SCALED = 1e-4  # of its natural size, down to which a column is scaled to length 1
ZERO = 1e-9  # of the effect of the eliminated parameter, below which a coefficient is round-off
ROUND_OFF = 1e-12  # of the natural size of a column, that it may have however small it is
SMALL = 1e-6  # of the largest singular value, above which none is taken for zero
TRUSTED = 1e-9  # … below which none is taken for more than round-off or noise
CLEAR = 1e3  # ratio of neighbouring singular values from which a rank is beyond doubt
ELIMINABLE = 1e-6  # length of a parameter's row in the null space, below which it is determined by itself
UNSURE = 10.0  # times what the residual of a relation may change a coefficient, below which that is round-off


@dataclass(frozen=True)
class Gap:
    """Where the singular values fall: the rank is a matter of fact when the ratio is large."""

    position: int  # number of singular values before the gap, the rank
    above: float  # the smallest that counts, relative to the largest
    below: float  # the largest that does not, columns without effect included, or the round-off of the largest

    @property
    def ratio(self) -> float:
        """Smallest singular value that counts over the largest that does not."""
        return self.above / self.below

    @property
    def clear(self) -> bool:
        """Whether the rank is beyond doubt."""
        return self.ratio >= CLEAR

    def __str__(self) -> str:
        doubt = "" if self.clear else ": the rank is in doubt, excite the mechanism more"
        return (
            f"singular values {self.above:.1e} | {self.below:.1e} of the largest, a gap of {self.ratio:.0e} after "
            f"number {self.position}{doubt}"
        )


@dataclass(frozen=True, eq=False)
class Reduction:
    """Base parameters of a matrix with k columns, by number."""

    gap: Gap
    singular_values: np.ndarray  # of the columns with effect, scaled to length 1
    null: tuple[int, ...]  # columns without effect
    independent: tuple[int, ...]  # b, in ascending order
    eliminated: tuple[int, ...]  # k − b, those preferred first
    coefficients: np.ndarray  # β (b, k − b)

    @property
    def rank(self) -> int:
        """Number b of base parameters."""
        return len(self.independent)


@one_blas_thread()
def reduce_columns(
    W: np.ndarray, prefer: Sequence[int] = (), scale: np.ndarray | None = None, wished: Sequence[int] = ()
) -> Reduction:
    """Reduce a matrix (n, k) to its base parameters.

    `prefer` lists columns to eliminate, those most wanted first, then come the others in their order, as far as
    coefficients stay small; those `wished` come before all, and their coefficients may be large. Columns without
    effect are eliminated always. `scale` (k,) is the natural length of each column, that without cancellation; a
    column far below it has no effect. Coefficients that are round-off are zero.

    >>> r = reduce_columns(np.array([[1.0, 2.0, 0.0], [3.0, 6.0, 0.0], [0.5, 1.0, 0.0]]), prefer=[0])
    >>> r.independent, r.eliminated, r.coefficients.round(12).tolist()
    ((1,), (0, 2), [[0.5, 0.0]])
    """
    lengths = np.linalg.norm(W, axis=0)
    natural = lengths if scale is None else np.maximum(scale, lengths)
    dead = lengths <= NO_EFFECT * natural
    live, unit = np.flatnonzero(~dead), np.maximum(lengths, SCALED * natural)
    s, Vt = _singular(W[:, live] / unit[live])
    gap = find_rank(s, max(W.shape))
    order = list(dict.fromkeys([*wished, *prefer, *range(W.shape[1])]))
    place = {int(j): i for i, j in enumerate(live)}
    first, others = ([place[j] for j in some if j in place] for some in (wished, order))
    size = (lengths if scale is None else np.where(scale > 0, scale, lengths))[live] / unit[live]
    taken = live[eliminated_rows(Vt[gap.position :].T, first, others, max(ELIMINABLE, 10 / gap.ratio), size)].tolist()
    null = [j for j in range(W.shape[1]) if j not in place]
    eliminated = tuple(j for j in order if j in taken or j in null)
    independent = tuple(j for j in live.tolist() if j not in eliminated)
    least = np.maximum(max(ZERO, 1 / gap.ratio), ROUND_OFF * natural / np.where(lengths > 0, lengths, 1.0))
    beta = _coefficients(W, lengths, independent, eliminated, null, least)
    silent = np.max(lengths[dead] / np.where(unit[dead] > 0, unit[dead], 1.0), initial=0.0)
    gap = replace(gap, below=max(gap.below, float(silent / s[0]))) if len(s) else gap
    return Reduction(gap, s, tuple(null), independent, eliminated, beta)


def _singular(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Singular values (k,) and right singular vectors (k, k); by way of the triangular factor, which is smaller."""
    k = A.shape[1]
    if not k:
        return np.zeros(0), np.zeros((0, 0))
    R = np.linalg.qr(A, mode="r") if len(A) > k else A
    _, s, Vt = np.linalg.svd(R, full_matrices=True)
    return np.concatenate([s, np.zeros(k - len(s))]), Vt


def find_rank(s: np.ndarray, size: int) -> Gap:
    """The rank from the largest ratio of neighbouring singular values (k,), of a matrix with at most `size` rows.

    >>> find_rank(np.array([2.0, 1.0, 1e-10, 0.9e-10]), 100).position
    2
    """
    if not len(s) or s[0] == 0:
        return Gap(0, 1.0, float(np.finfo(float).eps))
    floor = size * np.finfo(float).eps
    relative = np.maximum(s / s[0], floor)
    below = np.append(relative[1:], floor)
    possible = (below < SMALL) & (relative >= TRUSTED)
    ratio = np.where(possible, relative / below, 0.0)
    at = int(np.argmax(ratio)) if possible.any() else len(s) - 1
    return Gap(at + 1, float(relative[at]), float(below[at]))


def _coefficients(
    W: np.ndarray,
    lengths: np.ndarray,
    independent: Sequence[int],
    eliminated: Sequence[int],
    null: Sequence[int],
    least: np.ndarray,
) -> np.ndarray:
    """β (b, k − b) with W₂ = W₁ β; zero where it is below `least` (k,) of scaled columns, or below its own round-off.

    δβ_ij ≤ ‖W₁⁺ row i‖ (‖W₂ − W₁ β‖_j + ε (1 + Σ |β_j|))        (theory/identifiability, eq. 8)
    """
    first, second = list(independent), list(eliminated)
    beta = np.zeros((len(first), len(second)))
    live = [i for i, j in enumerate(second) if j not in null]
    if first and live:
        columns = [second[i] for i in live]
        W1, W2 = W[:, first] / lengths[first], W[:, columns] / lengths[columns]
        Q, R = np.linalg.qr(W1)
        found = np.linalg.lstsq(R, Q.T @ W2, rcond=None)[0]
        size = 1 + np.sum(np.abs(found), axis=0)
        error = np.linalg.norm(W2 - W1 @ found, axis=0) + np.finfo(float).eps * size
        unsure = np.minimum(UNSURE * np.outer(np.linalg.norm(np.linalg.pinv(R), axis=1), error), SMALL)
        found = np.where(np.abs(found) > np.maximum(unsure, least[columns]), found, 0.0)
        beta[:, live] = found * lengths[columns] / lengths[first][:, None]
    return beta
