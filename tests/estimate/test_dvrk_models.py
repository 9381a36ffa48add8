"""The da Vinci arms as closed loops, against their explicit Denavit–Hartenberg trees: there the loops are written as
relations between angles, and drive forces follow by virtual power in plain NumPy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.recording.columns import column_map, coupled
from poinsot.recording.recording import Recording
from tests.generated.share import share

MODELS = Path(__file__).parent / "models"
PI = np.pi
K = 0.6697  # of the tendon over the elbow of the MTM

# body: (parent, a, α, d, θ) with d and θ as (constant, gradient with respect to the seven motors)
MTM = {
    "shoulder": ("", 0, 0, (-0.2154, {}), (0, {1: 1})),
    "arm": ("shoulder", 0, -PI / 2, (0, {}), (PI / 2, {2: 1})),
    "forearm": ("arm", 0.2794, 0, (0, {}), (PI / 2, {3: 1, 2: -1})),
    "crank": ("shoulder", 0, -PI / 2, (0, {}), (PI, {3: 1})),
    "bar": ("crank", 0.1, 0, (0, {}), (-PI / 2, {2: 1, 3: -1})),
    "wrist1": ("forearm", 0.3645, -PI / 2, (0.151, {}), (0, {2: K, 3: -K, 4: 1})),
    "wrist2": ("wrist1", 0, PI / 2, (0, {}), (0, {5: 1})),
    "wrist3": ("wrist2", 0, -PI / 2, (0, {}), (PI / 2, {6: 1})),
    "grip": ("wrist3", 0, -PI / 2, (0, {}), (PI, {7: 1})),
}
PSM = {
    "yaw": ("", 0, PI / 2, (0, {}), (PI / 2, {1: 1})),
    "back": ("yaw", 0, -PI / 2, (0, {}), (-PI / 2, {2: 1})),
    "across": ("back", 0.04009, 0, (0, {}), (PI / 2, {})),
    "bottom": ("across", 0.14454, 0, (0, {}), (PI / 2, {2: -1})),
    "top": ("across", 0.14454 + 0.03808, 0, (0, {}), (PI / 2, {2: -1})),
    "end": ("bottom", 0.516, 0, (0, {}), (0, {2: 1})),
    "front": ("bottom", 0.096, 0, (0, {}), (PI, {2: 1})),
    "insertion": ("end", 0.04009, -PI / 2, (0.14454 - 0.4318, {3: 1}), (0, {})),
    "counterweight": ("back", 0.04009, -PI / 2, (0, {3: 1}), (0, {})),
    "roll": ("insertion", 0, 0, (0.4162, {}), (0, {4: 1})),
    "wrist": ("roll", 0, PI / 2, (0, {}), (PI / 2, {5: 1.0186})),
    "jaw1": ("wrist", 0.0091, -PI / 2, (0, {}), (PI / 2, {5: -0.8306, 6: 1.2178})),
    "jaw2": ("wrist", 0.0091, -PI / 2, (0, {}), (PI / 2, {5: -0.8306, 7: 1.2178})),
}
# law: gradient of its coordinate with respect to the motors
MTM_LAWS = {f"friction_J{k}": {k: 1} for k in (1, 2, 3, 5, 6, 7)} | {"friction_elbow": {2: -1, 3: 1}}
MTM_LAWS |= {"friction_J4": {2: K, 3: -K, 4: 1}, "friction_motor4": {4: 1}, "rotor4": {4: 1}}
JAWS = {"friction_J6": {5: -0.8306, 6: 1.2178}, "friction_J7": {5: -0.8306, 7: 1.2178}}
PSM_LAWS = {f"friction_J{k}": {k: 1} for k in (1, 2, 3, 4)} | {"friction_J5": {5: 1.0186}} | JAWS
PSM_LAWS |= {f"friction_motor{k}": {k: 1} for k in (6, 7)} | {f"rotor{k}": {k: 1} for k in (4, 5, 6, 7)}
PSM_LAWS |= {"friction_jaws": {6: -1.2178, 7: 1.2178}}
ARMS = {"mtm": (MTM, MTM_LAWS), "psm": (PSM, PSM_LAWS)}
MOTORS = [f"m{k}" for k in range(1, 8)]
TIMES = np.array([0.1, 0.8, 1.3])
GRAVITY = np.array([0, 0, -9.81])  # [m/s²]
STEP = 0.004  # of differences of order 6: errors of about 1e-11 in rates and 1e-9 in accelerations


def motors(t):
    """Positions (7,) of the motors, smooth and all different."""
    k = np.arange(1, 8)
    amplitude = np.array([0.4, 0.3, 0.05, 0.6, 0.5, 0.4, 0.7])
    return 0.1 * np.cos(k) * [1, 1, 0.1, 1, 1, 1, 1] + amplitude * np.sin((0.7 + 0.31 * k) * t + k)


def joints(arm, theta):
    """Joint coordinates by name from motor positions (n, 7), by the couplings of the columns file."""
    columns = column_map(MODELS / f"{arm}_columns.toml")
    numbers = {name: int(channel.column or 0) for name, channel in columns.channels.items()}
    names = sorted((name for name, number in numbers.items() if number <= 7), key=numbers.__getitem__)
    rec = Recording.of(np.arange(len(theta)), dict(zip(names, theta.T)), units={n: "rad" for n in names})
    for coupling in columns.couplings:
        rec = coupled(rec, coupling)
    return {n: rec[n] for n in rec if not n.startswith("motor")}


def place(rows, theta):
    """Poses (4, 4) of all frames of a tree: T = Rot_x(α) Trans_x(a) Rot_z(θ) Trans_z(d)."""
    found = {"": np.eye(4)}
    for name, (parent, a, alpha, d, angle) in rows.items():
        d, angle = (c + sum(w * theta[k - 1] for k, w in g.items()) for c, g in (d, angle))
        ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        X = [[c, -s, 0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca], [0, 0, 0, 1]]
        found[name] = found[parent] @ np.array(X)
    return found


def slope(f, x, h):
    """First and second derivative by differences of order 6."""
    y = [f(x + k * h) for k in range(-3, 4)]
    first = sum(w * v for w, v in zip((-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60), y)) / h
    second = sum(w * v for w, v in zip((1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90), y)) / h**2
    return first, second


def spin(dR, R):
    """Angular velocity from the derivative of a rotation matrix."""
    w = dR @ R.T
    return np.array([w[2, 1] - w[1, 2], w[0, 2] - w[2, 0], w[1, 0] - w[0, 1]]) / 2


def by_virtual_power(mechanism, rows, t):
    """Motor forces (7,) that the bodies need: τ_j = Σ (m (a − g) · ∂v/∂θ̇_j + d(Iω)/dt · ∂ω/∂θ̇_j)."""
    theta, tau = motors(t), np.zeros(7)
    here = place(rows, theta)
    for name, body in mechanism.elements.bodies.items():
        R, com = here[name][:3, :3], np.append(np.asarray(body.com, float), 1)
        J = np.asarray(body.inertia_about_centre(), float)
        T1, T2 = slope(lambda t, name=name: place(rows, motors(t))[name], t, STEP)
        w, a = spin(T1[:3, :3], R), (T2 @ com)[:3]
        alpha = spin(T2[:3, :3], R)  # Ṙ Ṙᵀ is symmetric and drops out
        moment = R @ J @ R.T @ alpha + np.cross(w, R @ J @ R.T @ w)
        for j in range(7):
            D, _ = slope(lambda x, j=j, name=name: place(rows, theta + x * np.eye(7)[j])[name], 0.0, STEP)
            tau[j] += float(body.mass) * (a - GRAVITY) @ (D @ com)[:3] + moment @ spin(D[:3, :3], R)
    return tau


def by_laws(mechanism, laws, t):
    """Motor forces (7,) that friction and rotors along the listed coordinates need."""
    tau, (v, a) = np.zeros(7), slope(motors, t, STEP)
    for name, gradient in laws.items():
        g = np.array([gradient.get(k, 0.0) for k in range(1, 8)])
        p = {n.split(".")[1]: mechanism.parameters[n].value for n in mechanism.parameters if n.startswith(f"{name}.")}
        speed = g @ v
        needed = p.get("viscous", 0) * speed + p.get("coulomb", 0) * np.sign(speed) + p.get("inertia", 0) * (g @ a)
        tau += g * needed
    return tau


def motion(arm):
    """The same motion for the joints of the model, as samples so dense that splines between them are exact."""
    t = np.linspace(-0.5, 2.0, 501)
    values = joints(arm, np.array([motors(x) for x in t]))
    return {name: (t, x) for name, x in values.items()}


@pytest.mark.parametrize("arm", ARMS)
def test_loops_move_as_the_denavit_hartenberg_rows_say(arm):
    rows, _ = ARMS[arm]
    found = poinsot.kinematics(poinsot.load(MODELS / f"{arm}.toml"), motion(arm), TIMES)
    assert found.residual < 1e-9
    for i, t in enumerate(TIMES):
        expected = place(rows, motors(t))
        for name in found.position:
            assert_allclose(found.position[name][i], expected[name][:3, 3], atol=1e-8)
            assert_allclose(found.rotation[name][i], expected[name][:3, :3], atol=1e-8)


@pytest.mark.parametrize("arm", ARMS)
def test_motor_forces_are_those_of_the_tree_with_couplings(arm):
    rows, laws = ARMS[arm]
    mechanism = poinsot.load(MODELS / f"{arm}.toml")
    alone = [n for n in mechanism.forces if n not in laws]  # springs and cables: below
    W = poinsot.regressor(mechanism, motion(arm), TIMES, MOTORS, parameters=[f"{n}.*" for n in alone])
    expected = [by_virtual_power(mechanism, rows, t) + by_laws(mechanism, laws, t) for t in TIMES]
    assert_allclose(W.rhs.reshape(-1, 7), expected, atol=2e-7 * np.abs(expected).max())


def test_spring_and_cable_of_the_mtm_are_the_published_ones():
    mechanism = poinsot.load(MODELS / "mtm.toml")
    W = poinsot.regressor(mechanism, motion("mtm"), TIMES, MOTORS, parameters=["balance.*", "cable.*"])
    polynomial = [0.0004877, -0.0037149, 0.0067497, 0.008519, -0.0201475, -0.025265, 0.048095, 0.00255]
    r, h, rest, turn = 0.0075, 0.1035, 0.0613, np.radians(23)
    for t, forces in zip(TIMES, (W.matrix @ W.parameters).reshape(-1, 7)):
        theta = motors(t)
        torque = np.polyval(polynomial, K * theta[1] - K * theta[2] + theta[3])
        length = np.sqrt(r**2 + h**2 - 2 * r * h * np.cos(PI + turn - theta[4]))
        spring = -r * h * np.sin(PI + turn - theta[4]) / length * (length - rest)
        expected = [
            0,
            K * torque,
            -K * torque,
            torque,
            mechanism.parameters["balance.stiffness"].value * spring,
            0,
            0,
        ]
        assert_allclose(forces, expected, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("arm", share(ARMS))
def test_pins_that_are_hinges_ask_the_same_of_the_motors(arm):
    """Hinges hold more than a planar loop needs: reactions are undetermined then, drive forces are not."""
    mechanism = poinsot.load(MODELS / f"{arm}.toml")
    joints = mechanism.document["joints"]
    hinges = {n: {**j, "type": "revolute"} if j["type"] == "point-on-line" else j for n, j in joints.items()}
    stiff = poinsot.build({**mechanism.document, "joints": hinges})
    ours, theirs = (poinsot.regressor(m, motion(arm), TIMES, MOTORS).matrix for m in (mechanism, stiff))
    assert_allclose(theirs, ours, atol=1e-9 * np.abs(ours).max())
