"""Recording: named channels over one clock, with units, masks, where they come from and what was done to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from poinsot.errors import PoinsotError, listing, one_line, one_or_more_names, unknown
from poinsot.model.quantities.times import samples, seconds
from poinsot.recording.finding import Finding, Severity, places, spans
from poinsot.recording.units import kept_in_si
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.panels import with_unit

__all__ = ["Axis", "Clock", "RecordedChannel", "Recording", "Source"]


class Axis(StrEnum):
    """What a recording is over."""

    TIME = "time"
    FREQUENCY = "frequency"


class Clock(StrEnum):
    """Where the times come from."""

    RECORDED = "recorded"  # a column of the file
    ASSUMED = "assumed"  # a rate that the user or the file's header gives
    COUNTED = "counted"  # neither: samples are counted, and nothing can be differentiated


@dataclass(frozen=True)
class Source:
    """A file from which channels come."""

    name: str  # without its folder
    sha256: str
    format: str  # of the reader, such as "csv"


@dataclass(frozen=True)
class RecordedChannel:
    """What one column is; its samples are in the recording."""

    name: str
    unit: str = ""  # SI, or as the file has it where it is no mechanical unit; "" if nobody says
    kind: str = ""  # "position", "velocity", "acceleration", "specific force", "rate", "force" …; "" if unknown
    place: str = ""  # coordinate, joint, actuator, sensor or point of the mechanism; "" if unknown
    origin: str = ""  # column and file from which it comes
    noise: float = 0.0  # standard deviation of one sample, in the unit; 0 if unknown
    scale: tuple[float, float] = (1.0, 0.0)  # a and b of the numbers n that were given: samples are a n + b

    def given(self, value: float) -> str:
        """The number that was given for a value, in brackets, where it was another: of another unit, say."""
        a, b = self.scale
        return f" ({(value - b) / a:.9g} in the file)" if self.scale != (1.0, 0.0) and a else ""


CHANNELS = 8  # in a plot
CHANCE = 2.0  # deviations of a count
GAP = 2.5  # of the median step of a clock, beyond which samples are missing

COMPLEX = "complex numbers, which samples over time are not"
OTHERS = {"b": "truth values", "U": "texts", "S": "texts", "c": COMPLEX}  # of arrays that are no samples


def _rate_of(t: np.ndarray) -> float:
    """Samples per second at times (n,) by the mean step, a step over a lost sample being two  [Hz].

    Rounded stamps have steps of one and two units: the median is one of these, the mean lies between. Where stamps
    jitter, as many steps are too short as too long, and none is two.
    """
    steps = np.diff(t)
    step = float(np.median(steps))
    if not step > 0:
        return float("inf")
    steps = steps[steps <= GAP * step]
    for _ in range(2):
        usual = float(np.mean(steps[steps < 2.5 * step]))
        count = np.round(steps / usual)
        long, short = np.count_nonzero(count > 1), np.count_nonzero(count < 1)
        jitters = short > 0 and long - short <= CHANCE * np.sqrt(long + short)
        step = float(np.sum(steps) / (len(steps) if jitters else np.sum(count)))
    return 1 / step


@dataclass(frozen=True, eq=False)
class Recording(Result):
    """n samples of k channels. A sample that was not taken, or is not to be used, is NaN and masked.

    >>> rec = Recording.of([0.0, 0.1, 0.2], {"leg1": [1.0, 1.1, 1.3]}, units={"leg1": "m"})
    >>> rec["leg1"][1], rec.units["leg1"], len(rec)
    (np.float64(1.1), 'm', 3)
    """

    abscissa: np.ndarray  # (n,) times [s] or frequencies [Hz]
    values: Mapping[str, np.ndarray]  # by channel (n,), NaN where masked; complex over frequency
    channels: Mapping[str, RecordedChannel]
    clock: Clock = Clock.RECORDED
    axis: Axis = Axis.TIME
    sources: tuple[Source, ...] = ()
    steps: tuple[str, ...] = ()  # everything that was done to it, one sentence each
    findings: tuple[Finding, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)  # single numbers and texts of the file, by name

    _columns = {"values": ("", "channel")}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"t" if self.axis is Axis.TIME else "frequency": self.abscissa}

    def panels(self) -> tuple[Panel, ...]:
        """Channels below each other, with what was found in them; magnitudes over frequency."""
        shown = [*self.channels][:CHANNELS]
        found = []
        for name in shown:
            y, told = self.values[name], [f for f in self.findings if f.channel in (name, "", "t")]
            complex_ = np.iscomplexobj(y)
            own = [(f"{f.severity}: {f.code}", "more places" in f.where) for f in told if f.channel == name]
            title = ", ".join(dict.fromkeys(f"{said} (first places marked)" if more else said for said, more in own))
            found.append(
                LinePanel(
                    x=f"{'t' if self.axis is Axis.TIME else 'frequency'} [{self._axis_unit}]",
                    y=with_unit(f"|{name}|" if complex_ else name, self.units[name] or "unit unknown"),
                    curves=(Curve(name, self.abscissa, np.abs(y) if complex_ else y),),
                    log="y" if complex_ else "",
                    shaded=tuple(span for f in told for span in places(f.where)),
                    title=title,
                )
            )
        if len(self.channels) > CHANNELS:
            said = f"first {CHANNELS} of {len(self.channels)} channels"
            found[0] = replace(found[0], title=" – ".join(part for part in (said, found[0].title) if part))
        return tuple(found)

    @classmethod
    def of(
        cls,
        t: Any,
        values: Mapping[str, Any],
        *,
        units: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
        places: Mapping[str, str] | None = None,
        noise: Mapping[str, float] | None = None,
        **more: Any,
    ) -> Recording:
        """A recording of arrays (n,) by name over times t (n,) [s], in units that the user gives; kept in SI.

        `noise` is in the same units. Infinite samples are masked, with a finding.
        """
        t = _samples("the clock", t, seconds).astype(float)
        real = more.get("axis", Axis.TIME) is Axis.TIME
        columns = {name: _samples(f"channel '{name}'", column, real=real) for name, column in values.items()}
        for name, column in columns.items():
            if column.shape != t.shape or t.ndim != 1:
                raise PoinsotError(f"channel '{name}' has {column.shape} samples, the clock {t.shape}")
        if np.any(wrong := ~(np.diff(t, prepend=-np.inf) > 0)):
            k = int(np.argmax(wrong))
            raise PoinsotError(f"the clock must grow from sample to sample: sample {k} is at {t[k]:g} s")
        about, steps = {}, list(more.pop("steps", ()))
        for name, given in columns.items():
            factor, unit = kept_in_si(written := _text("unit", name, units))
            if factor != 1:
                columns[name] = given * factor
                steps.append(f"channel '{name}' from {written} to {unit}")
            kind, place = _text("kind", name, kinds), _text("place", name, places)
            about[name] = RecordedChannel(
                name, unit, kind, place, noise=factor * _noise(name, noise), scale=(factor, 0.0)
            )
        found = [f for name, column in columns.items() for f in _masked_infinite(name, t, column)]
        for column in (t, *columns.values()):
            column.setflags(write=False)
        return cls(t, columns, about, steps=tuple(steps), **more).with_findings(found)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all samples."""
        found = hashlib.sha256(np.ascontiguousarray(self.abscissa).tobytes())
        for name in sorted(self.values):
            found.update(name.encode() + np.ascontiguousarray(self.values[name]).tobytes())
        return found.hexdigest()

    @property
    def t(self) -> np.ndarray:
        """Times (n,)  [s]."""
        if self.axis is not Axis.TIME:
            raise PoinsotError("this recording is over frequency, not over time: its abscissa is .frequency")
        return self.abscissa

    @property
    def frequency(self) -> np.ndarray:
        """Frequencies (n,)  [Hz]."""
        if self.axis is not Axis.FREQUENCY:
            raise PoinsotError("this recording is over time, not over frequency: its abscissa is .t")
        return self.abscissa

    @property
    def units(self) -> dict[str, str]:
        """Unit of every channel."""
        return {name: channel.unit for name, channel in self.channels.items()}

    @property
    def rate(self) -> float:
        """Samples per second, from all steps of the clock that are no gaps  [Hz]."""
        return _rate_of(self.t) if len(self) > 1 else float("nan")

    def __len__(self) -> int:
        return len(self.abscissa)

    def __iter__(self) -> Iterator[str]:
        return iter(self.channels)

    def __contains__(self, name: object) -> bool:
        return name in self.channels

    def __getitem__(self, name: str) -> np.ndarray:
        """Samples of a channel (n,), NaN where masked."""
        if not isinstance(name, str) or name not in self.values:
            raise PoinsotError(unknown("channel", name, self.channels))
        return self.values[name]

    def mask(self, name: str) -> np.ndarray:
        """Which samples of a channel can be used (n,)."""
        return np.isfinite(self[name])

    def table(self, names: Iterable[str] | str | None = None) -> np.ndarray:
        """Samples (n, k) of some channels, of all by default, in the order of the names."""
        wanted = self._named(names)
        return np.stack([self[name] for name in wanted], axis=1) if wanted else np.zeros((len(self), 0))

    def only(self, names: Iterable[str] | str) -> Recording:
        """The same with some of the channels."""
        wanted = self._named(names)
        picked = {name: self.values[name] for name in wanted}
        return replace(self, values=picked, channels={name: self.channels[name] for name in wanted})

    def between(self, begin: float, end: float) -> Recording:
        """The part of begin ≤ abscissa ≤ end; ±∞ are its own ends."""
        if (begin, end) == (-np.inf, np.inf):
            return self
        inside = (self.abscissa >= begin) & (self.abscissa <= end)
        if not inside.any():
            raise PoinsotError(
                f"nothing was recorded {_part(begin, end)}: it is over {_range(self.abscissa)} {self._axis_unit}"
            )
        return self.rows(inside, f"the part {_part(begin, end)} {self._axis_unit} was taken")

    def rows(self, which: np.ndarray, step: str) -> Recording:
        """Some of the samples, by mask (n,) or index; `step` says what was done."""
        values = {name: column[which] for name, column in self.values.items()}
        return replace(self, abscissa=self.abscissa[which], values=values, steps=(*self.steps, step))

    def masked(self, which: np.ndarray, step: str, names: Iterable[str] | str | None = None) -> Recording:
        """Samples of some channels, by mask (n,) or index, are left out of use; `step` says why."""
        values = dict(self.values)
        for name in self._named(names):
            values[name] = np.array(values[name])
            values[name][which] = np.nan
        return replace(self, values=values, steps=(*self.steps, step))

    def with_channels(
        self,
        values: Mapping[str, np.ndarray],
        channels: Mapping[str, RecordedChannel],
        step: str = "",
    ) -> Recording:
        """The same with further channels, or others under the same names."""
        for name, column in values.items():
            if np.shape(column) != self.abscissa.shape:
                raise PoinsotError(
                    f"channel '{name}' has {np.shape(column)} samples, the clock {self.abscissa.shape}"
                )
        steps = (*self.steps, step) if step else self.steps
        return replace(self, values={**self.values, **values}, channels={**self.channels, **channels}, steps=steps)

    def with_findings(self, findings: Iterable[Finding]) -> Recording:
        """The same with further findings."""
        return replace(self, findings=(*self.findings, *findings))

    def renamed(self, names: Mapping[str, str]) -> Recording:
        """Channels under other names, by the old ones."""
        for name in names:
            self[name]
        new = {name: names.get(name, name) for name in self.channels}
        if len(set(new.values())) < len(new):
            raise PoinsotError("two channels would have one name")
        channels = {new[name]: replace(c, name=new[name]) for name, c in self.channels.items()}
        return replace(self, values={new[name]: v for name, v in self.values.items()}, channels=channels)

    def require_times(self) -> np.ndarray:
        """Times (n,) [s], if something is known about them."""
        if self.clock is Clock.COUNTED:
            raise PoinsotError("the recording has no clock: name its time column (time=…) or give its rate= in Hz")
        return self.t

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Findings that make results wrong if nothing is done."""
        return tuple(f for f in self.findings if f.severity is Severity.ERROR and not f.mended)

    def _named(self, names: Iterable[str] | str | None) -> tuple[str, ...]:
        wanted = tuple(self.channels) if names is None else one_or_more_names(names, "channels")
        for name in wanted:
            self[name]
        return wanted

    @property
    def _axis_unit(self) -> str:
        return "s" if self.axis is Axis.TIME else "Hz"

    def __str__(self) -> str:
        files = f" from {listing([s.name for s in self.sources], 4)}" if self.sources else ""
        over = f"{_range(self.abscissa)} {self._axis_unit}"
        clock = f", {self.rate:.6g} Hz, clock {self.clock}" if self.axis is Axis.TIME and len(self) > 1 else ""
        count = f"{len(self.channels)} channel{'s' * (len(self.channels) != 1)}"
        lines = [f"{len(self)} samples of {count} over {over}{clock}{files}"]
        for name, channel in self.channels.items():
            good = np.abs(self.values[name]) if np.iscomplexobj(self.values[name]) else self.values[name]
            good = good[np.isfinite(good)]
            about = " ".join(part for part in (channel.kind, f"of {channel.place}" if channel.place else "") if part)
            lost = len(self) - good.size
            left_out = f", {lost} sample{'s' * (lost > 1)} masked" if lost else ""
            extent = f"{_range(np.array([good.min(), good.max()]))}" if good.size else "no samples"
            lines.append(f"  {name}  {extent} {channel.unit or '(unit unknown)'}  {about}{left_out}".rstrip())
        lines += [f"  {finding}" for finding in self.findings]
        return "\n".join([*lines, *(f"  step: {step}" for step in self.steps)])


def _samples(
    what: str, column: Any, as_numbers: Callable[[Any], np.ndarray] = samples, real: bool = True
) -> np.ndarray:
    """A copy of a column as numbers, real ones over time; `what` it is, for errors."""
    try:
        other = OTHERS.get(np.asarray(column).dtype.kind, "")
        if other and (real or other != COMPLEX):
            raise PoinsotError(f"{what} holds {other}; give numbers: {one_line(repr(column), 60)}")
        return np.array(as_numbers(column))
    except (TypeError, ValueError):
        raise PoinsotError(f"{what} holds something else than numbers: {one_line(repr(column), 60)}") from None


def _text(what: str, name: str, given: Mapping[str, Any] | None) -> str:
    """The unit, kind or place of a channel; "" where none is told."""
    found = (given or {}).get(name)
    if found is not None and not isinstance(found, str):
        raise PoinsotError(f"the {what} of channel '{name}' must be a text, not {one_line(repr(found), 40)}")
    return found or ""


def _noise(name: str, given: Mapping[str, Any] | None) -> float:
    """Standard deviation of the noise of a channel, in its unit; 0 where none is told."""
    found = (given or {}).get(name)
    if found is not None and not (isinstance(found, Real) and 0 <= float(found) < np.inf):
        what = one_line(repr(found), 40)
        raise PoinsotError(f"the noise of channel '{name}' must be a number from 0 upwards, not {what}")
    return float(found or 0.0)


def _masked_infinite(name: str, t: np.ndarray, x: np.ndarray) -> Iterator[Finding]:
    """The finding that samples of x (n,) are infinite, if some are; they become NaN."""
    at = np.flatnonzero(np.isinf(x))
    if len(at):
        x[at] = np.nan
        message = f"{len(at)} of {len(x)} samples {'is' if len(at) == 1 else 'are'} infinite, and masked"
        advice = "see where numbers were divided by 0 or overflowed"
        yield Finding("infinite", name, spans(t, at), len(at), message, advice, mended=True)


def _part(begin: float, end: float) -> str:
    """Where a part begins and ends."""
    ends = ("from", begin, -np.inf), ("to", end, np.inf)
    return " ".join(f"{word} {x:g}" for word, x, open_ in ends if x != open_)


def _range(x: np.ndarray) -> str:
    return f"{x[0] + 0.0:.6g} … {x[-1] + 0.0:.6g}" if len(x) else "nothing"
