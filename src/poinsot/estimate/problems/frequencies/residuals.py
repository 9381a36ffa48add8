"""Measured frequencies, damping ratios and shapes less those of the model, over their standard deviations.

e = (f − f_b(p))/σ ,    (ζ − ζ_b(p))/σ_ζ ,    ∂e/∂p by derivatives of eigenvalues        (theory/search, eq. 9)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.estimate.modal_run import ModalRun
from poinsot.estimate.problems.frequencies.pairing import least_costs, pairs_by_shape, pairs_in_order
from poinsot.estimate.problems.frequencies.shapes import ShapePairs
from poinsot.estimate.problems.frequencies.spectrum import ModelSpectrum, spectrum
from poinsot.estimate.search.problem import SearchProblem
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import named_pose
from poinsot.store.bounded import Bounded
from poinsot.vibration.maps import frequency_map


@dataclass(frozen=True, eq=False)
class RunPairs:
    """Measured modes of one run, upwards in frequency, and their partners in the model."""

    modes: np.ndarray  # (a,) numbers of the measured modes
    index: np.ndarray  # (a,) modes of the model, −1 without one
    mac: np.ndarray  # (a,) of each pair, NaN without shapes

    @property
    def paired(self) -> np.ndarray:
        """Whether each has a partner (a,)."""
        return self.index >= 0


@dataclass(frozen=True, eq=False)
class FrequencyResiduals(SearchProblem):
    """Residuals of all runs: frequencies of a run, then its damping ratios, then its shapes."""

    mechanism: Mechanism
    runs: tuple[ModalRun, ...]
    damped: bool  # whether the model's dampers count
    apart: float  # of a frequency, beyond which modes are no pair
    _kept: Bounded = field(init=False, repr=False, default_factory=lambda: Bounded(4))  # spectra of the latest values

    def at_values(self, p: np.ndarray) -> Mechanism:
        """The mechanism with values (k,)."""
        return self.mechanism.with_parameters(dict(zip(self.space.names, p.tolist())))

    def spectra(self, p: np.ndarray) -> tuple[ModelSpectrum, ...]:
        """Modes of the model for values (k,), run by run."""
        p = np.asarray(p, float)

        def make() -> tuple[ModelSpectrum, ...]:
            changed = self.at_values(p)
            return tuple(spectrum(changed, run, self.damped, self.space.names) for run in self.runs)

        return self._kept.get_or_make(p.tobytes(), make)

    def pairs(self, p: np.ndarray) -> tuple[RunPairs, ...]:
        """Partners of all measured modes at values (k,)."""
        return tuple(self._pairs(run, found) for run, found in zip(self.runs, self.spectra(p)))

    def _pairs(self, run: ModalRun, found: ModelSpectrum) -> RunPairs:
        modes, f, sigma = in_order(run)
        if found.shown is None or run.shapes is None:
            index = pairs_in_order(f, sigma, found.frequencies, (self.apart * f / sigma) ** 2)
            return RunPairs(modes, index, np.full(len(modes), np.nan))
        near = np.abs(found.frequencies / f[:, None] - 1) <= self.apart
        return RunPairs(modes, *pairs_by_shape(run.shapes[:, modes], found.shown, near))

    def residuals(self, p: np.ndarray) -> np.ndarray:
        """(m,); modes without a partner stay as far away as pairs may be."""
        try:
            found = zip(self.runs, self.spectra(p), self.pairs(p))
            parts = [(*self._residuals(*one), self._shapes(*one).residuals) for one in found]
            return np.concatenate([part for of_run in parts for part in of_run])
        except PoinsotError:
            return np.full(sum(self._rows), np.nan)

    @property
    def _rows(self) -> list[int]:
        return [len(run.seen) + len(self.ratios_of(run)) + self.shape_rows(run) for run in self.runs]

    def shape_rows(self, run: ModalRun, beyond_scales: bool = False) -> int:
        """Residuals of the shapes of a run, also without those that scales take up."""
        per_point = 1 if self.in_phase(run) else 2
        return len(run.weighed) * per_point * (len(run.points) - beyond_scales)

    def in_phase(self, run: ModalRun) -> bool:
        """Whether measured shapes and those of the model are real."""
        return not self.damped and (run.shapes is None or not np.any(run.shapes[:, run.seen].imag))

    def shapes(self, p: np.ndarray) -> tuple[ShapePairs, ...]:
        """Measured shapes that count, run by run, and their partners at values (k,)."""
        return tuple(self._shapes(*one) for one in zip(self.runs, self.spectra(p), self.pairs(p)))

    def _shapes(self, run: ModalRun, found: ModelSpectrum, pairs: RunPairs) -> ShapePairs:
        counted = np.isin(pairs.modes, run.weighed)
        return ShapePairs(run, found, pairs.modes[counted], pairs.index[counted], self.in_phase(run))

    def absorbed(self, p: np.ndarray) -> int:
        """Residuals that the scales of shapes take up, and those of shapes that say nothing."""
        return sum(shapes.absorbed for shapes in self.shapes(p))

    def scales(self, p: np.ndarray) -> np.ndarray:
        """Directions (m, s) of the residuals that the scales of shapes take up."""
        parts, m = [], 0
        for run, shapes, rows in zip(self.runs, self.shapes(p), self._rows):
            column = np.zeros((sum(self._rows), shapes.scales.shape[1]))
            column[m + rows - self.shape_rows(run) : m + rows] = shapes.scales
            parts.append(column)
            m += rows
        return np.concatenate(parts, axis=1)

    def ratios_of(self, run: ModalRun) -> np.ndarray:
        """Places, among the measured modes upwards, of those with a damping ratio that counts."""
        if run.damping is None or not self.damped:
            return np.zeros(0, int)
        return np.flatnonzero(np.isfinite(run.damping[in_order(run)[0]]))

    def _residuals(self, run: ModalRun, found: ModelSpectrum, pairs: RunPairs) -> tuple[np.ndarray, np.ndarray]:
        modes, f, sigma = in_order(run)
        model = np.where(pairs.paired, partners(found.frequencies, pairs), (1 - self.apart) * f)
        ratios = self.ratios_of(run)
        if not len(ratios):
            return (f - model) / sigma, np.zeros(0)
        off = np.where(pairs.paired, run.damping[modes] - partners(found.damping, pairs), 0.0)
        return (f - model) / sigma, (off / run.damping_deviation[modes])[ratios]

    def jacobian(self, p: np.ndarray) -> np.ndarray:
        """(m, k), zero for modes without a partner."""
        parts = []
        for run, found, pairs, shapes in zip(self.runs, self.spectra(p), self.pairs(p), self.shapes(p)):
            modes, _, sigma = in_order(run)
            slopes = [np.nan_to_num(partners(x, pairs)) for x in found.slopes(self.space.names)]
            parts.append(-slopes[0] / sigma[:, None])
            ratios = self.ratios_of(run)
            if len(ratios):
                parts.append(-(slopes[1] / run.damping_deviation[modes][:, None])[ratios])
            parts.append(shapes.jacobian(self.space.names))
        return np.concatenate(parts)

    def costs(self, P: np.ndarray) -> np.ndarray:
        """Of many candidates by batches of eigenvalues; one by one with dampers, shapes, or poses to settle."""
        batched = all(isinstance(run.pose, dict) and run.pose and run.shapes is None for run in self.runs)
        if self.damped or not batched:
            return super().costs(P)
        possible = np.array([self._possible(p) for p in P])
        total = np.full(len(P), np.inf)
        if possible.any():
            total[possible] = sum(self._costs(run, P[possible]) for run in self.runs)
        return total

    def _possible(self, p: np.ndarray) -> bool:
        try:
            self.at_values(p)
        except PoinsotError:
            return False
        return True

    def _costs(self, run: ModalRun, P: np.ndarray) -> np.ndarray:
        """(N,) of one run."""
        _, f, sigma = in_order(run)
        found = frequency_map(
            self.mechanism, named_pose(run.pose), parameters=dict(zip(self.space.names, P.T)), locked=run.locked
        ).frequencies
        none = ~np.isfinite(found).any(axis=1)
        highest = (1 + self.apart) * f[-1]
        F = np.sort(np.where((found > 0) & (found <= highest), found, np.nan), axis=1)
        F = F[:, : max(1, int(np.isfinite(F).sum(axis=1).max(initial=0)))]
        return np.where(none, np.inf, least_costs(f, sigma, F, (self.apart * f / sigma) ** 2))


def in_order(run: ModalRun) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers (a,) of the measured modes upwards, their frequencies, and their deviations, the frequencies
    themselves where these are unknown  [Hz]."""
    modes = run.seen[np.argsort(run.frequencies[run.seen], kind="stable")]
    f = run.frequencies[modes]
    return modes, f, f if run.deviation is None else run.deviation[modes]


def partners(values: np.ndarray, pairs: RunPairs) -> np.ndarray:
    """Values (a, …) of the model's modes (b, …) that belong to measured ones, NaN without one."""
    return np.concatenate([values, np.full((1, *values.shape[1:]), np.nan)])[pairs.index]
