"""A modal test from recordings of responses alone, under forces that nobody measured but that are wide-band noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing, one_or_more_names
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.modal.arguments import one_of, places_of, records_of
from poinsot.recording.modal.estimate import even_block
from poinsot.recording.modal.output_only.subspace import (
    Correlations,
    SubspaceModes,
    correlations,
    subspace_chart,
    subspace_modes,
)
from poinsot.recording.modal.points import MeasurementPoint, placed_points
from poinsot.recording.modal.record import ModalTest, TestStatus
from poinsot.recording.modal.stabilisation import (
    Limits,
    StabilisationChart,
    chosen_tracks,
    frequency_of,
    nearest_tracks,
    ratio_of,
)
from poinsot.recording.recording import Recording

__all__ = ["output_only_test"]

SURE = 3.0  # standard errors by which a damping ratio is above zero
WIDE = 0.01, 0.4  # default band: of its upper end, of the sampling rate


def output_only_test(
    measured: Any,
    band: tuple[float, float] | None,
    n: int | None,
    frequencies: Sequence[float] | None,
    order: int | None,
    limits: Limits,
    options: Mapping[str, Any],
) -> ModalTest:
    """Modes from responses over time; `options` are outputs, references and places."""
    records = records_of(measured)
    for name in options:
        one_of(name, ("outputs", "places", "references"), "argument of an output-only test")
    names, references = _channels(records, **{k: v for k, v in options.items() if k != "places"})
    blocks = [even_block(record, (), names) for record in records]
    rates = [1 / float(np.median(np.diff(block.t))) for block in blocks]
    if np.ptp(rates) > 1e-6 * rates[0]:
        raise PoinsotError(f"recordings of one test have one sampling rate, not {min(rates):g} … {max(rates):g} Hz")
    low, high = band or (WIDE[0] * WIDE[1] * rates[0], WIDE[1] * rates[0])
    if not 0 < low < high < rates[0] / 2:
        raise PoinsotError(f"the band must lie between 0 and half the sampling rate, {rates[0] / 2:g} Hz")
    given = correlations([block.response for block in blocks], rates[0], (low, high), references)
    chart, orders = subspace_chart(given, (low, high), order, limits)
    points = placed_points((MeasurementPoint(name, records[0].channels[name].place) for name in names),
                           places_of(options.get("places") or {}))  # fmt: skip
    chosen = nearest_tracks(chart, frequencies) if frequencies is not None else chosen_tracks(chart, orders, n)
    steps = (*records[0].steps, f"SSI of orders up to {2 * orders}, correlations over {given.lag:.3g} s")
    found = subspace_modes(given, chosen, n is not None or frequencies is not None)
    return _test(given, chart, points, (low, high), steps, found)


def _channels(
    records: Sequence[Recording], outputs: Any = None, references: Any = None
) -> tuple[tuple[str, ...], list[int]]:
    """Names of the responses, and which of them are references."""
    names = tuple(records[0]) if outputs is None else one_or_more_names(outputs, "outputs")
    chosen = names if references is None else one_or_more_names(references, "references")
    for name in names:
        one_of(name, list(records[0]), "channel")
    for name in chosen:
        one_of(name, names, "reference")
    about = [records[0].channels[name] for name in names]
    if not names or len({(channel.kind, channel.unit) for channel in about}) > 1:
        said = listing([f"{channel.name} [{channel.unit or '?'}]" for channel in about])
        raise PoinsotError(f"responses alone must be of one quantity, not {said}: name them by outputs=")
    return names, [names.index(name) for name in chosen]


def _test(
    given: Correlations,
    chart: StabilisationChart,
    points: tuple[MeasurementPoint, ...],
    band: tuple[float, float],
    steps: tuple[str, ...],
    found: SubspaceModes,
) -> ModalTest:
    poles, deviations, k = found.poles, found.deviations, len(found.poles)
    sure = ratio_of(poles) > SURE * deviations[:, 1]
    status = TestStatus.NOTHING if not k else TestStatus.FOUND if sure.all() else TestStatus.UNRESOLVED
    return ModalTest(
        poles, found.shapes, np.ones((0, k)), points, (), deviations, {"noise": deviations}, sure, None, None, chart,
        band, _undamped(poles, deviations, sure, given.length), status, steps, found.shape_deviations,
    )  # fmt: skip


def _undamped(poles: np.ndarray, deviations: np.ndarray, sure: np.ndarray, length: float) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            "unresolved damping", "", f"at {frequency_of(p):.6g} Hz", float(ratio_of(p) / deviations[r, 1]),
            f"the damping of mode {r + 1} is {100 * ratio_of(p):.2g} ± {100 * deviations[r, 1]:.2g} %: "
            f"{length:.3g} s do not resolve it",
            "record for longer; a machine that turns at this frequency would look the same", Severity.WARNING,
        )
        for r, p in enumerate(poles) if not sure[r]
    )  # fmt: skip
