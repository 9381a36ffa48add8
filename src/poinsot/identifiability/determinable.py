"""What a measurement can determine: every parameter, how well, and what is determined instead of those that are not.

With rows divided by the noise of their channel, the base parameters have the covariance (W₁ᵀ W₁)⁻¹
(theory/identifiability, eq. 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, by_name, counted, number_of, one_or_more_names, unknown
from poinsot.identifiability.base_parameters import BaseParameters, combination_text, reduce_regressor
from poinsot.identifiability.linear import linear_parameters
from poinsot.identifiability.model_parameters import in_model_parameters
from poinsot.identifiability.reduction import Gap
from poinsot.identifiability.regressor import Regressor, regressor
from poinsot.model.load import as_mechanism
from poinsot.model.mechanism import Mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.motion.signals import GivenMotion
from poinsot.results import Panel, Result
from poinsot.results.pictures import error_panel
from poinsot.spatial.algebra import Numbers

SHOWN = 2  # combinations in a line of the table
Noise = float | str | Mapping[str, float | str]  # of all channels, or by channel
POOR = 0.1  # relative standard deviation from which a parameter is poorly determined
ROUND_OFF = 1e-13  # of the largest value in the same unit, below which a value is printed as 0


class Verdict(StrEnum):
    """What a measurement says about a parameter."""

    DETERMINED = "determined"
    POOR = "poorly determined"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class ParameterVerdict:
    """What a measurement says about one parameter."""

    name: str
    unit: str
    value: float  # in the mechanism as it is  [SI]
    verdict: Verdict
    deviation: float  # standard deviation  [SI]; NaN where undetermined, or without a noise
    relative: float  # the same relative to the value, or to mass × length where zero is a value like others
    instead: tuple[str, ...]  # combinations with it that are determined; none if it has no effect at all
    declared: bool = True  # whether the model file has it: a pattern may ask for what it could have besides


@dataclass(frozen=True, eq=False)
class Determination(Result):
    """What a measurement can determine, parameter by parameter."""

    findings: tuple[ParameterVerdict, ...]
    base: BaseParameters
    matrix: np.ndarray  # (n·c, k) channels by parameters
    samples: int  # n

    _hidden = ("findings", "base", "matrix")
    _extra = {"channels": "base.channels", "rank": "base.rank", "parameters": "findings"}
    _columns = {"findings": ("", "value=SI deviation=SI relative=-")}

    def _rows(self) -> dict[str, np.ndarray]:
        return {"parameter": np.array([f.name for f in self.findings])}

    def panels(self) -> tuple[Panel, ...]:
        """Relative standard errors, and what is determined, poorly determined or, at the end, undetermined."""
        shown = sorted(self.findings, key=lambda f: f.verdict is Verdict.UNDETERMINED)
        names, errors = [f.name for f in shown], [f.relative for f in shown]
        title = f"{self.base.rank} of {len(names)} parameters or combinations"
        return (error_panel(names, errors, [str(f.verdict) for f in shown], title=title),)

    def __getitem__(self, name: str) -> ParameterVerdict:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise PoinsotError(unknown("parameter", name, [f.name for f in self.findings]))

    def _with(self, verdict: Verdict) -> tuple[str, ...]:
        return tuple(f.name for f in self.findings if f.verdict is verdict)

    @property
    def determined(self) -> tuple[str, ...]:
        """Parameters with a small relative deviation."""
        return self._with(Verdict.DETERMINED)

    @property
    def poor(self) -> tuple[str, ...]:
        """Parameters that are determined in principle, with a large deviation."""
        return self._with(Verdict.POOR)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Parameters of which this measurement says nothing by themselves."""
        return self._with(Verdict.UNDETERMINED)

    @property
    def gap(self) -> Gap:
        """The gap between singular values that decides the rank."""
        return self.base.gap

    def __str__(self) -> str:
        lines = [
            f"{counted(self.samples, 'sample')} of {counted(len(self.base.channels), 'channel')} determine "
            f"{self.base.rank} of {len(self.findings)} parameters or combinations of them",
            str(self.gap),
        ]
        sizes: dict[str, float] = {}
        for f in self.findings:
            sizes[f.unit] = max(sizes.get(f.unit, 0.0), abs(f.value))
        rows = [_row(f, sizes[f.unit]) for f in self.findings]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines += ["  " + "  ".join([*(c.ljust(w) for c, w in zip(row, widths)), row[4]]).rstrip() for row in rows]
        return "\n".join(lines)


def _row(f: ParameterVerdict, size: float) -> tuple[str, ...]:
    """Texts of one finding; a value that is round-off of `size`, that of others in its unit, is 0.

    The deviation is relative where it is that of the value, and absolute where zero is a value like others.
    """
    value = f.value if abs(f.value) > ROUND_OFF * size else 0.0
    spread = "" if np.isnan(f.deviation) else f"± {f.deviation:.2g} {f.unit}"
    if value and np.isfinite(f.relative) and np.isclose(f.relative * abs(value), f.deviation, rtol=1e-6):
        spread = f"± {100 * f.relative:.2g} %"
    words = ""
    if f.verdict is Verdict.UNDETERMINED:
        more = f"; … ({len(f.instead)} in all)" if len(f.instead) > SHOWN else ""
        words = "determined instead: " + "; ".join(f.instead[:SHOWN]) + more if f.instead else "no effect here"
    said = words if f.declared else "; ".join(filter(None, ("the model file has none", words)))
    return f.name, f"{value:.6g} {f.unit}", str(f.verdict), spread, said


def determinable(
    mechanism: Mechanism | str | Path,
    motion: GivenMotion,
    t: Numbers | None = None,
    channels: Sequence[str] | str | None = None,
    *,
    parameters: Sequence[str] | str | None = None,
    noise: Noise | None = None,
    poor: float = POOR,
) -> Determination:
    """What channels measured along a motion can determine: one verdict a parameter.

    `mechanism`, `motion`, `t` (n,) [s] and `channels` as for `regressor`; `poor` is the relative standard error
    from which a parameter counts as poor.

    `mechanism` may be a library name or the path of a model file.

    `parameters` are linear parameters ("platform.Ixx", patterns) or those of the model file ("platform.mass",
    "leg*.mass"), the others being known; by default all linear ones that the model declares. `noise` is the standard
    deviation of a sample, one for all channels or by channel (names or patterns), in SI or a text such as
    "50 mN·m"; by default that of the model's sensors of these forces; without it nothing can be said about how well a
    parameter is determined.

    >>> import poinsot
    >>> d = poinsot.determinable(poinsot.load("pendulum"), {"phi": lambda t: t**2}, [0.0, 0.3, 0.6, 0.9], noise=0.01)
    >>> d.undetermined, d.poor
    (('bob.m',), ('bob.J',))
    """
    names = () if parameters is None else one_or_more_names(parameters, "parameters")
    mechanism = as_mechanism(mechanism)
    linear = [p.name for p in linear_parameters(mechanism)]
    if all(any(fnmatchcase(name, pattern) for name in linear) for pattern in names):
        return judge(regressor(mechanism, motion, t, channels, parameters=names or None), noise, poor)
    return judge(in_model_parameters(regressor(mechanism, motion, t, channels), names), noise, poor)


@one_blas_thread()
def judge(W: Regressor, noise: Noise | None = None, poor: float = POOR) -> Determination:
    """What a regressor can determine."""
    poor = number_of(poor, "poor, a relative deviation,")
    noise = dict(zip(W.channels, W.noise)) if noise is None and all(W.noise) and W.noise else noise
    sigma = None if noise is None else _noise(W, noise)
    base = reduce_regressor(W, weights=None if sigma is None else 1 / sigma)
    deviation = dict(zip(base.independent, _deviations(W, base, sigma)))
    rows = dict(zip(base.independent, base.coefficients))
    sizes, findings = references(W, sigma), []
    for j, name in enumerate(W.columns):
        instead = _instead(base, rows, name)
        alone = instead == (name,)
        spread = deviation[name] if alone else np.nan
        relative = spread / sizes[j] if sizes[j] else spread * np.inf
        verdict = Verdict.UNDETERMINED if not alone else Verdict.POOR if relative > poor else Verdict.DETERMINED
        shown = () if alone else instead
        one = name, W.units[j], float(W.parameters[j]), verdict, spread, relative, shown
        findings.append(ParameterVerdict(*one, declared=W.linear[j].declared))
    return Determination(tuple(findings), base, W.matrix, len(W.t))


def _instead(base: BaseParameters, rows: Mapping[str, np.ndarray], name: str) -> tuple[str, ...]:
    """Combinations that are determined and hold a parameter; the parameter itself when it stands alone."""
    if name in rows:
        return (combination_text(name, dict(zip(base.eliminated, rows[name]))),)
    at = base.eliminated.index(name)
    return tuple(
        combination_text(other, dict(zip(base.eliminated, row))) for other, row in rows.items() if row[at] != 0
    )


def _noise(W: Regressor, noise: Noise) -> np.ndarray:
    """Standard deviation of every row (n·c,)."""
    if isinstance(noise, Mapping):
        for pattern in by_name(noise, "noise is", "{'A.torque': 0.1}"):
            if not any(fnmatchcase(c, pattern) for c in W.channels):
                raise PoinsotError(unknown("channel", pattern, W.channels))
        each = [next((s for pattern, s in noise.items() if fnmatchcase(c, pattern)), None) for c in W.channels]
        if None in each:
            raise PoinsotError(f"the noise of channel '{W.channels[each.index(None)]}' is missing")
    else:
        each = [noise] * len(W.channels)
    told = "the noise of a channel, its standard deviation,"
    units = zip(each, W.channels, W.channel_units)
    try:
        each = [as_value(s, unit, f"the noise of '{c}'") if isinstance(s, str) else s for s, c, unit in units]
    except PoinsotError as error:
        if isinstance(noise, Mapping) or len(set(W.channel_units)) == 1:
            raise
        raise PoinsotError(f"{error}; give it by channel, {W.channels[0]}=…,{W.channels[-1]}=…") from None
    return np.tile([number_of(s, told) for s in each], len(W.t))


def _deviations(W: Regressor, base: BaseParameters, sigma: np.ndarray | None) -> np.ndarray:
    """Standard deviations (b,) of the base parameters; NaN without a noise."""
    if sigma is None or not base.rank:
        return np.full(base.rank, np.nan)
    W1 = W.matrix[:, [W.columns.index(name) for name in base.independent]] / sigma[:, None]
    lengths = np.linalg.norm(W1, axis=0)
    inverse = np.linalg.inv(np.linalg.qr(W1 / lengths, mode="r"))
    return np.linalg.norm(inverse, axis=1) / lengths


def references(W: Regressor, sigma: np.ndarray | None) -> np.ndarray:
    """What deviations (k,) are compared with: the value, or a physical size where zero is a value like others.

    For first moments and products of inertia that is the body's mass times its length, or length squared; for
    anything else that is zero, what would give all of the measured forces by itself.
    """
    weights = np.ones(len(W.matrix)) if sigma is None else 1 / sigma
    lengths = np.linalg.norm(W.matrix * weights[:, None], axis=0)
    alone = np.linalg.norm(W.values.ravel() * weights) / np.where(lengths > 0, lengths, np.inf)
    bodies, found = W.mechanism.elements.bodies, []
    for p, value, physical in zip(W.linear, np.abs(W.parameters), alone):
        if p.table == "bodies":  # by the mass of the whole machine where the body has none
            mass = float(bodies[p.owner].mass) or float(sum(b.mass for b in bodies.values()))
            physical = mass * _length(W, p.owner) ** p.order
        found.append(max(value, physical) if p.signed else value or physical)
    return np.array(found, float)


def _length(W: Regressor, body: str) -> float:
    """Largest distance of a joint from the body's origin; the machine's size where all are at the origin  [m]."""
    elements = W.mechanism.elements
    frames = [f for j in elements.joints.values() for f in (j.a, j.b) if f.body == body]
    return max((float(np.linalg.norm(np.asarray(f.pose().p, float))) for f in frames), default=0.0) or W.size
