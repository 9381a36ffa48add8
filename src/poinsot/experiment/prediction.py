"""What an experiment will tell of its unknowns: standard errors, and what is determined only together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.estimate.search.determined import determined
from poinsot.estimate.search.problem import Space
from poinsot.experiment.record import Prediction
from poinsot.identifiability.base_parameters import combination_text

ROUND_OFF = 1e-11  # of the largest singular value


@dataclass(frozen=True, eq=False)
class Predicted:
    """What rows of slopes tell of K unknowns."""

    predictions: tuple[Prediction, ...]  # K
    together: tuple[Prediction, ...]  # combinations of those that are not determined by themselves

    @property
    def complete(self) -> bool:
        """Whether all unknowns are determined."""
        return all(np.isfinite(one.deviation) for one in self.predictions)


def predicted(space: Space, J: np.ndarray, natural: np.ndarray, prefer: Sequence[int] = ()) -> Predicted:
    """Standard errors from whitened slopes J (m, K), by the rules by which `identify` decides what is determined.

    Columns far below their `natural` sizes (K,) are round-off; unknowns in `prefer` are expressed by others first.
    What is known of unknowns besides counts as measured.
    """
    known = np.flatnonzero(np.isfinite(space.prior))
    J = np.concatenate([J, np.diag(1 / space.deviation)[known]])
    natural = np.maximum(np.hypot(natural, np.nan_to_num(1 / space.deviation)), 1 / space.most)
    found = determined(np.zeros(len(J)), J, natural, True, prefer=prefer, priors=len(known), size=space.size)
    reduction, spread = found.reduction, np.sqrt(np.maximum(np.diagonal(found.covariance), 0.0))
    deviation, together = np.full(len(space.names), np.nan), []
    for row, j in enumerate(reduction.independent):
        others = {
            space.names[i]: float(c) for i, c in zip(reduction.eliminated, reduction.coefficients[row]) if c != 0
        }
        if not others and not space.too_wide(j, spread[row], space.model[j]):
            deviation[j] = spread[row]
        elif others:
            nominal = space.model[j] + sum(c * space.model[space.names.index(name)] for name, c in others.items())
            text = combination_text(space.names[j], others)
            together.append(Prediction(text, space.units[j], float(nominal), float(spread[row])))
    alone = map(Prediction, space.names, space.units, space.model.tolist(), deviation.tolist())
    return Predicted(tuple(alone), tuple(together))


def seen_directions(F: np.ndarray) -> np.ndarray:
    """Directions (K, r) of unknowns, relative to their sizes, that information F (K, K) tells better than these."""
    values, vectors = np.linalg.eigh(F)
    return vectors[:, values > max(1.0, ROUND_OFF**2 * values[-1])]
