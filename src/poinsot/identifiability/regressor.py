"""The regressor: measured channels along a motion as an exact linear function of parameters.

y = W θ + y₀        W (n·c, k) over n samples of c channels; y₀ comes from parameters that are known
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poinsot.errors import PoinsotError, by_name, counted
from poinsot.identifiability.channels import MeasuredChannel, channels
from poinsot.identifiability.column_scales import natural_efforts, natural_lengths
from poinsot.identifiability.linear import LinearParameter, chosen, parameter_values, with_known
from poinsot.identifiability.rows import regressor_rows
from poinsot.identifiability.states import States
from poinsot.lazy import casadi
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.motion.equations import SINGULAR
from poinsot.motion.inverse_dynamics import actuator_weights, require_actuators, require_hold, with_kept_spins
from poinsot.motion.kinematics import followed_path, warn_beyond_stops
from poinsot.motion.signals import GivenMotion, as_motion, own_times
from poinsot.results import BarPanel, Curve, LinePanel, Panel, Result
from poinsot.results.panels import with_unit
from poinsot.spatial.algebra import Numbers
from poinsot.system.stored import stored
from poinsot.system.system import System
from poinsot.system.variants import solved_with_care


@dataclass(frozen=True, eq=False)
class Regressor(Result):
    """Channels as a linear function of parameters: n samples, c channels, k parameters."""

    mechanism: Mechanism
    t: np.ndarray  # (n,)  [s]
    channels: tuple[str, ...]  # c
    channel_units: tuple[str, ...]
    columns: tuple[str, ...]  # k names: "link1.mx", "shoulder1.viscous"
    units: tuple[str, ...]  # k
    matrix: np.ndarray  # (n·c, k), all channels of the first sample first
    rhs: np.ndarray  # (n·c,) what the parameters that are not columns contribute
    parameters: np.ndarray  # (k,) values in the mechanism  [SI]
    linear: tuple[LinearParameter, ...]  # k
    natural: Callable[[np.ndarray], np.ndarray]  # gives `scale` for rows with weights (n·c,)
    size: float  # of the machine  [m]
    noise: tuple[float, ...] = ()  # c standard deviations of a sample, 0 where the model file gives none

    _hidden = ("linear", "natural", "size")
    _columns = {
        "matrix": (lambda w: w.columns, lambda w: [f"1/({unit}) of the channel" for unit in w.units]),
        "rhs": ("rhs", "of the channel"),
    }

    def _rows(self) -> dict[str, np.ndarray]:
        c = len(self.channels)
        return {"t": np.repeat(self.t, c), "channel": np.tile(np.array(self.channels), len(self.t))}

    def panels(self) -> tuple[Panel, ...]:
        """The channels of the mechanism as it is, and how much of each column is left by cancellation."""
        values = dict(zip(self.channels, self.values.T))
        units = dict(zip(self.channels, self.channel_units))
        found: list[Panel] = [
            LinePanel(
                x="t [s]",
                y=with_unit("channels", unit),
                curves=tuple(Curve(c, self.t, values[c]) for c in self.channels if units[c] == unit),
            )
            for unit in dict.fromkeys(self.channel_units)
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            left = np.sqrt(np.sum(self.matrix**2, axis=0)) / self.scale
        label = "norm of the column over that without cancellation [-]"
        return (*found, BarPanel(names=self.columns, x=label, series={"column": left}, log=bool((left > 0).any())))

    @cached_property
    def scale(self) -> np.ndarray:
        """Norms (k,) that the columns would have without cancellation, by the motion and the machine's size."""
        return self.natural(np.ones(len(self.matrix)))

    @property
    def values(self) -> np.ndarray:
        """The channels (n, c) of the mechanism as it is."""
        return (self.matrix @ self.parameters + self.rhs).reshape(-1, len(self.channels))

    def __str__(self) -> str:
        return (
            f"{counted(len(self.t), 'sample')} of {counted(len(self.channels), 'channel')} "
            f"({', '.join(self.channels[:6])}{', …' if len(self.channels) > 6 else ''}) as a linear function of "
            f"{counted(len(self.columns), 'parameter')}"
        )


def regressor(
    mechanism: Mechanism,
    motion: GivenMotion,
    t: Numbers | None = None,
    channels: Sequence[str] | str | None = None,
    *,
    parameters: Sequence[str] | str | None = None,
    weights: Mapping[str, float] | None = None,
) -> Regressor:
    """Measured channels along a prescribed motion as an exact linear function of parameters.

    `mechanism` along a `motion` (see `kinematics`) at times `t` (n,) [s]; `weights` by actuator as for
    `inverse_dynamics`.

    Without `t` the motion brings its times along: those of its samples, or one period of its Fourier series.
    `channels` are names or patterns (see identifiability/channels); by default the forces of all actuators, or those
    of all freedoms where actuators are missing. `parameters` are names or patterns of linear parameters; by default
    all that the model file declares, so bodies without mass take part only when asked for ("*"). What is left out
    is known and goes to `rhs`.

    >>> import poinsot
    >>> w = poinsot.regressor(poinsot.load("four_bar"), {"theta1": lambda t: 1 + 2 * t**2}, [0.0, 0.1])
    >>> w.matrix.shape, w.columns[:4]
    ((2, 12), ('link1.m', 'link1.mx', 'link1.my', 'link1.J'))
    """
    for law in require_mechanism(mechanism).elements.forces.values():
        if law.unloaded() != law:
            raise PoinsotError(
                f"the {law.kind} '{law.name}' is not linear in the parameters: set its {law.loaded[0]} to 0"
            )
    motion = as_motion(motion, mechanism, t)
    t = own_times(motion) if t is None else t
    kept = with_kept_spins(mechanism, motion, t)
    if kept is not None and channels is None:
        channels = list(mechanism.actuators)
    path = followed_path(*(kept[:2] if kept else (mechanism, motion)), t)
    warn_beyond_stops(path, mechanism, motion)
    home = path.system.equations.symbols.home
    states = States(path.system, path.t, path.q, path.v, path.a, path.p, home.size)
    return evaluate_regressor(mechanism, states, channels, parameters, weights)


def evaluate_regressor(
    mechanism: Mechanism,
    states: States,
    wanted: Sequence[str] | str | None = None,
    parameters: Sequence[str] | str | None = None,
    weights: Mapping[str, float] | None = None,
) -> Regressor:
    """The regressor at given states."""
    compiled = states.system
    measured, asked = channels(compiled, wanted), chosen(mechanism, parameters)
    both = with_known(mechanism, asked)
    if any(c.held for c in measured):
        require_actuators(compiled)
    weight = actuator_weights(compiled, by_name(weights, "weights are", "{'A': 2.0}"))
    at = states.q, states.v, states.a, weight, states.p
    W, check, reach, pace = solved_with_care(
        compiled, lambda one: _rows(one, measured, both), *at, check=1, least=SINGULAR
    )
    require_hold(compiled, states.t, check)
    efforts = natural_efforts(compiled.elements, asked, pace, states.size)
    W = W.reshape(-1, len(both))
    values, k = parameter_values(mechanism, both), len(asked)
    return Regressor(
        mechanism=mechanism,
        t=states.t,
        channels=tuple(c.name for c in measured),
        channel_units=tuple(c.unit for c in measured),
        columns=tuple(p.name for p in asked),
        units=tuple(p.unit for p in asked),
        matrix=W[:, :k],
        rhs=W[:, k:] @ values[k:],
        parameters=values[:k],
        linear=asked,
        natural=lambda weights: natural_lengths(efforts, reach, weights),
        size=states.size,
        noise=tuple(c.noise for c in measured),
    )


@stored
def _rows(
    compiled: System, measured: tuple[MeasuredChannel, ...], parameters: tuple[LinearParameter, ...]
) -> casadi.Function:
    """(q, v, v̇, weights, p) -> rows of the regressor, check value, reach and pace."""
    e, rows = compiled.equations, regressor_rows(compiled, measured, parameters)
    inputs = [e.q, e.v, rows.a, rows.w, e.p]
    return casadi.Function("regressor", inputs, [rows.matrix, rows.check, rows.reach, rows.pace])
