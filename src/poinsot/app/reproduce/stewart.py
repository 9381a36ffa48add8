"""A Stewart platform as a constrained multibody system, its inertia identified by Levenberg–Marquardt and a swarm.

The published fit uses three forces that do not contain the inertias, made of the known mass and the measured
acceleration. Here forces and moments are those of a load cell with noise of its own; the sensor has 0.01 g.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import poinsot
from poinsot.app.reproduce.rows import Agreement, Paper, PublishedNumber
from poinsot.system.system import system

PAPER = Paper("stewart")
OMEGA, HOME = 3.75, {"z": 0.275, "rz": np.pi / 3}  # [rad/s], [m], [rad]
WAVES = {  # eq. 18, ZXY angles; the source prints one angle twice
    "x": poinsot.Fourier(OMEGA, (0.029,)),
    "y": poinsot.Fourier(OMEGA, (0.029,)),
    "z": poinsot.Fourier(OMEGA, (), (0.037,), HOME["z"]),
    "rz": poinsot.Fourier(OMEGA, (0.029,), (), HOME["rz"]),
    "rx": 0.0,
    "ry": poinsot.Fourier(OMEGA, (0.29,)),
}
CIRCLE = {  # eq. 17
    "x": poinsot.Fourier(1.2566, (), (0.05,)),
    "y": poinsot.Fourier(1.2566, (0.05,)),
    **{"rx": 0.0, "ry": 0.0, **HOME},
}
NAMES = ("platform.mass", "Ixx", "platform.inertia.zz")
SYMMETRIC = {"Ixx": ["platform.inertia.xx", "platform.inertia.yy"]}
START, BOX = (0.0, 0.01, 0.01), ((0, 10), (-1, 1), (-1, 1))
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
FORCES = tuple(f"wrench platform.{name}" for name in WRENCH[:3])
NOISE = (0.193, 2e-5)  # of forces [N], 0.01 g over √12 times the mass, and of moments [N·m]
TABLE_1 = {  # method: M_p, I_xx, I_yy, I_zz
    "levenberg-marquardt": ("6.88", "0.31", "0.31", "1e-8"),
    "swarm": ("6.84", "0.0415", "0.0415", "0.0830"),
}
TRUE = ("6.8369", "0.0416", "0.0416", "0.0830")
LABELS = ("M_p", "I_xx", "I_yy", "I_zz")
UNITS = ("kg", "kg·m²", "kg·m²", "kg·m²")


def rows() -> Iterator[PublishedNumber]:
    """Counts, closure of the constraints, table 1 with and without moments, iterations."""
    ex800 = poinsot.load("ex800")
    sizes = system(ex800, "euler").equations.sizes
    yield PAPER.row("bodies", "13", len(ex800.bodies))
    yield PAPER.row("generalised coordinates n_q", "78", sizes[0])
    yield PAPER.row("constraints n_c", "72", sizes[2])
    why = "the first angle is printed twice; ZXY angles about Z, X and Y are read"
    yield PAPER.row("eq. 18, third angle", "phi_p", "psi_p", meant="psi_p", reason=why)
    closed = poinsot.kinematics(ex800, CIRCLE, np.linspace(0, 5, 501)).residual
    why = "round-off of the largest row of 501 samples; the norm of the source is not printed"
    what, open_ = "constraint violation along the circle", Agreement.TEXT
    yield PAPER.row(what, "1e-15", closed, "m", reason=why, otherwise=open_)
    recording, iterations = recorded(ex800), {}
    for method, printed in TABLE_1.items():
        yield from _forces_alone(ex800, recording, method, printed)
    for method in TABLE_1:
        found = identified(ex800, recording, method, "wrench platform")
        value, bars = found.value[[0, 1, 1, 2]], found.deviation[[0, 1, 1, 2]]
        for label, truth, x, bar, unit in zip(LABELS, TRUE, value, bars, UNITS):
            what = f"table 1, true {label}, {method} on forces and moments"
            yield PAPER.row(what, truth, x, unit, within=3 * bar, reason=f"standard error {bar:.2g}")
        iterations[method] = len(found.convergence.cost) if found.convergence else 0
    more = iterations["swarm"] - iterations["levenberg-marquardt"]
    why = "a swarm draws random numbers, and its tolerance is not printed"
    yield PAPER.row("more iterations of the swarm, about", "35", more, within=5, reason=why, otherwise=Agreement.TEXT)


def _forces_alone(
    ex800: poinsot.Mechanism, recording: poinsot.Recording, method: str, printed
) -> Iterator[PublishedNumber]:
    found = identified(ex800, recording, method, FORCES)
    value, bar = found.value[[0, 1, 1, 2]], found.deviation[0]
    why = f"forces alone give {value[0]:.4f} ± {bar:.4f} by every method; the source prints no noise"
    why += ", and its measured force is the known mass times a measured acceleration, so it returns what was put in"
    none = "the three forces do not contain it: any number fits"
    for label, text, x, unit in zip(LABELS, printed, value, UNITS):
        what = f"table 1, {label} by {method} from forces"
        if np.isfinite(x):
            yield PAPER.row(what, text, x, unit, reason=why, otherwise=Agreement.TEXT)
        else:
            yield PAPER.row(what, text, None, unit, reason=none, otherwise=Agreement.DATA)


def identified(
    ex800: poinsot.Mechanism, recording: poinsot.Recording, method: str, channels: str | tuple[str, ...]
) -> poinsot.Estimate:
    """By the paper's start and damping, or 30 particles in its box."""
    searches = method == "swarm"
    told = [{"bounds": list(box)} if searches else {"start": x} for x, box in zip(START, BOX)]
    unknowns = {n: one | ({"parameters": SYMMETRIC[n]} if n in SYMMETRIC else {}) for n, one in zip(NAMES, told)}
    settings = {"name": method} | ({"particles": 30} if searches else {"damping": 0.01})
    return poinsot.identify(ex800, recording, unknowns, settings, channels=channels)


def recorded(ex800: poinsot.Mechanism) -> poinsot.Recording:
    """The platform's pose, and forces and moments on it with noise of their own, 100 samples a second."""
    t, rng = np.arange(0, 5, 0.01), np.random.default_rng(7)
    run = poinsot.inverse_dynamics(ex800, WAVES, t)
    values = {name: run.kinematics.coordinates[name] for name in WAVES}
    wrench = run.body_forces["platform"] + rng.standard_normal((len(t), 6)) * np.repeat(NOISE, 3)
    values |= {name: wrench[:, k] for k, name in enumerate(WRENCH)}
    return poinsot.Recording.of(t, values, places={name: f"wrench platform.{name}" for name in WRENCH})
