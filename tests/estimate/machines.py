"""Machines whose parameters are known: an arm with two joints and a five-bar linkage under control, and a slide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import poinsot
from poinsot.estimate.closed_loop.controllers import PID, Cascade, Control, Controller, References
from poinsot.estimate.closed_loop.simulation import closed_loop
from poinsot.identifiability.linear import chosen, parameter_values
from poinsot.identifiability.states import States
from poinsot.motion.kinematics import solve_path
from tests.estimate.runs import noise as coloured

ARM = """
format = 1
name = "arm"
planar = true
gravity = [0, "-9.81 m/s²"]

[bodies.upper]
mass = "4 kg"
com = ["0.25 m", "0.01 m"]
inertia = "0.12 kg·m²"
frames.elbow = ["0.5 m", 0]

[bodies.lower]
mass = "2 kg"
com = ["0.2 m", "-0.02 m"]
inertia = "0.05 kg·m²"

[joints.shoulder]
type = "revolute"
between = ["ground", "upper"]
actuated = true
friction = { viscous = "1.5 N·m·s/rad", coulomb = "2 N·m", smooth = "0.3 rad/s" }

[joints.elbow]
type = "revolute"
between = ["upper.elbow", "lower"]
actuated = true
friction = { viscous = "0.8 N·m·s/rad", coulomb = "1 N·m", smooth = "0.3 rad/s" }

[coordinates]
q1 = { joint = "shoulder" }
q2 = { joint = "elbow" }

[pose]
q1 = "20 deg"
q2 = "40 deg"
"""


BEFORE, STEP = 1.0, 0.004  # of motion before a recording begins, and from one sample to the next  [s]


@dataclass(frozen=True, eq=False)
class Machine:
    """A mechanism under control, and references that it follows."""

    mechanism: poinsot.Mechanism
    drives: dict[str, Controller]  # by actuator
    motion: dict[str, poinsot.Fourier]  # references, by coordinate, in the order of the drives
    unknowns: tuple[str, ...]
    rate: float | None = None  # of the controllers  [Hz]

    @property
    def control(self) -> Control:
        return Control(tuple(self.drives.items()), self.rate)

    def told(self, t: np.ndarray, noise: np.ndarray | None = None) -> References:
        """References at times (n,), and the noise (n, d) of the encoders."""
        s, s_dot, _ = (np.stack(parts, axis=1) for parts in zip(*(signal.at(t) for signal in self.motion.values())))
        return References(t, s, s_dot, noise)

    def run(self, seed: int, encoder: float, force: float, seconds: float = 8.0, colour: float = 0.0):
        """A recording: positions with noise of the encoders, which the controllers see, references and forces.

        The machine has been moving for a second when it begins.
        """
        t, rng = np.arange(-BEFORE, seconds, STEP), np.random.default_rng(seed)
        n, parameters = encoder * rng.standard_normal((len(t), len(self.drives))), chosen(self.mechanism, None)
        told, begin = self.told(t, n), self.begin_at(-BEFORE)
        found = closed_loop(begin, parameters, parameter_values(self.mechanism, parameters), self.control, told, 4)
        forces = found.u + force * coloured(rng, found.u.shape, colour)
        values: dict[str, np.ndarray] = {}
        for k, (coordinate, drive) in enumerate(zip(self.motion, begin.system.commands)):
            values |= {coordinate: found.states.q[:, k] + n[:, k], drive: forces[:, k]}
            values[f"{coordinate}.wanted"] = told.s[:, k]
        return poinsot.Recording.of(t, values).between(0.0, seconds)

    def begin_at(self, t: float) -> States:
        """Where the references are at a time, and a little later."""
        path = solve_path(self.mechanism, self.motion, np.array([t, t + STEP]))
        return States(path.system, path.t, path.q, path.v, path.a, path.p, 1.0)


def _swing(seed: int, size: float, offset: float) -> poinsot.Fourier:
    """Four harmonics with a period of 4 s."""
    a, b = size * np.random.default_rng(seed).uniform(-1, 1, (2, 4)) / np.arange(1, 5)
    return poinsot.Fourier(np.pi / 2, tuple(a), tuple(b), offset)


SERIAL = Machine(
    poinsot.loads(ARM, "arm"),
    {
        "shoulder": Cascade(reference="q1.wanted", kp=12.0, kv=60.0),
        "elbow": PID(reference="q2.wanted", kp=200.0, kd=15.0),
    },
    {"q1": _swing(1, 0.8, 0.3), "q2": _swing(2, 0.9, 0.7)},
    ("upper.mx", "upper.my", "upper.J", "lower.mx", "lower.my", "lower.J", "*.viscous", "*.coulomb"),
)
SMOOTH = poinsot.dumps(poinsot.load("five_bar")).replace("0.05 N·m", '0.05 N·m", smooth = "0.3 rad/s')
LOOP = Machine(
    poinsot.loads(SMOOTH, "five_bar"),
    {f"shoulder{k}": PID(reference=f"q{k}.wanted", kp=40.0, kd=1.0) for k in (1, 2)},
    {"q1": _swing(3, 0.35, 2.3), "q2": _swing(4, 0.35, 0.9)},
    ("crank1.J", "crank2.J", "forearm2.m", "*.viscous", "*.coulomb"),
)
SLIDE = """
format = 1
name = "slide"
gravity = [0, 0, 0]
[bodies.table]
mass = "20 kg"
inertia = [1, 1, 1]
[joints.rail]
type = "prismatic"
between = ["ground", "table"]
axis = [1, 0, 0]
friction = { viscous = 40, coulomb = 15, smooth = SMOOTH }
[actuators.drive]
on = { joint = "rail" }
[coordinates]
x = { joint = "rail" }
"""
SLIDE_UNKNOWNS = ["table.mass", "rail.viscous", "rail.coulomb"]
SLIDE_VALUES = [20.0, 40.0, 15.0]  # [kg], [N·s/m], [N]
MACHINES = {"serial": SERIAL, "loop": LOOP}


def slide(smooth: float) -> poinsot.Mechanism:
    """A slide with dry friction that is smoothed over such a speed [m/s]; 0: it jumps."""
    return poinsot.loads(SLIDE.replace("SMOOTH", str(smooth)))
