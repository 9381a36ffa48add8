"""Frequency responses from recordings of excitation and response: hammer or shaker, by blocks or by segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poinsot.errors import PoinsotError, counted, number_of, one_line, one_or_more_names
from poinsot.recording.finding import Finding
from poinsot.recording.modal.arguments import not_negative, one_of, places_of, records_of
from poinsot.recording.modal.hits import HitBlock, hit_blocks, overloads, suited_decay, undecayed
from poinsot.recording.modal.points import MeasurementPoint
from poinsot.recording.modal.response import QUANTITIES, FrequencyResponse, Taper
from poinsot.recording.modal.spectra import ESTIMATORS, Spectra, spectra
from poinsot.recording.recording import RecordedChannel, Recording

__all__ = ["even_block", "frequency_response"]

KINDS = {"position": "receptance", "velocity": "mobility", "acceleration": "accelerance"}
UNEVEN = 1e-3  # of a sample's distance: clocks that jitter by more must be resampled first


def frequency_response(
    recording: Recording | Sequence[Recording],
    input: str | Sequence[str],
    outputs: str | Sequence[str] | None = None,
    *,
    estimator: str = "H1",
    hits: bool = False,
    segment: float | None = None,
    lead: float = 0.01,
    window: str | None = None,
    overlap: float | None = None,
    decay: float | None = None,
    quantity: str = "",
    places: Mapping[str, str] | None = None,
) -> FrequencyResponse:
    """Frequency responses of outputs to inputs, with coherence and the variance of every line.

    `recording` is one recording, or one for each hit, burst or period; `input` names the channels of forces,
    `outputs` those of responses (default: all others). `estimator` is "H1" (noise on outputs), "H2" (noise on the
    input) or "Hv" (both).

    `hits` says that a hammer was used: a single recording is cut at its hits, `segment` [s] long and `lead` [s]
    before each; double and overloaded hits are found and left out, the noise about the pulses is dropped. Without it
    a `segment` [s] cuts recordings into segments. `window` is any of scipy.signal's; by default "hann" with an
    `overlap` of a half where recordings are cut into segments, and none where everything begins and ends in a
    recording. `window="boxcar"` with a segment of whole periods suits periodic excitation. `decay` a [1/s] puts
    e^(−at) over force and response, and its damping is taken off again; by default for hits as fast as the records
    need. `quantity` is "receptance", "mobility" or
    "accelerance", by default as the units tell; `places` are those of channels on the mechanism, such as
    {"acc3": "-link3.tip y"}.

    >>> import numpy as np
    >>> t = np.arange(4000) / 1000.0
    >>> f, y = np.random.default_rng(0).normal(size=(2, 4000))
    >>> rec = Recording.of(t, {"f": f, "y": 2 * f + 0.1 * y}, units={"f": "N", "y": "m/s²"})
    >>> found = frequency_response(rec, "f", segment=0.5)
    >>> bool(abs(np.mean(found.H.real) - 2) < 0.02), found.unit
    (True, 'm/s²/N')
    """
    records = records_of(recording)
    one_of(estimator, ESTIMATORS, "estimator")
    one_of(quantity, ("", *QUANTITIES), "quantity")
    segment = None if segment is None else number_of(segment, "the length of a segment")
    forces, wanted = _channels(records, input, outputs)
    names = (*forces, *wanted)
    blocks, findings, rate = _prepared(
        [even_block(r, forces, wanted) for r in records], names, hits, segment, lead, decay
    )
    cut = segment is not None and hits is not True
    w, shared = _window(blocks, segment if cut else None, window, overlap, rate)
    averaged = spectra(blocks, w, shared)
    if len(averaged.X) < len(forces):
        raise PoinsotError(f"{len(forces)} inputs need at least as many segments, not {len(averaged.X)}")
    found = _estimated(averaged, estimator, w, w * _force_window(blocks, len(w)), records[0], names)
    taper = Taper.NONE if window == "boxcar" or (window is None and not cut) else Taper.TAPERED
    quantity = _quantity([records[0].channels[name] for name in wanted], quantity)
    found = replace(found, quantity=quantity, shift=rate, taper=taper, findings=tuple(findings))
    return found.placed(places_of(places))


def _prepared(
    blocks: list[HitBlock], names: Sequence[str], hits: bool, segment: float | None, lead: float, decay: float | None
) -> tuple[list[HitBlock], list[Finding], float]:
    """Blocks that can be used, what is wrong with the others, and the rate of the exponential window  [1/s]."""
    rate = None if decay is None else not_negative(decay, "the decay of an exponential window")
    if hits is not True:
        return blocks, [found for block in blocks for found in overloads(block, names)], rate or 0.0
    blocks, findings = hit_blocks(blocks, names, segment, not_negative(lead, "the lead"))
    rate = suited_decay(blocks) if rate is None else rate
    return blocks, [*findings, *undecayed(blocks, rate)], rate


def _channels(
    records: Sequence[Recording], input: str | Sequence[str], outputs: str | Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the forces and of the responses."""
    forces = one_or_more_names(input, "inputs")
    others = tuple(name for name in records[0] if name not in forces)
    wanted = others if outputs is None else one_or_more_names(outputs, "outputs")
    if not forces or not wanted:
        raise PoinsotError("a frequency response needs at least one input and one output")
    return forces, wanted


def _estimated(
    averaged: Spectra,
    estimator: str,
    window: np.ndarray,
    force_window: np.ndarray,
    record: Recording,
    names: Sequence[str],
) -> FrequencyResponse:
    """Responses with what their spectra tell about errors."""
    i = averaged.X.shape[2]
    H = averaged.response(estimator)
    noise = averaged.noise(window, force_window) if estimator == "H1" else None
    variance = averaged.relative_variance(estimator) if noise is None else noise.variance(H)
    about = [record.channels[name] for name in names]
    points = tuple(MeasurementPoint(channel.name, channel.place) for channel in about)
    return FrequencyResponse(
        averaged.frequency,
        H,
        points[i:],
        points[:i],
        motion_unit="rad" if about[-1].unit.startswith("rad") else "m",
        force_unit=about[0].unit or "N",
        variance=variance,
        coherence=averaged.coherence() if len(averaged.X) > i else None,
        averages=averaged.averages,
        noise=noise,
        left_out=averaged.left_out(estimator),
        steps=(
            *record.steps,
            f"{estimator} of {counted(len(averaged.X), 'block')} of {counted(len(window), 'sample')}",
        ),
    )


def even_block(record: Recording, forces: Sequence[str], outputs: Sequence[str]) -> HitBlock:
    """Samples of channels whose clock is even and that are all there."""
    t = record.require_times()
    step = np.diff(t)
    if len(t) < 8 or np.ptp(step) > UNEVEN * np.median(step):
        raise PoinsotError("spectra need an even clock: resample the recording first (recording.filtering.resample)")
    table = record.table((*forces, *outputs))
    if not np.isfinite(table).all():
        bad = [n for n in (*forces, *outputs) if not record.mask(n).all()]
        raise PoinsotError(f"spectra need all samples, and some of '{bad[0]}' are masked: fill or cut them out first")
    return HitBlock(t, table[:, : len(forces)], table[:, len(forces) :])


def _force_window(blocks: Sequence[HitBlock], N: int) -> np.ndarray:
    """Which part of the blocks has force noise at every sample (N,)."""
    return np.sqrt(np.mean([block.force_window[:N] for block in blocks], axis=0))


def _window(
    blocks: Sequence[HitBlock], segment: float | None, window: str | None, overlap: float | None, decay: float
) -> tuple[np.ndarray, float]:
    """The window (N,) of every segment, and by which part they overlap."""
    from scipy.signal import get_window

    rate = 1 / float(np.median(np.diff(blocks[0].t)))
    shortest = min(len(block.t) for block in blocks)
    N = shortest if segment is None else round(min(segment * rate, 1e12))
    if not 8 <= N <= shortest:
        raise PoinsotError(f"a segment of {N} samples does not fit: the shortest record has {shortest}")
    form = ("boxcar" if segment is None else "hann") if window is None else window
    try:
        w = np.asarray(get_window(form if isinstance(form, str) else "", N), float)
    except (ValueError, TypeError):
        known = "boxcar, hann, hamming …"
        raise PoinsotError(f"scipy.signal knows no window '{one_line(str(form), 40)}'; there are {known}") from None
    if overlap is None:
        overlap = 0.5 if segment is not None and form != "boxcar" else 0.0
    overlap = not_negative(overlap, "the overlap", 0.95)
    return w * np.exp(-decay * np.arange(N) / rate), overlap


def _quantity(outputs: Sequence[RecordedChannel], quantity: str) -> str:
    if quantity:
        return quantity
    rates = {"m": 0, "rad": 0, "m/s": 1, "rad/s": 1, "m/s²": 2, "rad/s²": 2}
    found = set()
    for channel in outputs:
        if channel.kind in KINDS:
            found.add(KINDS[channel.kind])
        elif channel.unit in rates:
            found.add(list(QUANTITIES)[rates[channel.unit]])
    if len(found) != 1:
        raise PoinsotError(
            "the outputs do not tell one quantity: give quantity='accelerance', 'mobility' or 'receptance'"
        )
    return found.pop()
