"""Fit and prediction: how well the values explain each channel, in the runs they come from and in others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError, unknown
from poinsot.estimate.residuals import robust_deviation, whiteness
from poinsot.results import Curve, LinePanel, Panel, Result
from poinsot.results.panels import with_unit

CHANNELS = 4  # in a plot
OUTLIER = 4.0  # standard deviations, by the median
GENERALISES = 1.5  # residual of held-out runs, over that of the identified ones, up to which a channel is predicted
CONSTANT = 0.999  # residual over a channel's deviation, from which on a constant does as well
MOST, COURSE = 0.7, 0.8  # residual over a channel's deviation, its correlation: white noise has 0.55 behind a filter
FEW, EXPLAINED = 5, 0.1  # samples, and residual over their deviation, from which on fewer do not tell it
NOISE, SCATTER = 0.55, 2.5  # of white noise, and deviations of it over √n that chance makes
RARE = 1e-3  # chance of a larger ratio of residuals that are alike
OWN = 1.1  # times the noise of a channel, up to which a residual is no more than that


@dataclass(frozen=True)
class ChannelFit:
    """How well one channel is explained."""

    channel: str
    unit: str
    rms: float  # of the residual, in the unit
    relative: float  # residual over the channel's deviation; 1 is as good as a constant; NaN of a few alike
    of_norm: float  # ‖residual‖ / ‖channel‖
    correlation: float  # of residuals one sample apart; 0 is white
    outliers: float  # share of samples beyond four standard deviations
    silent: bool = False  # whether the model predicts zero whatever the values: it says nothing of them
    noise: float = 0.0  # standard deviation of a sample's noise, in the unit; 0: unknown

    @property
    def column(self) -> str:
        """Its name in a recording."""
        return self.channel.removeprefix("sensor ")

    @property
    def constant(self) -> bool:
        """Whether a constant would do as well, where the model predicts anything."""
        return self.judged and self.relative >= CONSTANT

    @property
    def unexplained(self) -> bool:
        """Whether most of it is left, and is no noise: what is left has a course of its own."""
        return self.judged and not self.constant and self.leaves(MOST, COURSE)

    def leaves(self, share: float, correlation: float) -> bool:
        """Whether more is left than a share of its deviation and than its own noise, with a course of its own."""
        return self.relative > share and self.correlation > correlation and self.rms > OWN * self.noise

    @property
    def sampled(self) -> bool:
        """Whether these runs have samples of it: differences of two runs, say, where one has nothing to subtract."""
        return bool(np.isfinite(self.rms))

    @property
    def judged(self) -> bool:
        """Whether it says anything of the values."""
        return self.sampled and not self.silent


@dataclass(frozen=True, eq=False)
class RunFit(Result):
    """Channels of some runs as measured and as the values predict them."""

    runs: tuple[str, ...]
    channels: tuple[ChannelFit, ...]  # c
    t: tuple[np.ndarray, ...]  # by run (n,)  [s]
    measured: tuple[np.ndarray, ...]  # by run (n, c)
    predicted: tuple[np.ndarray, ...]  # by run (n, c)
    spare: np.ndarray  # (c,) samples beyond those that were taken up by what was fitted to them
    over: str = "t [s]"  # what t is, where it is not time

    _hidden = ("t", "measured", "predicted", "spare")
    _columns = {"channels": ("", "rms=SI relative=- of_norm=- correlation=- outliers=-")}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"channel": np.array([c.channel for c in self.channels])}

    def panels(self) -> tuple[Panel, ...]:
        """Channels of the first run as measured and as predicted, and what is left."""
        found, style = [], "line" if self.over == "t [s]" else "points"
        more = f", first {CHANNELS} of {len(self.channels)} channels" if len(self.channels) > CHANNELS else ""
        for c, fit in enumerate(self.channels[:CHANNELS]):
            y, p = self.measured[0][:, c], self.predicted[0][:, c]
            told = {"measured": y, "predicted": p, "residual": y - p}
            dashed = "crosses" if style == "points" else "dashed"
            curves = tuple(
                Curve(name, self.t[0], values, style=dashed if name == "predicted" else style)
                for name, values in told.items()
            )
            title = f"run '{self.runs[0]}'{more}" if not c else ""
            found.append(LinePanel(x=self.over, y=with_unit(fit.channel, fit.unit), curves=curves, title=title))
        return tuple(found)

    def __getitem__(self, channel: str) -> ChannelFit:
        for fit in self.channels:
            if fit.channel == channel:
                return fit
        raise PoinsotError(unknown("channel", channel, [fit.channel for fit in self.channels]))

    @property
    def relative(self) -> np.ndarray:
        """Residual over standard deviation of each channel (c,)."""
        return np.array([fit.relative for fit in self.channels])

    @property
    def of_norm(self) -> np.ndarray:
        """‖residual‖ / ‖channel‖ of each channel (c,)."""
        return np.array([fit.of_norm for fit in self.channels])

    @property
    def hardly_explained(self) -> tuple[ChannelFit, ...]:
        """Channels of which most is left, and more than noise: no doubt by itself, but they are not predicted."""
        course = NOISE + SCATTER / np.sqrt(np.maximum(_samples(self), 1))
        known = zip(self.channels, course)
        return tuple(c for c, least in known if c.judged and c.leaves(MOST, least))

    def __str__(self) -> str:
        rows = [("channel", "residual", "of its deviation", "of its norm", "correlation", "outliers")]
        for f in (one for one in self.channels if one.sampled):
            rows.append(
                (
                    f.channel,
                    f"{f.rms:.3g} {f.unit}",
                    "–" if np.isnan(f.relative) else f"{f.relative:.3f}",
                    f"{f.of_norm:.3f}",
                    f"{f.correlation:+.2f}",
                    f"{100 * f.outliers:.1f} %",
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        return "\n".join("  " + "  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows)


def fit_of(
    runs: Sequence[str],
    channels: Sequence[tuple[str, str]],
    t: Sequence[np.ndarray],
    measured: Sequence[np.ndarray],
    predicted: Sequence[np.ndarray],
    spare: np.ndarray | None = None,
    silent: Collection[str] = (),
    noise: np.ndarray | None = None,
) -> RunFit | None:
    """How well channels, by name and unit, are predicted (n, c) in some runs; None without any.

    `spare` (c,) are the samples of each that nothing was fitted to; by default all. `silent` channels are zero
    whatever the values. `noise` (c,) is the standard deviation of a sample, where it is known.
    """
    if not runs:
        return None
    left = [y - p for y, p in zip(measured, predicted)]
    y, e, correlation = np.concatenate(measured), np.concatenate(left), whiteness(left)
    found = []
    for c, (name, unit) in enumerate(channels):
        good = np.isfinite(y[:, c])
        samples, rest = y[good, c], e[good, c]
        rms = float(np.sqrt(np.mean(rest**2))) if len(rest) else np.nan
        wide = robust_deviation(rest)
        outliers = float(np.mean(np.abs(rest) > OUTLIER * wide)) if wide > 0 else 0.0
        deviation, norm = (float(np.std(samples)), float(np.sqrt(np.mean(samples**2)))) if len(rest) else (0.0, 0.0)
        found.append(
            ChannelFit(
                name,
                unit,
                rms,
                _relative(rms, deviation, len(rest)),
                rms / norm if norm else np.inf,
                float(correlation[c]),
                outliers,
                name in silent,
                0.0 if noise is None else float(noise[c]),
            )
        )
    left_over = np.asarray(np.isfinite(y).sum(axis=0) if spare is None else spare)
    return RunFit(tuple(runs), tuple(found), tuple(t), tuple(measured), tuple(predicted), left_over)


def _relative(rms: float, deviation: float, n: int) -> float:
    """Residual over the deviation of n samples; NaN of a few that hardly differ, such as one frequency."""
    found = rms / deviation if deviation else np.inf
    return found if n >= FEW or found < EXPLAINED else np.nan


def poorly_predicted(fit: RunFit, held_out: RunFit) -> tuple[str, ...]:
    """Channels whose held-out residual is far above that of the fit, both in the unit and of the channel's deviation,
    or above it where a constant predicts as well.

    In a run that moves less, the same residual is more of the deviation; in one that moves more, a model that is as
    good leaves more in the unit: neither alone is a prediction that fails.
    """
    from scipy.stats import f

    share = [np.maximum(runs.spare, 1e-300) / np.maximum(_samples(runs), 1) for runs in (fit, held_out)]
    few = np.maximum(held_out.spare, 1.0), np.maximum(fit.spare, 1.0)
    chance, freedom = np.sqrt(f.isf(RARE, *few)), np.sqrt(share[1] / share[0])
    found = []
    for a, b, alike, most in zip(
        fit.channels, held_out.channels, chance * freedom, np.maximum(GENERALISES, chance) * freedom
    ):
        flat = b.constant and (a.constant or b.rms > alike * a.rms)
        if flat or (b.judged and not b.relative <= most * a.relative and b.rms > most * a.rms):
            found.append(b.column)
    return tuple(found)


def _samples(fit: RunFit) -> np.ndarray:
    """Numbers of samples (c,) of each channel."""
    return np.sum(np.isfinite(np.concatenate(fit.measured)), axis=0)
