"""Good recordings: what encoders and drives of mechanisms measure, as tables to be written and damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline

import poinsot

RATE = 500.0  # [Hz]
DURATION = 8.0  # [s]
ARM = """
format = 1
name = "arm"
gravity = [0, 0, "-9.81 m/s²"]

[bodies.turret]
mass = "6 kg"
com = [0.02, 0.01, 0.1]
inertia = [0.05, 0.06, 0.04]
frames.shoulder = [0.1, 0, 0.3]

[bodies.upper]
mass = "4 kg"
com = [0.2, 0.01, 0.02]
inertia = [0.01, 0.06, 0.06]
frames.elbow = [0.45, 0, 0]

[bodies.fore]
mass = "2 kg"
com = [0.15, 0.02, 0.03]
inertia = [0.004, 0.02, 0.02]

[joints.waist]
type = "revolute"
between = ["ground", "turret"]
actuated = true
friction = { viscous = "1.5 N·m·s/rad" }
[joints.shoulder]
type = "revolute"
between = ["turret.shoulder", "upper"]
axis = [0, 1, 0]
actuated = true
friction = { viscous = "1.2 N·m·s/rad" }
[joints.elbow]
type = "revolute"
between = ["upper.elbow", "fore"]
axis = [0, 1, 0]
actuated = true
friction = { viscous = "0.6 N·m·s/rad" }

[coordinates]
q1 = { joint = "waist" }
q2 = { joint = "shoulder" }
q3 = { joint = "elbow" }
"""


@dataclass(frozen=True, eq=False)
class Good:
    """A table as a logger would write it: columns (n,) by header, in file units."""

    mechanism: poinsot.Mechanism
    columns: dict[str, np.ndarray]  # "t" first; "NAME", "NAME.rate", and forces by actuator
    units: dict[str, str]

    @property
    def t(self) -> np.ndarray:
        """Times (n,)  [s]."""
        return self.columns["t"]

    def changed(self, **columns: np.ndarray) -> Good:
        """The same with other columns; "__" stands for "."."""
        return replace(self, columns=self.columns | {name.replace("__", "."): c for name, c in columns.items()})

    def with_columns(self, columns: dict[str, np.ndarray]) -> Good:
        """The same with other columns."""
        return replace(self, columns=self.columns | columns)

    def rows(self, change: Callable[[np.ndarray], np.ndarray]) -> Good:
        """The same after a change of all rows, an array (n, k)."""
        table = change(np.stack(list(self.columns.values()), axis=1))
        return replace(self, columns=dict(zip(self.columns, table.T)))

    def text(self, units: bool = True) -> str:
        """The table as CSV."""
        header = ",".join(f"{name} [{self.units[name]}]" if units else name for name in self.columns)
        rows = np.stack(list(self.columns.values()), axis=1)
        return "\n".join([header, *(",".join(f"{x:.9g}" for x in row) for row in rows)]) + "\n"

    def written(self, folder: Path, name: str = "run.csv", units: bool = True) -> Path:
        """The table as a CSV file."""
        path = folder / name
        path.write_text(self.text(units))
        return path


def times() -> np.ndarray:
    """Times of the samples (n,)  [s]."""
    return np.arange(round(DURATION * RATE)) / RATE


def fourier(seed: int, size: float, offset: float = 0.0) -> poinsot.Fourier:
    """A periodic excitation of four harmonics of 0.25 Hz."""
    random = np.random.default_rng(seed)
    a, b = size * random.uniform(-1, 1, 4) / np.arange(1, 5), size * random.uniform(-1, 1, 4) / np.arange(1, 5)
    return poinsot.Fourier(2 * np.pi / 4, tuple(a), tuple(b), offset)


def sensed(text: str, encoders: dict[str, str], drives: dict[str, float], noise: float) -> poinsot.Mechanism:
    """A model with an encoder on every joint and a current sensor for every drive, the latter's noise by drive."""
    for k, (name, joint) in enumerate(encoders.items()):
        text += f'\n[sensors.encoder_{k}]\ntype = "encoder"\non = {{ joint = "{joint}" }}\nnoise = {noise}\n'
        text += f"# reads {name}\n"
    for k, (drive, size) in enumerate(drives.items()):
        text += f'\n[sensors.current_{k}]\ntype = "drive-force"\nactuator = "{drive}"\nnoise = {size}\n'
    return poinsot.loads(text)


def recorded(mechanism: poinsot.Mechanism, motion: dict, names: dict[str, str], seed: int = 0) -> Good:
    """What the sensors of a mechanism write along a motion; `names` of coordinates and drives by sensor."""
    t = times()
    rec, exact = (
        poinsot.measure(mechanism, motion, t, sensors=list(names), seed=seed, perfect=p) for p in (False, True)
    )
    columns, units, random = {"t": t}, {"t": "s"}, np.random.default_rng(seed)
    for sensor, name in names.items():
        columns[name], units[name] = rec[sensor], rec.units[sensor]
        if rec.channels[sensor].kind == "position":
            rate = make_interp_spline(t, exact[sensor], k=5)(t, 1)
            columns[f"{name}.rate"] = rate + 0.002 * np.std(rate) * random.standard_normal(len(t))
            units[f"{name}.rate"] = f"{units[name]}/s"
    return Good(mechanism, columns, units)


@cache
def arm(seed: int = 0) -> Good:
    """A spatial arm of three joints."""
    motion = {"q1": fourier(1, 0.5), "q2": fourier(2, 0.4, -0.8), "q3": fourier(3, 0.5, 1.2)}
    joints = {"q1": "waist", "q2": "shoulder", "q3": "elbow"}
    mechanism = sensed(ARM, joints, {"waist": 0.1, "shoulder": 0.3, "elbow": 0.1}, 1e-5)
    names = {f"encoder_{k}": name for k, name in enumerate(joints)}
    return recorded(mechanism, motion, names | {f"current_{k}": name for k, name in enumerate(joints.values())}, seed)


@cache
def sensed_arm(seed: int = 0) -> Good:
    """The same with columns named by its sensors."""
    found, names = arm(seed), {f"q{k + 1}": f"encoder_{k}" for k in range(3)}
    names |= {drive: f"current_{k}" for k, drive in enumerate(("waist", "shoulder", "elbow"))}
    kept = {"t": "t"} | names
    units = {own: found.units[name] for name, own in kept.items()}
    return replace(found, columns={own: found.columns[name] for name, own in kept.items()}, units=units)


@cache
def four_bar(seed: int = 0) -> Good:
    """The four-bar, one drive in a closed loop."""
    text = poinsot.dumps(poinsot.load("four_bar"))
    mechanism = sensed(text, {"theta1": "A"}, {"A": 0.1}, 1e-5)
    return recorded(mechanism, {"theta1": fourier(4, 0.2, 1.1)}, {"encoder_0": "theta1", "current_0": "A"}, seed)


@cache
def ex800(seed: int = 0) -> Good:
    """A Stewart platform with encoders in its legs."""
    at = {"x": 0.0, "y": 0.0, "z": 0.275, "rz": 1.0472, "rx": 0.0, "ry": 0.0}
    motion = {name: fourier(10 + k, 0.015 if k < 3 else 0.06, at[name]) for k, name in enumerate(at)}
    mechanism = poinsot.load("ex800")
    legs = {f"leg{k}": f"leg{k}.slide" for k in range(1, 7)}
    mechanism = sensed(
        poinsot.dumps(mechanism), {f"{leg}.length": on for leg, on in legs.items()}, dict.fromkeys(legs, 0.2), 2e-6
    )
    names = {f"encoder_{k}": f"{leg}.length" for k, leg in enumerate(legs)}
    return recorded(mechanism, motion, names | {f"current_{k}": leg for k, leg in enumerate(legs)}, seed)


GOOD = {"arm": arm, "sensed_arm": sensed_arm, "four_bar": four_bar, "ex800": ex800}
