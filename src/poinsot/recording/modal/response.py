"""FrequencyResponse: measured responses with what is known about their errors.

    H(s) at s = iω + a:   receptance,   s H mobility,   s² H accelerance        (theory/modal-tests, eq. 2)

a is the rate of an exponential window on force and response: the window shifts the line along which H is known, so a
model that is evaluated there has the poles of the structure, without the window's damping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from poinsot.errors import PoinsotError, listing, unknown
from poinsot.recording.finding import Finding
from poinsot.recording.modal.noise import LineNoise
from poinsot.recording.modal.points import MeasurementPoint, placed_points
from poinsot.recording.recording import Recording
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.pictures import response_panels
from poinsot.vibration.response import QUANTITIES

__all__ = ["QUANTITIES", "FrequencyResponse", "Taper", "combined"]


class Taper(StrEnum):
    """What the window did to the peaks."""

    NONE = "none"  # everything began and ended in the window, or was periodic in it: lines are exact
    TAPERED = "tapered"  # a window such as Hann's broadened them
    UNKNOWN = "unknown"  # the file does not say


@dataclass(frozen=True, eq=False)
class FrequencyResponse(Result):
    """Frequency responses of o outputs to i inputs at n frequencies."""

    frequency: np.ndarray  # (n,)  [Hz]
    H: np.ndarray  # (n, o, i) complex
    outputs: tuple[MeasurementPoint, ...]  # o
    inputs: tuple[MeasurementPoint, ...]  # i
    quantity: str = "accelerance"  # or "receptance", "mobility"
    motion_unit: str = "m"  # of the outputs' displacement, "rad" where they turn
    force_unit: str = "N"
    variance: np.ndarray | None = None  # (n, o, i) E|error of H|²; None if unknown
    coherence: np.ndarray | None = None  # (n, o) of each output with all inputs, multiple coherence  [-]
    averages: float = 1.0  # independent ones
    noise: LineNoise | None = None  # where the errors come from, if that is known
    shift: float = 0.0  # a  [1/s]
    taper: Taper = Taper.UNKNOWN
    left_out: np.ndarray | None = None  # (r, n, o, i) H without one of r repeats each
    findings: tuple[Finding, ...] = ()
    steps: tuple[str, ...] = ()

    _over, _hidden = ("frequency", "frequency"), ("noise", "left_out")
    _columns = {
        "H": (lambda r: [f"{o} / {i}" for o in r.outputs for i in r.inputs], lambda r: [r.unit] * r.H[0].size)
    }

    @classmethod
    def of(
        cls,
        recording: Recording,
        *,
        quantity: str = "",
        references: Mapping[str, str] | None = None,
        places: Mapping[str, str] | None = None,
    ) -> FrequencyResponse:
        """Responses that a file holds: a recording over frequency, one complex channel for each.

        `references` names the input of every channel, if the channels do not tell it; channels are outputs by their
        place or name. `places` are those of the points on the mechanism. All pairs of outputs and inputs must be
        there.
        """
        frequency, channels = recording.frequency, recording.channels
        said = {name: getattr(c, "reference", "") or (references or {}).get(name, "") for name, c in channels.items()}
        if any(not x for x in said.values()):
            missing = listing([name for name, x in said.items() if not x])
            raise PoinsotError(f"nothing says which input belongs to {missing}: give references={{channel: input}}")
        at = {name: c.place or name for name, c in channels.items()}
        outputs, inputs = (tuple(dict.fromkeys(x.values())) for x in (at, said))
        H = np.full((len(frequency), len(outputs), len(inputs)), np.nan, complex)
        for name in channels:
            H[:, outputs.index(at[name]), inputs.index(said[name])] = recording[name]
        if not np.isfinite(H).all():
            raise PoinsotError(
                f"some responses are missing: there should be one of {listing(outputs)} to each of {listing(inputs)}"
            )
        kinds = {channel.kind for channel in channels.values()} & set(QUANTITIES)
        quantity = quantity or (kinds.pop() if len(kinds) == 1 else "")
        if quantity not in QUANTITIES:
            raise PoinsotError(unknown("quantity", quantity, QUANTITIES))
        points = [tuple(MeasurementPoint(name) for name in group) for group in (outputs, inputs)]
        found = cls(frequency, H, points[0], points[1], quantity, steps=recording.steps)
        return found.placed(places or {})

    def panels(self) -> tuple[Panel, ...]:
        """Magnitude with its standard error, phase, and coherence where they are known."""
        names = {f"{o} / {i}": (a, b) for a, o in enumerate(self.outputs) for b, i in enumerate(self.inputs)}
        responses = {name: self.H[:, a, b] for name, (a, b) in names.items()}
        known = {} if self.variance is None else {n: np.sqrt(self.variance[:, a, b]) for n, (a, b) in names.items()}
        found = response_panels(self.frequency, responses, f"|{self.quantity}| [{self.unit}]", known)
        if self.coherence is None:
            return found
        shown = self.frequency > 0
        curves = [Curve(str(o), self.frequency[shown], self.coherence[shown, a]) for a, o in enumerate(self.outputs)]
        return (*found, LinePanel(x="frequency [Hz]", y="coherence [-]", curves=tuple(curves), log="x"))

    @property
    def s(self) -> np.ndarray:
        """Where H is known, iω + a (n,)  [1/s]."""
        return 2j * np.pi * self.frequency + self.shift

    @property
    def unit(self) -> str:
        """Unit of H."""
        return f"{self.motion_unit}{('', '/s', '/s²')[QUANTITIES[self.quantity]]}/{self.force_unit}"

    @property
    def resolution(self) -> float:
        """Distance of the lines  [Hz]."""
        return float(np.median(np.diff(self.frequency)))

    @property
    def span(self) -> tuple[float, float]:
        """First and last frequency  [Hz]."""
        return float(self.frequency[0]), float(self.frequency[-1])

    def as_quantity(self, quantity: str) -> FrequencyResponse:
        """The same as receptance, mobility or accelerance; the line at s = 0 is left out where it would be infinite.

        (theory/modal-tests, eq. 2)
        """
        if quantity not in QUANTITIES:
            raise PoinsotError(unknown("quantity", quantity, QUANTITIES))
        power = QUANTITIES[quantity] - QUANTITIES[self.quantity]
        if not power:
            return self
        known = self.lines(self.s != 0) if power < 0 else self
        factor = (known.s**power)[:, None, None]
        return replace(
            known,
            H=known.H * factor,
            quantity=quantity,
            variance=None if known.variance is None else known.variance * np.abs(factor) ** 2,
            noise=None if known.noise is None else known.noise.scaled(known.s**power),
            left_out=None if known.left_out is None else known.left_out * factor,
        )

    def between(self, low: float, high: float) -> FrequencyResponse:
        """The lines of low ≤ f ≤ high  [Hz]."""
        inside = (self.frequency >= low) & (self.frequency <= high)
        if inside.sum() < 4:
            span = f"{self.frequency[0]:g} … {self.frequency[-1]:g} Hz"
            raise PoinsotError(
                f"fewer than four lines lie between {low:g} and {high:g} Hz; there are those of {span}"
            )
        return self.lines(inside)

    def lines(self, which: np.ndarray) -> FrequencyResponse:
        """Some of the lines, by mask (n,)."""
        return replace(
            self,
            frequency=self.frequency[which],
            H=self.H[which],
            variance=None if self.variance is None else self.variance[which],
            coherence=None if self.coherence is None else self.coherence[which],
            noise=None if self.noise is None else self.noise.lines(which),
            left_out=None if self.left_out is None else self.left_out[:, which],
        )

    def placed(self, places: Mapping[str, str]) -> FrequencyResponse:
        """The same with places of points on the mechanism, such as {"acc3": "-link3.tip y"}."""
        names = {p.name for p in (*self.outputs, *self.inputs)}
        for name in places:
            if name not in names:
                raise PoinsotError(unknown("point", name, names))
        groups = [
            placed_points(group, {k: v for k, v in places.items() if k in {p.name for p in group}})
            for group in (self.outputs, self.inputs)
        ]
        return replace(self, outputs=groups[0], inputs=groups[1])

    def __str__(self) -> str:
        span = f"{self.frequency[0]:.5g} … {self.frequency[-1]:.5g} Hz, lines {self.resolution:.4g} Hz apart"
        lines = [
            f"{self.quantity} [{self.unit}] of {listing(map(str, self.outputs))} to "
            f"{listing(map(str, self.inputs))}, {span}",
            f"  {self.averages:.3g} independent averages" if self.variance is not None else "  errors unknown",
        ]
        if self.coherence is not None:
            lines.append(f"  coherence {np.median(self.coherence):.4f} in the median")
        return "\n".join([*lines, *(f"  {f}" for f in self.findings), *(f"  step: {step}" for step in self.steps)])


def combined(responses: Sequence[FrequencyResponse]) -> FrequencyResponse:
    """Tests with different inputs side by side, as of a roving hammer: same lines, same outputs."""
    first = responses[0]
    for other in responses[1:]:
        if not np.array_equal(other.frequency, first.frequency) or other.outputs != first.outputs:
            raise PoinsotError("responses are combined if they have the same frequencies and outputs")
        if other.quantity != first.quantity or other.shift != first.shift:
            raise PoinsotError("responses are combined if they are of one quantity and one exponential window")
    known = all(r.variance is not None for r in responses)
    return replace(
        first,
        H=np.concatenate([r.H for r in responses], axis=2),
        inputs=tuple(p for r in responses for p in r.inputs),
        variance=np.concatenate([r.variance for r in responses if r.variance is not None], axis=2) if known else None,
        coherence=None,
        noise=None,
        averages=min(r.averages for r in responses),
        left_out=None,
        findings=tuple(dict.fromkeys(f for r in responses for f in r.findings)),
        steps=(*first.steps, f"{len(responses)} tests were put side by side"),
    )
