"""What is wrong with measured responses: silent points, reciprocity, driving points, peaks narrower than lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poinsot.recording.finding import Finding, Severity
from poinsot.recording.modal.response import FrequencyResponse, Taper

__all__ = ["checked", "half_power_lines", "resolved"]

SILENT = 1e-12  # of the largest response
RECIPROCAL = 0.1  # of the responses: pairs that differ by more are not reciprocal
ENOUGH = {Taper.NONE: 1.0, Taper.TAPERED: 12.0, Taper.UNKNOWN: 12.0}  # lines in a half-power band


def half_power_lines(response: FrequencyResponse, poles: np.ndarray) -> np.ndarray:
    """How many lines the half-power band −2 Re p/2π of each pole (k,) holds  [-]."""
    return -2 * np.real(poles) / (2 * np.pi) / response.resolution


def resolved(response: FrequencyResponse, poles: np.ndarray) -> np.ndarray:
    """Whether the lines resolve the damping of each pole (k,).

    A taper broadens a peak by (B/b)²/3, B = 1.5 lines for Hann's and b the half-power band: by half a per cent at
    twelve lines (theory/modal-tests, eq. 15). Without a taper the fit is exact down to one line.
    """
    return half_power_lines(response, poles) >= ENOUGH[response.taper]


def checked(response: FrequencyResponse) -> tuple[Finding, ...]:
    """Findings about points that do not respond; about reciprocity and driving points, where there are such pairs."""
    return (*_silent(response), *_reciprocity(response), *_driving_points(response))


def _silent(response: FrequencyResponse) -> Iterator[Finding]:
    """Points at which no line shows more than round-off of the largest response."""
    size = np.abs(response.H).max(axis=(0, 2), initial=0.0)
    for point, own in zip(response.outputs, size):
        if own <= SILENT * size.max():
            advice = "check the sensor and its cable, or leave the point out: outputs=…"
            yield Finding("no response", point.name, "", float(own), "does not respond to any force", advice)


def _place(point) -> str:
    return point.place or point.name


def _reciprocity(response: FrequencyResponse) -> Iterator[Finding]:
    """H_ab = H_ba at equal places  (theory/modal-tests, eq. 16)."""
    rows, columns = [_place(p) for p in response.outputs], [_place(p) for p in response.inputs]
    for a, place in enumerate(columns):
        for b in range(a + 1, len(columns)):
            if place not in rows or columns[b] not in rows:
                continue
            ab, ba = (rows.index(place), b), (rows.index(columns[b]), a)
            signs = [response.outputs[o].sign * response.inputs[i].sign for o, i in (ab, ba)]
            one, two = (sign * response.H[:, o, i] for sign, (o, i) in zip(signs, (ab, ba)))
            size = np.sqrt(np.mean(np.abs(one) ** 2 + np.abs(two) ** 2) / 2)
            noise = 0.0
            if response.variance is not None:
                noise = float(np.sqrt(np.mean(response.variance[:, *ab] + response.variance[:, *ba]))) / size
            off = float(np.sqrt(np.mean(np.abs(one - two) ** 2)) / size)
            if off > max(RECIPROCAL, 3 * noise):
                message = f"not reciprocal: from '{columns[b]}' to '{place}' and back differ by {100 * off:.0f} %"
                against = float(np.sqrt(np.mean(np.abs(one + two) ** 2)) / size)
                advice = "one of the signs is wrong" if against < off / 3 else "check gains, places and directions"
                yield Finding("not reciprocal", response.outputs[ab[0]].name, "", off, message, advice)


def _driving_points(response: FrequencyResponse) -> Iterator[Finding]:
    """A force does work where it acts: Im(accelerance) ≥ 0 at its own point  (theory/modal-tests, eq. 17)."""
    accelerance = response.as_quantity("accelerance")
    for i, source in enumerate(response.inputs):
        for o, point in enumerate(response.outputs):
            if _place(point) != _place(source):
                continue
            h = -np.imag(accelerance.H[:, o, i]) * point.sign * source.sign
            strong = np.abs(h) > 0.1 * np.abs(h).max(initial=0.0)  # about the peaks
            wrong = float(np.sum(h[strong & (h > 0)]) / max(np.sum(np.abs(h[strong])), 1e-300))
            if wrong > 0.9:
                message = "the force seems to take work out of its own point at every resonance"
                advice = f"turn its sign: places={{'{point.name}': '-{_place(point)}'}}"
                yield Finding("sign of driving point", point.name, "", wrong, message, advice)
            elif wrong > 0.1:
                message = f"no driving point: at {100 * wrong:.0f} % of its resonances the force takes work out"
                advice = "check that hammer and sensor are at one point and in one direction"
                yield Finding("no driving point", point.name, "", wrong, message, advice, Severity.WARNING)
