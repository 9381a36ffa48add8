"""Rows of measured forces for the unknowns of a study, and what such rows tell of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poinsot.estimate.unknowns import Unknowns, in_words_of_regressor
from poinsot.experiment.record import Prediction
from poinsot.identifiability.base_parameters import BaseParameters, reduce_regressor
from poinsot.identifiability.regressor import Regressor, evaluate_regressor
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism


def unknown_regressor(
    unknowns: Unknowns, states: States, names: list[str], mechanism: Mechanism | None = None
) -> Regressor:
    """A regressor at states with one column for each unknown; `mechanism` is the unknowns' own unless it has further
    coordinates."""
    W = evaluate_regressor(mechanism or unknowns.mechanism, states, names, [p.name for p in unknowns.linear])
    slopes, natural = unknowns.slopes(unknowns.model), W.natural
    matrix = W.matrix @ slopes
    return replace(
        W,
        columns=unknowns.names,
        units=unknowns.units,
        matrix=matrix,
        rhs=W.values.ravel() - matrix @ unknowns.model,
        parameters=unknowns.model,
        linear=in_words_of_regressor(unknowns),
        natural=lambda weights: natural(weights) @ np.abs(slopes),
    )


def prior_rows(unknowns: Unknowns) -> np.ndarray:
    """Rows (r, k) of what is known of unknowns beforehand, over their standard deviations."""
    prior = np.array([0.0 if one.deviation is None else 1 / one.deviation for one in unknowns.given])
    return np.diag(prior)[prior > 0]


def reduced_rows(W: Regressor, rows: np.ndarray, weights: np.ndarray, known: np.ndarray) -> BaseParameters:
    """Base parameters of rows (m, k) over their noise; `weights` are those of the rows of W that they come from, and
    `known` (r, k) is there besides."""
    natural = np.sqrt(np.square(W.natural(weights)) + np.sum(known**2, axis=0))
    together = replace(W, matrix=np.concatenate([rows, known]), natural=lambda _: natural)
    return reduce_regressor(together, weights=np.ones(len(rows) + len(known)))


def predictions(W: Regressor, base: BaseParameters, rows: np.ndarray) -> tuple[tuple[Prediction, ...], np.ndarray]:
    """What rows (m, k) over their noise tell of every unknown, and standard errors (b,) of the base parameters."""
    X = rows[:, [W.columns.index(name) for name in base.independent]]
    lengths = np.linalg.norm(X, axis=0)
    inverse = np.linalg.inv(np.linalg.qr(X / lengths, mode="r")) if X.shape[1] else np.zeros((0, 0))
    spread = np.linalg.norm(inverse, axis=1) / lengths
    alone = {n: d for n, d, row in zip(base.independent, spread, base.coefficients) if not np.any(row)}
    asked = zip(W.columns, W.units, W.parameters)
    return tuple(Prediction(n, unit, float(v), float(alone.get(n, np.nan))) for n, unit, v in asked), spread
