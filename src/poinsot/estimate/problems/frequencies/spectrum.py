"""Frequencies, damping and shapes of the model in the pose of a run, with exact derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from poinsot.estimate.modal_run import ModalRun
from poinsot.model.mechanism import Mechanism
from poinsot.recording.modal.points import MeasurementPoint, point_rows
from poinsot.vibration.eigenmodes import DENSE, Solution, eigenmodes
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.linear_model.record import LinearModel, dense
from poinsot.vibration.mode_derivatives import frequency_derivatives
from poinsot.vibration.pole_derivatives import Poles, swinging_poles
from poinsot.vibration.shape_derivatives import shape_derivatives

MANY = 6  # times as many modes of a large model as were measured


@dataclass(frozen=True, eq=False)
class ModelSpectrum:
    """k modes of the model that swing, upwards."""

    linear: LinearModel
    frequencies: np.ndarray  # (k,)  [Hz]
    damping: np.ndarray  # (k,) ratios, 0 without dampers  [-]
    found: Solution | Poles
    points: tuple[MeasurementPoint, ...]  # p, of the run

    @cached_property
    def rows(self) -> np.ndarray:
        """Motions (p, n) of the points per displacement."""
        return point_rows(self.linear, self.points)

    @cached_property
    def shown(self) -> np.ndarray | None:
        """Motions (p, k) of the points in every mode."""
        return self.rows @ self.found.shapes if self.points else None

    def slopes(self, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
        """∂f/∂p [Hz per unit] and ∂ζ/∂p, both (k, p)."""
        if isinstance(self.found, Poles):
            return self.found.derivatives(names)
        slopes = frequency_derivatives(self.linear, self.found, names)
        return slopes, np.zeros_like(slopes)

    def shown_slopes(self, names: tuple[str, ...], modes: np.ndarray) -> np.ndarray:
        """∂(P φ)/∂p (m, p, K) of some modes (m,): the points of the machine move, and shapes change."""
        change = self.linear.derivatives(names)
        sign = np.array([point.sign for point in self.points])
        own = np.einsum("o,jon,nm->moj", sign, change.dP, self.found.shapes[:, modes])
        return own + self.rows @ shape_derivatives(self.linear, self.found, change, modes)[0]


def spectrum(mechanism: Mechanism, run: ModalRun, damped: bool, names: tuple[str, ...]) -> ModelSpectrum:
    """The modes of a mechanism in the pose of a run, with its dampers where these count; `names` are its unknowns."""
    points = (
        ()
        if run.shapes is None
        else tuple(p if isinstance(p, MeasurementPoint) else MeasurementPoint(str(p)) for p in run.points)
    )
    linear = linear_model(mechanism, run.pose, locked=run.locked, free=names)
    places = tuple(p.place or p.name for p in points) if len(run.weighed) else ()
    change = linear.derivatives
    linear = replace(linear, derivatives=lru_cache(2)(lambda names: change(names, places)))  # once for all that ask
    if damped:
        found = swinging_poles(linear)
        frequencies, damping = found.frequencies, found.ratios
    else:
        found = _swinging(eigenmodes(linear, MANY * len(run.frequencies) if len(linear.names) > DENSE else None))
        frequencies, damping = np.sqrt(found.values) / (2 * np.pi), np.zeros(len(found.values))
    return ModelSpectrum(linear, frequencies, damping, found, points)


def _swinging(found: Solution) -> Solution:
    """Modes with a frequency: neither rigid-body motions nor unstable ones."""
    good = (np.imag(found.values) == 0) & (np.real(found.values) > 0)
    values, shapes, left = np.real(found.values[good]), found.shapes[:, good], found.left[:, good]
    return Solution(values, shapes, shapes if found.left is found.shapes else left)


def has_damping(linear: LinearModel, names: tuple[str, ...]) -> bool:
    """Whether a model has dampers, or gets them by some of its parameters."""
    return bool(np.any(dense(linear.D))) or any(np.any(dense(d)) for d in linear.derivatives(names).dD)
