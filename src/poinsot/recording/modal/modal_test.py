"""Modal test: modes from responses, by LSCF and the most likely sum of modes, or from peaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, count_of, counted, one_line
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.modal.arguments import band_of, frequencies_of, one_of
from poinsot.recording.modal.checks import checked, half_power_lines, resolved
from poinsot.recording.modal.estimate import frequency_response
from poinsot.recording.modal.lscf import lscf
from poinsot.recording.modal.noise import shared_lines
from poinsot.recording.modal.output_only.from_responses import output_only_test
from poinsot.recording.modal.partial_fractions import Fit, Lines, fitted, most_likely
from poinsot.recording.modal.peaks import peaks
from poinsot.recording.modal.record import ModalTest, TestStatus, errors_of
from poinsot.recording.modal.response import QUANTITIES, FrequencyResponse
from poinsot.recording.modal.stabilisation import (
    LIMITS,
    Limits,
    PoleTrack,
    StabilisationChart,
    chosen_tracks,
    frequency_of,
    nearest_tracks,
    ratio_of,
    stabilisation,
)
from poinsot.recording.recording import Axis, Recording

__all__ = ["modal_test"]

METHODS = ("lscf", "peaks", "ssi")
HIGHEST = 40  # order of the polynomials: poles of one reference
FAINT = 20.0  # contribution of a mode, by that of noise: what is less is no mode
MISFIT = 4.0  # standard deviations of χ² that are no chance
FEW = 5  # points whose scatter is a matter of chance
DISAGREE = 3.0  # ratio of the scatter between points to what noise explains


@one_blas_thread()
def modal_test(
    measured: FrequencyResponse | Recording | Sequence[Any],
    *,
    band: tuple[float, float] | None = None,
    n: int | None = None,
    frequencies: Sequence[float] | None = None,
    method: str = "lscf",
    order: int | None = None,
    limits: Limits = LIMITS,
    quantity: str = "",
    **spectra: Any,
) -> ModalTest:
    """Natural frequencies, damping and shapes with standard errors, from responses or recordings of a modal test.

    `measured` is a frequency response, a recording over frequency (of `quantity`), several responses of a repeated
    test, or recordings over time with the arguments of `frequency_response` (`spectra`: input="hammer" …). `band`
    [Hz] is that of the modes; `n` how many, by default all that are stable through many orders; `frequencies` [Hz]
    choose them by hand. `method` is "lscf", "peaks", or "ssi" for recordings of responses alone, under forces that
    nobody measured (extra `modal`; with `outputs`, `places` and `references`, the channels to correlate with).
    `order` is the highest order of the polynomials, or of the state; `limits` are those of stability.

    >>> import numpy as np
    >>> f = np.arange(1.0, 40.0, 0.02)
    >>> p = 2 * np.pi * 17 * (-0.01 + 1j)
    >>> H = (1 / (2j * np.pi * f - p) / 2j + np.conj(1 / (-2j * np.pi * f - p) / 2j))[:, None, None]
    >>> rng = np.random.default_rng(0)
    >>> H = H + 1e-4 * (rng.normal(size=H.shape) + 1j * rng.normal(size=H.shape))
    >>> from poinsot.recording.modal.points import MeasurementPoint
    >>> test = modal_test(FrequencyResponse(f, H, (MeasurementPoint("a"),), (MeasurementPoint("b"),), "receptance"))
    >>> test.frequencies.round(2), test.damping.round(3)
    (array([17.]), array([0.01]))
    """
    one_of(method, METHODS, "method")
    one_of(quantity, ("", *QUANTITIES), "quantity")
    if not isinstance(limits, Limits):
        raise PoinsotError(f"limits are Limits(frequency=…, damping=…, shape=…), not {one_line(repr(limits), 40)}")
    n = None if n is None else count_of(n, "n")
    band = None if band is None else band_of(band)
    if method == "ssi":
        by_hand = None if frequencies is None else frequencies_of(frequencies)
        highest = None if order is None else count_of(order, "order")
        return output_only_test(measured, band, n, by_hand, highest, limits, spectra)
    response = _response(measured, quantity, spectra)
    if band is not None:
        response = response.between(*band)
    if response.frequency[0] == 0:
        response = response.lines(response.frequency > 0)
    turned = _few_references(response)
    if method == "peaks":
        return _from_peaks(response, turned, n)
    orders = _orders(turned, order)
    chart = _chart(turned, orders, limits)
    tracks = (
        nearest_tracks(chart, frequencies_of(frequencies))
        if frequencies is not None
        else chosen_tracks(chart, len(orders), n)
    )
    return _from_tracks(response, turned, chart, tracks, limits if n is None and frequencies is None else None)


def _response(measured: Any, quantity: str, spectra: dict[str, Any]) -> FrequencyResponse:
    options = signature(frequency_response).parameters
    for name in spectra:
        one_of(name, [*options, "references"], "argument")
    if isinstance(measured, FrequencyResponse):
        if spectra or quantity:
            raise PoinsotError("arguments of spectra are for recordings: this is a frequency response already")
        return measured
    if isinstance(measured, Recording) and measured.axis is Axis.FREQUENCY:
        return FrequencyResponse.of(measured, quantity=quantity, **spectra)
    several: list[Any] = list(measured) if isinstance(measured, list | tuple) else [measured]
    if several and all(isinstance(one, FrequencyResponse) for one in several):
        return _averaged(several)
    if several and all(isinstance(one, Recording) for one in several):
        if "input" not in spectra:
            raise PoinsotError("recordings over time need the channel of the force: modal_test(rec, input='hammer')")
        return frequency_response(measured, quantity=quantity, **spectra)
    raise PoinsotError(f"a modal test takes responses or recordings, not {type(measured).__name__}")


def _averaged(repeats: Sequence[FrequencyResponse]) -> FrequencyResponse:
    """The mean of repeated tests, with the variance that their differences tell."""
    first, r = repeats[0], len(repeats)
    H = np.stack([one.H for one in repeats])
    if r == 1:
        return first
    left_out = (H.sum(axis=0) - H) / (r - 1) if r > 2 else None
    variance = first.variance
    known = [one.variance for one in repeats if one.variance is not None]
    if len(known) == r:
        variance = np.mean(np.stack(known), axis=0) / r
    elif r > 2:
        variance = np.mean(np.abs(H - H.mean(axis=0)) ** 2, axis=0) / (r - 1)
    findings = tuple(dict.fromkeys(f for one in repeats for f in one.findings))
    averages = sum(one.averages for one in repeats)
    return replace(
        first, H=H.mean(axis=0), variance=variance, left_out=left_out, averages=averages, findings=findings
    )


def _few_references(response: FrequencyResponse) -> FrequencyResponse:
    """Columns are references: of a roving hammer, the transposed responses (reciprocity)."""
    if response.H.shape[2] <= response.H.shape[1]:
        return response
    return replace(
        response,
        H=np.swapaxes(response.H, 1, 2),
        outputs=response.inputs,
        inputs=response.outputs,
        variance=None if response.variance is None else np.swapaxes(response.variance, 1, 2),
        coherence=None,
        noise=None,
        left_out=None if response.left_out is None else np.swapaxes(response.left_out, 2, 3),
    )


def _orders(turned: FrequencyResponse, order: int | None) -> range:
    highest = max(12, HIGHEST // turned.H.shape[2]) if order is None else count_of(order, "order")
    return range(min(2, highest), min(highest, len(turned.frequency) // 4) + 1)


def _chart(turned: FrequencyResponse, orders: range, limits: Limits) -> StabilisationChart:
    """Poles of all orders; an exponential window's damping is taken off."""
    weight = None
    if turned.variance is not None:
        weight = 1 / np.sqrt(np.maximum(turned.variance.mean(axis=2), 1e-300))
        weight = weight / np.sqrt(np.mean(weight**2))
    sets = lscf(turned.frequency, turned.H, orders, weight)
    chart = stabilisation(sets, limits)
    if not turned.shift:
        return chart
    tracks = tuple(replace(t, poles=t.poles + turned.shift) for t in chart.tracks)
    poles = 2 * np.pi * chart.frequency * (-chart.damping + 1j * np.sqrt(1 - chart.damping**2)) + turned.shift
    return replace(chart, tracks=tracks, frequency=frequency_of(poles), damping=ratio_of(poles))


def _lines(turned: FrequencyResponse, sigma: np.ndarray | None = None) -> Lines:
    if sigma is None and turned.variance is not None:
        sigma = np.sqrt(np.maximum(turned.variance, 1e-30 * np.mean(np.abs(turned.H) ** 2)))
    sigma = np.ones(turned.H.shape) if sigma is None else sigma
    return Lines(turned.s, turned.H, sigma, QUANTITIES[turned.quantity], turned.noise)


def _fit(turned: FrequencyResponse, poles: np.ndarray, L: np.ndarray) -> Fit:
    """The most likely modes; where nobody knows the noise, it is what the fit leaves at every point."""
    fit = most_likely(fitted(_lines(turned), poles, L))
    if turned.variance is not None:
        return fit
    free = max(1 - (2 * len(poles) + 2) / (2 * len(turned.frequency)), 0.1)
    sigma = np.sqrt(np.median(np.abs(fit.error) ** 2, axis=0, keepdims=True) / np.log(2) / free)
    sigma = np.maximum(np.broadcast_to(sigma, turned.H.shape), 1e-14 * np.abs(turned.H).max())
    return most_likely(fitted(_lines(turned, sigma), fit.poles, fit.participation))


def _from_tracks(
    response: FrequencyResponse,
    turned: FrequencyResponse,
    chart: StabilisationChart,
    tracks: Sequence[PoleTrack],
    limits: Limits | None,
) -> ModalTest:
    """The most likely modes from where tracks are; with limits, without those that turn out to be none."""
    if not tracks:
        return _nothing(response, turned, chart)
    fit = _fit(turned, np.array([t.pole for t in tracks]), np.array([t.participation for t in tracks]).T)
    while limits is not None:
        strong = np.array([_strength(fit, r) for r in range(len(fit.poles))]) > FAINT
        f, zeta = frequency_of(fit.poles), ratio_of(fit.poles)
        good = strong & (zeta > 0) & (zeta < limits.largest_ratio)
        good &= (f > turned.frequency[0]) & (f < turned.frequency[-1])
        if good.all():
            break
        tracks = [t for t, keep in zip(tracks, good) if keep]
        if not tracks:
            return _nothing(response, turned, chart)
        fit = _fit(turned, fit.poles[good], fit.participation[:, good])
    order = np.argsort(np.abs(fit.poles))
    fit, tracks = Fit(fit.lines, fit.poles[order], fit.participation[:, order]), [tracks[k] for k in order]
    evidence = _evidence(turned, fit, tracks)
    factor, misfits = _misfit(turned, fit)
    evidence["noise"] = evidence["noise"] * factor[:, None]
    deviations = evidence["noise"]
    findings = _disagreement(fit.poles, evidence, len(turned.outputs))
    if turned.variance is None and "points" in evidence:
        deviations = np.maximum(deviations, evidence["points"])
        fit = _mean_of_points(fit, evidence) if findings else fit
    narrow = resolved(turned, fit.poles)
    findings = (*turned.findings, *checked(response), *_narrow(turned, fit.poles, narrow), *misfits, *findings)
    status = TestStatus.POOR if misfits else TestStatus.FOUND if narrow.all() else TestStatus.UNRESOLVED
    steps = (
        *turned.steps,
        f"LSCF of orders up to {int(chart.order.max())}, most likely poles of {counted(len(tracks), 'mode')}",
    )
    return ModalTest(
        fit.poles, fit.shapes, fit.participation, turned.outputs, turned.inputs, deviations, evidence, narrow,
        turned, fit.model(), chart, turned.span, findings, status, steps,
    )  # fmt: skip


def _strength(fit: Fit, r: int) -> float:
    """Energy of a mode beside that which noise would put into its parameters."""
    energy = float(np.sum(np.abs(fit.of_mode(r) / fit.lines.sigma) ** 2))
    return energy / (fit.lines.H.shape[1] + 1)


def _evidence(turned: FrequencyResponse, fit: Fit, tracks: Sequence[PoleTrack]) -> dict[str, np.ndarray]:
    """Standard errors (k, 2) of frequencies and damping ratios by what they come from."""
    found = {"noise": errors_of(fit.poles, fit.covariance())}
    between = fit.between_points()
    if between is not None:
        found["points"] = errors_of(fit.poles, np.diag(between[1]))
    if turned.left_out is not None:
        again = np.array([fit.poles_from(H) for H in turned.left_out])
        values = np.stack([frequency_of(again), ratio_of(again)], axis=2)  # (r, k, 2)
        r = len(values)
        found["repeats"] = np.sqrt((r - 1) / r * np.sum((values - values.mean(axis=0)) ** 2, axis=0))
    found["scatter"] = np.array([t.scatter for t in tracks])
    return found


def _misfit(turned: FrequencyResponse, fit: Fit) -> tuple[np.ndarray, list[Finding]]:
    """By which factor errors near every mode exceed the noise, where that is no chance (k,)."""
    factors, findings = [], []
    f, error = turned.frequency, np.abs(fit.error) ** 2
    for r, p in enumerate(fit.poles):
        near = np.abs(f - p.imag / (2 * np.pi)) < max(5 * abs(p.real) / np.pi, 5 * turned.resolution)
        count = near.sum() * error.shape[1] * error.shape[2]
        excess = float(error[near].mean()) if count else 1.0
        chance = 1 + MISFIT * np.sqrt(max(1.0, _shared_lines(turned)) / max(count, 1))
        factors.append(np.sqrt(excess) if excess > chance else 1.0)
        if excess > chance and turned.variance is not None and excess > 2:
            message = f"near mode {r + 1} the fit is off by {np.sqrt(excess):.2g} times the noise"
            advice = "look for another mode nearby, or for hits and points that differ; its error bar was widened"
            findings.append(Finding("misfit", "", f"at {p.imag / 2 / np.pi:.5g} Hz", excess, message, advice))
    return np.array(factors), findings


def _shared_lines(turned: FrequencyResponse) -> float:
    """How many errors count as one: neighbouring lines under a window, all points under the noise of a force."""
    if turned.noise is None:
        return 1.0
    return shared_lines(turned.noise.window) * turned.H.shape[1]


def _narrow(turned: FrequencyResponse, poles: np.ndarray, good: np.ndarray) -> list[Finding]:
    lines = half_power_lines(turned, poles)
    return [
        Finding(
            "unresolved damping", "", f"at {p.imag / 2 / np.pi:.6g} Hz", float(lines[r]),
            f"the half-power band of mode {r + 1} holds {lines[r]:.1f} lines: its damping is at the resolution limit",
            "record for longer, or take the damping as an upper bound", Severity.WARNING,
        )
        for r, p in enumerate(poles) if not good[r]
    ]  # fmt: skip


def _mean_of_points(fit: Fit, evidence: dict[str, np.ndarray]) -> Fit:
    """Modes in whose frequency points disagree have the mean of what points say: not noise sets them apart."""
    between = fit.between_points()
    apart = _apart(evidence)
    steps = between[0].view(complex) if between is not None else np.zeros(len(fit.poles))
    return Fit(fit.lines, fit.poles + np.where(apart > DISAGREE, steps, 0.0), fit.participation)


def _apart(evidence: dict[str, np.ndarray]) -> np.ndarray:
    """Scatter of the frequencies between points by what noise explains (k,)."""
    return evidence["points"][:, 0] / np.maximum(evidence["noise"][:, 0], 1e-300)


def _disagreement(poles: np.ndarray, evidence: dict[str, np.ndarray], points: int) -> list[Finding]:
    if "points" not in evidence or points < FEW:
        return []
    ratio = _apart(evidence)
    return [
        Finding(
            "points disagree", "", f"at {p.imag / 2 / np.pi:.6g} Hz", float(ratio[r]),
            f"points differ in the frequency of mode {r + 1}, {ratio[r]:.1f} times as much as noise explains",
            "the structure drifted, or moving sensors loaded it", Severity.WARNING,
        )
        for r, p in enumerate(poles) if ratio[r] > DISAGREE
    ]  # fmt: skip


def _from_peaks(response: FrequencyResponse, turned: FrequencyResponse, n: int | None) -> ModalTest:
    found = peaks(turned, n)
    good = resolved(turned, found.poles) & (half_power_lines(turned, found.poles) >= 4)
    status = TestStatus.NOTHING if not len(good) else TestStatus.FOUND if good.all() else TestStatus.UNRESOLVED
    findings = (*turned.findings, *checked(response), *_narrow(turned, found.poles, good))
    return ModalTest(
        found.poles, found.shapes, np.ones((len(turned.inputs), len(good))), turned.outputs, turned.inputs,
        found.deviations, {"lines": found.deviations}, good, turned, None, None, turned.span, findings,
        status,
        (*turned.steps, "peaks of the summed mobility"),
    )  # fmt: skip


def _nothing(response: FrequencyResponse, turned: FrequencyResponse, chart: StabilisationChart) -> ModalTest:
    none = np.zeros(0, complex)
    return ModalTest(
        none, np.zeros((len(turned.outputs), 0)), np.zeros((len(turned.inputs), 0)), turned.outputs, turned.inputs,
        np.zeros((0, 2)), {}, np.zeros(0, bool), turned, None, chart, turned.span,
        (*turned.findings, *checked(response)), TestStatus.NOTHING, turned.steps,
    )  # fmt: skip
