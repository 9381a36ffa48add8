"""Figures of the Stewart platform. What the paper measured is measured here on the model, with the sensor's noise."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

import poinsot
from poinsot.app.reproduce.stewart import (
    CIRCLE,
    FORCES,
    LABELS,
    NAMES,
    OMEGA,
    UNITS,
    WAVES,
    identified,
    recorded,
)
from poinsot.motion.inverse_dynamics import InverseDynamics
from poinsot.results import Curve, LinePanel, Panel

T = np.arange(0, 5, 0.01)  # [s]
GRAVITY, RESOLUTION = 9.81, 0.01  # [m/s²], of the sensor [g]
AXES, SEED = "xyz", 11
SINGULAR = 1e-6  # middle ZXZ angle at which the others have no values  [rad]
HELD = 1.0  # where figure 12 cuts the cost  [kg·m²]
NEAR = {NAMES[0]: (6, 8), "Ixx": (0, 0.1), "platform.inertia.zz": (0, 0.2)}  # of the values  [SI]
SPREADS = {"m": 1e-4, "m/s²": RESOLUTION * GRAVITY / np.sqrt(12), "rad/s": 1e-3}  # of a sample, by unit


@cache
def waves() -> InverseDynamics:
    """The waves of eq. 18, 5 s."""
    return poinsot.inverse_dynamics(poinsot.load("ex800"), WAVES, T)


@cache
def sensed() -> np.ndarray:
    """Acceleration of the platform (n, 3) as a sensor of 0.01 g has it  [m/s²]."""
    noise = RESOLUTION * GRAVITY / np.sqrt(12) * np.random.default_rng(SEED).standard_normal((len(T), 3))
    return waves().kinematics.acceleration["platform"] + noise


@cache
def estimate(method: str, moments: bool) -> poinsot.Estimate:
    """By one method, from forces alone or with moments."""
    ex800 = poinsot.load("ex800")
    return identified(ex800, recorded(ex800), method, "wrench platform" if moments else FORCES)


def _circle() -> Sequence[Panel]:
    t = np.linspace(0, 5, 501)
    run = poinsot.kinematics(poinsot.load("ex800"), CIRCLE, t)
    path = Curve("platform", run.coordinates["x"], run.coordinates["y"])
    legs = tuple(Curve(name, t, values) for name, values in run.coordinates.items() if name.endswith(".length"))
    title = f"constraints closed to {run.residual:.1e}"
    return (
        LinePanel(x="x [m]", y="y [m]", curves=(path,), square=True, title="circle of the platform"),
        LinePanel(x="t [s]", y="length of the legs [m]", curves=legs, title=title),
    )


def _accelerations() -> Sequence[Panel]:
    exact, found = waves().kinematics.acceleration["platform"], []
    basis = np.column_stack([np.sin(OMEGA * T), np.cos(OMEGA * T), np.ones(len(T))])
    for k, axis in enumerate(AXES):
        fitted = basis @ np.linalg.lstsq(basis, sensed()[:, k], rcond=None)[0]
        curves = (
            Curve("measured on the model", T, sensed()[:, k]),
            Curve("theory", T, exact[:, k]),
            Curve("fitted sine", T, fitted, style="dashed"),
        )
        found.append(LinePanel(x="t [s]", y=f"acceleration {axis} [m/s²]", curves=curves))
    return found


def _angles() -> Sequence[Panel]:
    from scipy.spatial.transform import Rotation

    turned = Rotation.from_matrix(waves().kinematics.rotation["platform"])
    found = []
    for sequence in ("ZXY", "ZXZ"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # ZXZ angles have no values where the middle one is zero
            angles = turned.as_euler(sequence)
        angles[np.abs(angles[:, 1]) < SINGULAR if sequence == "ZXZ" else np.zeros(len(T), bool)] = np.nan
        curves = tuple(Curve(f"{axis}{k + 1}", T, angles[:, k]) for k, axis in enumerate(sequence))
        title = "jumps where the second angle is 0: there ZXZ is singular" if sequence == "ZXZ" else ""
        found.append(LinePanel(x="t [s]", y=f"{sequence} angles [rad]", curves=curves, title=title))
    return found


def _forces() -> Sequence[Panel]:
    """Predicted, measured and fused as in eq. 19."""
    predicted = waves().body_forces["platform"][:, :3]
    mass = poinsot.load("ex800").parameters[NAMES[0]].value
    measured = predicted - mass * (sensed() - waves().kinematics.acceleration["platform"])
    fused = poinsot.filter_forces(predicted, measured).value
    return [
        LinePanel(
            x="t [s]",
            y=f"force {axis} [N]",
            curves=(
                Curve("measured", T, measured[:, k]),
                Curve("predicted", T, predicted[:, k]),
                Curve("fused", T, fused[:, k], style="dashed"),
            ),
        )
        for k, axis in enumerate(AXES)
    ]


def _sensitivity() -> Sequence[Panel]:
    """∂Q_z/∂M_p exactly and by differences of ±10 %, and the force itself for these masses."""
    ex800, name = poinsot.load("ex800"), NAMES[0]
    exact = poinsot.sensitivity(ex800, WAVES, T, [name]).body_forces["platform"][:, 2, 0]
    mass = ex800.parameters[name].value
    forces = {}
    for share in (0.9, 1.0, 1.1):
        run = poinsot.inverse_dynamics(ex800.with_parameters({name: share * mass}), WAVES, T)
        forces[share] = run.body_forces["platform"][:, 2]
    slope = (forces[1.1] - forces[0.9]) / (0.2 * mass)
    curves = (Curve("exact", T, exact), Curve("differences of ±10 %", T, slope, style="dashed"))
    loads = tuple(Curve(f"{share:.1f} M_p", T, force) for share, force in forces.items())
    return (
        LinePanel(x="t [s]", y="∂Q_z/∂M_p [N/kg]", curves=curves),
        LinePanel(x="t [s]", y="Q_z [N]", curves=loads),
    )


def _fused() -> Sequence[Panel]:
    """Coordinates of the platform from encoders and inertial unit, as measured on the model with noise."""
    ex800, rng = poinsot.load("ex800"), np.random.default_rng(SEED)
    exact = poinsot.measure(ex800, WAVES, T, perfect=True)
    spread = {name: SPREADS[unit] for name, unit in exact.units.items()}
    noisy = {name: exact[name] + spread[name] * rng.standard_normal(len(T)) for name in exact}
    told = {name: replace(channel, noise=spread[name]) for name, channel in exact.channels.items()}
    found = poinsot.fuse(ex800, replace(exact, values=noisy, channels=told))
    true = waves().kinematics.position["platform"]
    return [
        LinePanel(
            x="t [s]",
            y=f"{axis} [m]",
            curves=(
                Curve("fused", T, found.position[:, k], found.deviation["position"][:, k]),
                Curve("true", T, true[:, k], style="dashed"),
            ),
            title=f"{axis}: largest error {np.abs(found.position[:, k] - true[:, k]).max():.1e} m",
        )
        for k, axis in enumerate(AXES)
    ]


def _surfaces() -> Sequence[Panel]:
    """The cost over the mass and one inertia, the other held: at 1 kg·m² and from forces alone as in the paper, and
    at the value found from forces and moments."""
    panels: list[Panel] = []
    for moments in (False, True):
        found = estimate("swarm", moments)
        for held, varied in (("platform.inertia.zz", "Ixx"), ("Ixx", "platform.inertia.zz")):
            at = {held: found[held].value if moments else HELD}
            (panel,) = found.cost_surface(NAMES[0], varied, 41, at=at, within=NEAR if moments else None).panels()
            title = f"{'forces and moments' if moments else 'forces alone'}, {held} {at[held]:.3g} kg·m²"
            panels.append(replace(panel, title=title))
    return panels


def _convergence(method: str) -> Sequence[Panel]:
    """Values by iteration, from forces as in the paper and with moments, which contain the inertias."""
    truth = {name: poinsot.load("ex800").parameters[p].value for name, p in zip(NAMES, TRUE)}
    panels: list[Panel] = []
    for moments in (False, True):
        found = estimate(method, moments)
        assert found.convergence is not None
        steps = np.arange(1, len(found.convergence.cost) + 1)
        words = "forces and moments" if moments else "forces, which do not contain the inertias"
        for k, (name, label, unit) in enumerate(zip(NAMES, (LABELS[0], LABELS[1], LABELS[3]), UNITS[:3])):
            curves = (Curve("best so far", steps, found.convergence.values[:, k]),)
            level, y = {"true": truth[name]}, f"{label} [{unit}]"
            panels.append(LinePanel(x="iteration", y=y, curves=curves, levels=level, title=words))
    return panels


TRUE = (NAMES[0], "platform.inertia.xx", "platform.inertia.zz")
FIGURES: Mapping[str, Callable[[], Sequence[Panel]]] = {
    "figure-4": _circle,
    "figure-7": _accelerations,
    "figure-8": _angles,
    "figure-9": _forces,
    "figure-10": _fused,
    "figure-11": _sensitivity,
    "figure-12": _surfaces,
    "figure-13a": partial(_convergence, "levenberg-marquardt"),
    "figure-13b": partial(_convergence, "swarm"),
}
