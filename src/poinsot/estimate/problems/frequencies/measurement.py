"""Measured modes as the problem of a search: what fits, what does not, which mode is which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import chi2

from poinsot.errors import PoinsotError, counted, listing
from poinsot.estimate.modal_run import ModalRun
from poinsot.estimate.problems.base import Measurement
from poinsot.estimate.problems.frequencies.outliers import standardised
from poinsot.estimate.problems.frequencies.residuals import FrequencyResiduals, RunPairs, in_order, partners
from poinsot.estimate.problems.frequencies.spectrum import ModelSpectrum, has_damping, spectrum
from poinsot.estimate.problems.space import space_of
from poinsot.estimate.results.validation import OUTLIER, RunFit, fit_of
from poinsot.estimate.role import Role
from poinsot.estimate.search.base import SearchMethod
from poinsot.estimate.search.determined import RARE
from poinsot.estimate.search.problem import with_priors
from poinsot.estimate.search.registry import onwards
from poinsot.estimate.search.trust_region import TrustRegion
from poinsot.estimate.study import Study
from poinsot.model.mechanism import Mechanism

ALIKE = 0.5  # MAC of a pair that counts as one mode
MET = 1e-4  # of a frequency, within which a model meets it
REFIT = 1e-9  # relative change of cost or values, at which a fit without an outlier ends
SHAPE = "shape"
MOST = 1 / 3  # of the measured values that may be left out as outliers


@dataclass(frozen=True, eq=False)
class ModalMeasurement(Measurement):
    """Modes of several runs."""

    problem: FrequencyResiduals  # type: ignore[override]
    robust: bool = False  # whether outliers are left out

    def mechanism_at(self, p: np.ndarray) -> Mechanism:
        """The mechanism with values (k,)."""
        return self.problem.at_values(p)

    def fit(self, p: np.ndarray) -> RunFit:
        """Frequencies, and damping ratios where they count, mode by mode; NaN without a partner."""
        found = [self._both(*one) for one in zip(self.problem.runs, self.problem.spectra(p), self.problem.pairs(p))]
        ratios = self.problem.damped and any(run.damping is not None for run in self.problem.runs)
        channels = [("frequency", "Hz"), ("damping", "-")][: 2 if ratios else 1]
        names = [run.name for run in self.problem.runs]
        modes = [np.arange(1.0, len(run.frequencies) + 1) for run in self.problem.runs]
        measured, predicted = ([x[k][:, : len(channels)] for x in found] for k in (0, 1))
        fit = fit_of(names, channels, modes, measured, predicted)
        assert fit is not None
        return replace(fit, over="mode")

    def _both(self, run: ModalRun, found: ModelSpectrum, pairs: RunPairs) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies and damping (k, 2) as measured and as predicted."""
        measured, predicted = np.full((2, len(run.frequencies), 2), np.nan)
        at = pairs.modes[pairs.paired]
        measured[at, 0] = run.frequencies[at]
        predicted[pairs.modes, 0] = partners(found.frequencies, pairs)
        if run.damping is not None:
            measured[at, 1] = run.damping[at]
            predicted[pairs.modes, 1] = partners(found.damping, pairs)
        return measured, predicted

    def settled(self, p: np.ndarray, method: SearchMethod) -> tuple[ModalMeasurement, np.ndarray]:
        """Without what the model lacks, and without outliers where that is asked; all is said."""
        measured, said = self._without_lacking(p)
        most, out = int(MOST * sum(run.count for run in self.problem.runs)), []
        while (outliers := measured._outliers(p)) and self.robust and len(out) < most:
            (run, mode, what), text = next(iter(outliers.items()))
            out.append(text)
            measured = measured._left_out({run: [mode]}, what == SHAPE)
            refit = onwards(method, TrustRegion(tolerance=REFIT))
            p = refit.descend(with_priors(measured.problem.at(p))).p
        if out:
            said.append(f"Left out because they do not fit: {listing(out)}.")
        elif outliers:
            said.append(f"Measured values do not fit the others: {listing(outliers.values())}.")
        said += measured._misfit(p)
        doubts = (*self.doubts, *said, *measured._unlike(p))
        return replace(measured, doubts=doubts, steps=(*self.steps, *measured._said(p))), p

    def _without_lacking(self, p: np.ndarray) -> tuple[ModalMeasurement, list[str]]:
        lacking, said = {}, []
        for k, (run, pairs) in enumerate(zip(self.problem.runs, self.problem.pairs(p))):
            lost = pairs.modes[~pairs.paired]
            if len(lost):
                lacking[k] = lost
                said += [f"{run.frequencies[a]:g} Hz ('{run.name}', mode {a + 1})" for a in lost]
        return self._left_out(lacking), [f"The model lacks measured modes: {listing(said)}."] if said else []

    def _left_out(self, modes: dict[int, Sequence[int]], shapes: bool = False) -> ModalMeasurement:
        """Without some modes by run, or without their shapes alone."""
        runs = list(self.problem.runs)
        for k, some in modes.items():
            runs[k] = runs[k].without_shapes(some) if shapes else runs[k].without(some)
        return replace(self, problem=replace(self.problem, runs=tuple(runs))) if modes else self

    def _rows(self) -> list[tuple[int, int, str]]:
        """Run, mode and quantity of every residual."""
        found = []
        for k, run in enumerate(self.problem.runs):
            modes = in_order(run)[0]
            found += [(k, int(a), "Hz") for a in modes]
            found += [(k, int(modes[i]), "damping") for i in self.problem.ratios_of(run)]
            shapes = [int(a) for a in modes if a in run.weighed]
            found += [(k, a, SHAPE) for a in shapes for _ in range(self.problem.shape_rows(run) // len(shapes))]
        return found

    def _named(self, p: np.ndarray, row: tuple[int, int, str], size: float) -> str:
        k, mode, what = row
        run, found, pairs = self.problem.runs[k], self.problem.spectra(p)[k], self.problem.pairs(p)[k]
        at = int(np.flatnonzero(pairs.modes == mode)[0])
        if what == SHAPE:
            like = f"MAC {pairs.mac[at]:.2f}, {size:.0f} standard deviations"
            return f"the shape at {run.frequencies[mode]:g} Hz ('{run.name}', mode {mode + 1}; {like})"
        measured, model = (run.frequencies, found.frequencies) if what == "Hz" else (run.damping, found.damping)
        return (
            f"{measured[mode]:g} {what} ('{run.name}', mode {mode + 1}; model {partners(model, pairs)[at]:.5g}, "
            f"{size:.0f} standard deviations)"
        )

    def _standardised(self, p: np.ndarray) -> np.ndarray:
        """Sizes (m,) of the residuals; scales of shapes take up what unknowns do not."""
        J = np.hstack([self.problem.jacobian(p), self.problem.scales(p)])
        return np.abs(standardised(self.problem.residuals(p), J, self.known))

    def _outliers(self, p: np.ndarray) -> dict[tuple[int, int, str], str]:
        """Run, mode and quantity of what does not fit, and its name; the worst first."""
        size, rows, found = self._standardised(p), self._rows(), {}
        for i in np.argsort(-size):
            if size[i] > OUTLIER and rows[i] not in found:
                found[rows[i]] = self._named(p, rows[i], float(size[i]))
        return found

    def _misfit(self, p: np.ndarray) -> list[str]:
        """What as many values as unknowns leave, which χ² does not judge."""
        problem = with_priors(self.problem)
        e, unknowns = problem.residuals(p), len(p)
        if len(e) - problem.absorbed(p) > unknowns:
            return []
        fit = self.fit(p)
        off = np.concatenate([np.abs(b / a - 1)[:, 0] for a, b in zip(fit.measured, fit.predicted)])
        worst = float(np.nanmax(off))
        if (e @ e > chi2.isf(RARE, 1)) if self.known else worst > MET:
            return [
                f"The model does not fit: the search found no values that meet the frequencies, {worst:.2%} are left."
            ]
        bars = "" if self.known else ", there are no error bars"
        return [
            f"As many measured values as unknowns: nothing tests the fit{bars}, and other values may meet them too "
            "(the method 'multi-start' looks for them)."
        ]

    def _unlike(self, p: np.ndarray) -> list[str]:
        poor = [
            f"{run.frequencies[a]:g} Hz ('{run.name}', MAC {x:.2f})"
            for run, pairs in zip(self.problem.runs, self.problem.pairs(p))
            for a, x in zip(pairs.modes[pairs.paired], pairs.mac[pairs.paired])
            if x < ALIKE
        ]
        return [f"Shapes of pairs are not alike: {listing(poor)}."] if poor else []

    def _said(self, p: np.ndarray) -> list[str]:
        """Which measured mode is which of the model, and which of these were not seen."""
        said = []
        for run, found, pairs in zip(self.problem.runs, self.problem.spectra(p), self.problem.pairs(p)):
            f, index = found.frequencies, pairs.index[pairs.paired]
            text = [f"{run.frequencies[a]:g}: {f[b]:.5g} ({b + 1})" for a, b in zip(pairs.modes[pairs.paired], index)]
            unseen = [b for b in range(int(index.max(initial=-1))) if b not in index]
            more = f"; not seen: {listing([f'{f[b]:.5g} ({b + 1})' for b in unseen])}" if unseen else ""
            said.append(f"run '{run.name}', measured and modelled frequencies [Hz] (mode): {', '.join(text)}{more}")
        for run, shapes in zip(self.problem.runs, self.problem.shapes(p)):
            if shapes.repeated.any():
                blind = listing([f"{run.frequencies[a]:g} Hz" for a in shapes.modes[shapes.repeated]])
                said.append(f"run '{run.name}': shapes say nothing where frequencies of the model repeat: {blind}")
        return said


def measured_modes(study: Study) -> tuple[ModalMeasurement, ModalMeasurement | None]:
    """What a study identifies from, and what it holds out."""
    if not study.modal or study.runs:
        raise PoinsotError(
            "natural frequencies are given as modal runs: poinsot.ModalRun([16.9, 83.1], pose), a modal test, or "
            "[modal.NAME] in a study file; recordings over time go through poinsot.modal_test"
        )
    known = _known([run for run in study.modal if run.role is not Role.VALIDATE])
    mechanism, space, steps = space_of(study.mechanism, study.unknowns)
    used, held = (
        tuple(_posed(run, mechanism, space.names) for run in study.modal if (run.role is Role.VALIDATE) == out)
        for out in (False, True)
    )
    begin = mechanism.with_parameters(dict(zip(space.names, space.start.tolist())))
    damped = any(has_damping(spectrum(begin, run, False, space.names).linear, space.names) for run in used[:1])
    if not damped and any(run.damping is not None for run in study.modal):
        steps = (*steps, "the model has no dampers: measured damping ratios are not used")
    problem = FrequencyResiduals(space, mechanism, used, damped, study.processing.apart)
    _require_enough(problem)
    measured = ModalMeasurement(problem, known, steps, robust=study.processing.robust)
    return measured, ModalMeasurement(replace(problem, runs=held), known) if held else None


def _known(runs: Sequence[ModalRun]) -> bool:
    """Whether standard deviations are known, of all frequencies or of none."""
    given = [run.deviation is not None for run in runs]
    if any(given) and not all(given):
        missing = next(run.name for run in runs if run.deviation is None)
        raise PoinsotError(f"give standard deviations of all frequencies or of none: run '{missing}' has none")
    if not all(given) and any(run.damping is not None or run.shape_deviation is not None for run in runs):
        raise PoinsotError(
            "damping ratios and shapes are weighed against frequencies: give standard deviations of all"
        )
    return all(given)


def _posed(run: ModalRun, mechanism: Mechanism, names: tuple[str, ...]) -> ModalRun:
    """A run in the pose of the file, by name, where nothing pulls the mechanism out of it."""
    if run.role is Role.PAYLOAD:
        raise PoinsotError(f"modal run '{run.name}': payloads are for forces; give the loaded model its own study")
    elements = mechanism.elements
    if run.pose is not None or any(elements.gravity) or elements.loads or not elements.pose:
        return run
    named = replace(run, pose=dict(elements.pose))
    try:
        spectrum(mechanism, named, False, names)
    except PoinsotError:
        return run
    return named


def _require_enough(problem: FrequencyResiduals) -> None:
    """Values to identify from, as many as unknowns, and pairs at the start."""
    space, runs = problem.space, problem.runs
    values = sum(len(run.seen) + len(problem.ratios_of(run)) + problem.shape_rows(run, True) for run in runs)
    values += int(np.isfinite(space.prior).sum())
    if values < len(space.names):
        raise PoinsotError(
            f"{counted(values, 'measured value')} for {counted(len(space.names), 'unknown')}: measure more modes or "
            "poses, look for fewer unknowns, or give priors"
        )
    try:
        pairs = problem.pairs(space.start)
    except PoinsotError as error:
        raise PoinsotError(f"the model has no modes at the start: {error}") from None
    if not any(one.paired.any() for one in pairs):
        raise PoinsotError(
            f"no measured frequency is within {100 * problem.apart:g} % of one of the model at the start: start "
            "nearer, or widen 'apart' in processing"
        )
