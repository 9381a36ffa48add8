"""The TX40, the EMPS and the DFKI double pendulum: model files against equations written out in plain NumPy, and
against what was measured on the machines.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from scipy.signal import butter, decimate, sosfiltfilt

import poinsot
from poinsot.recording.motion import recorded_motion
from tests.recording.conftest import data as data  # the folder of measured data

MODELS = Path(__file__).parent / "models"
G = 9.81
# modified Denavit–Hartenberg rows (α, a, d, offset of θ) of the TX40
ROWS = [
    (0, 0, 0.32, 0),
    (-np.pi / 2, 0, 0, 0),
    (0, 0.225, 0.035, 0),
    (np.pi / 2, 0, 0.225, 0),
    (-np.pi / 2, 0, 0, 0),
    (np.pi / 2, 0, 0, np.pi),
]
COUPLED = np.eye(6)
COUPLED[5, 4] = 1.0  # s = R q: motor 6 turns q5 + q6


def model(name: str) -> poinsot.Mechanism:
    return poinsot.load(MODELS / f"{name}.toml")


def swinging(names, seed) -> tuple[dict, np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A motion s = A sin(ωt + φ) of every coordinate, times (n,), and s, its rate and acceleration (n, c) there."""
    rng, t = np.random.default_rng(seed), np.linspace(0.0, 2.0, 21)
    A, w, phase = rng.uniform(0.5, 1.5, len(names)), rng.uniform(2, 5, len(names)), rng.uniform(0, 6, len(names))
    motion = {n: lambda t, k=k: A[k] * np.sin(w[k] * t + phase[k]) for k, n in enumerate(names)}
    at = w * t[:, None] + phase
    return motion, t, (A * np.sin(at), A * w * np.cos(at), -A * w**2 * np.sin(at))


def newton_euler(bodies, q, v, a) -> np.ndarray:
    """Joint torques (6,) of the links alone: velocities outward, forces inward, all in world axes."""
    R, p, w, dw, acc = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.array([0, 0, G])
    axes, places, wrenches = [], [], []
    for k, (alpha, length, d, offset) in enumerate(ROWS):
        c, s = np.cos(alpha), np.sin(alpha)
        step = R @ np.array([length, -s * d, c * d])
        acc = acc + np.cross(dw, step) + np.cross(w, np.cross(w, step))
        p, turn = p + step, q[k] + offset
        R = R @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        z = R[:, 2]
        R = R @ np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        dw = dw + z * a[k] + np.cross(w, z * v[k])
        w = w + z * v[k]
        body = bodies[f"link{k + 1}"]
        r, J = R @ np.array(body.com), R @ np.asarray(body.inertia_about_centre(), float) @ R.T
        f = body.mass * (acc + np.cross(dw, r) + np.cross(w, np.cross(w, r)))
        n = J @ dw + np.cross(w, J @ w)
        axes, places, wrenches = [*axes, z], [*places, p], [*wrenches, (f, n + np.cross(p + r, f))]
    return np.array(
        [
            z @ (sum(n for _, n in wrenches[k:]) - np.cross(p, sum(f for f, _ in wrenches[k:])))
            for k, (z, p) in enumerate(zip(axes, places))
        ]
    )


def test_the_tx40_needs_the_torques_of_newton_and_euler():
    arm = model("tx40")
    motion, t, (q, v, a) = swinging([f"q{k}" for k in range(1, 7)], seed=1)
    forces, value = poinsot.inverse_dynamics(arm, motion, t).forces, {n: p.value for n, p in arm.parameters.items()}

    def friction(name, rate):
        turn = np.tanh(rate / value[f"{name}.smooth"])
        return value[f"{name}.viscous"] * rate + value[f"{name}.coulomb"] * turn

    links = np.array([newton_euler(arm.bodies, *state) for state in zip(q, v, a)])
    drives = [value[f"J{k}.drive_inertia"] * a[:, k - 1] + friction(f"J{k}", v[:, k - 1]) for k in range(1, 7)]
    both = value["M6_rotor.inertia"] * (a[:, 4] + a[:, 5]) + friction("M6_friction", v[:, 4] + v[:, 5])
    expected = np.linalg.solve(COUPLED.T, (links + np.array(drives).T).T).T  # τ = Rᵀ M
    expected[:, 5] += both
    found = np.stack([forces[f"M{k}"] for k in range(1, 7)], axis=1)
    assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    w = poinsot.regressor(arm, motion, t)
    assert_allclose(w.values, found, atol=1e-9 * np.abs(expected).max())


def test_the_two_first_drives_of_the_tx40_are_lumped_with_links_and_the_others_are_not():
    groups = [
        line.split("  ")[-1].strip()
        for line in str(poinsot.base_parameters(model("tx40"))).splitlines()
        if "drive_inertia" in line or "M6" in line
    ]
    alone = {f"J{k}.drive_inertia" for k in range(3, 7)} | {"M6_rotor.inertia", "M6_friction.viscous"}
    assert alone <= set(groups)
    for drive, link in (("J1.drive_inertia", "link1.Izz"), ("J2.drive_inertia", "link2.Izz")):
        assert [g for g in groups if drive in g and link in g]
        assert drive not in groups


def test_the_slide_is_newtons_law_with_friction():
    motion, t, (_, v, a) = swinging(["q"], seed=2)
    w = poinsot.regressor(model("emps"), motion, t, parameters=["slide.m", "rail.*"])
    assert w.columns == ("slide.m", "rail.viscous", "rail.coulomb", "rail.offset")
    assert_allclose(w.matrix, np.c_[a, v, np.sign(v), np.ones(len(t))], atol=1e-9)


def pendulum_columns(q, v, a, length):
    """Lagrange's equations of two links, torques of both joints (n, 2) for upper (mx, J), lower (m, mx, J), Ia."""
    (q1, q2), (v1, v2), (a1, a2), zero = q.T, v.T, a.T, np.zeros(len(q))
    s, c, l = np.sin(q2), np.cos(q2), length
    swing = G * np.sin(q1 + q2)
    first = l * (c * (2 * a1 + a2) - s * (2 * v1 * v2 + v2**2)) + swing
    return {
        "upper.mx": (G * np.sin(q1), zero),
        "upper.J": (a1, zero),
        "lower.m": (l**2 * a1 + l * G * np.sin(q1), zero),
        "lower.mx": (first, l * (c * a1 + s * v1**2) + swing),
        "lower.J": (a1 + a2, a1 + a2),
        "elbow.drive_inertia": (zero, a2),
    }


def test_the_double_pendulum_is_lagranges():
    motion, t, states = swinging(["q1", "q2"], seed=3)
    expected = pendulum_columns(*states, 0.2)
    w = poinsot.regressor(model("dfki"), motion, t, ["shoulder_motor", "elbow_motor"], parameters=list(expected))
    for k, name in enumerate(w.columns):
        assert_allclose(w.matrix[:, k].reshape(-1, 2), np.array(expected[name]).T, atol=1e-9)


def tx40_rows(data) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names, regressor (n, 6, k) and motor torques (n, 6) at 100 Hz while the arm moves, both behind 30 Hz."""
    files = [data / "tx40" / f"motor_{what}.csv.gz" for what in ("position", "torque")]
    rec = poinsot.read(files, columns=[MODELS / f"tx40_{what}_columns.toml" for what in ("position", "torque")])
    recorded = recorded_motion(rec, model("tx40"), cutoff=30.0)
    rates = recorded.recording.table([f"E{k}.rate" for k in range(1, 7)])
    moving = np.flatnonzero((np.abs(rates) > 0.05 * np.abs(rates).max(axis=0)).any(axis=1))
    rows = np.arange(moving[0], moving[-1], 50)
    w = poinsot.regressor(recorded.mechanism, recorded.motion, recorded.t[rows])
    filtered = sosfiltfilt(butter(4, 30.0, fs=5000, output="sos"), rec.table([f"M{k}" for k in range(1, 7)]), axis=0)
    return w.columns, w.matrix.reshape(len(rows), 6, -1), filtered[rows]


def weighted(W, y) -> np.ndarray:
    """Two steps of least squares, rows weighted by each motor's residual."""
    sigma, length = np.ones(6), np.sqrt((W**2).mean(axis=(0, 1))) + 1e-12
    for _ in range(2):
        A, b = (W / sigma[:, None] / length).reshape(-1, W.shape[2]), (y / sigma).ravel()
        theta = np.linalg.lstsq(A, b, rcond=1e-7)[0] / length
        sigma = (y - W @ theta).std(axis=0)
    return theta


@pytest.mark.slow
def test_half_a_recording_of_the_tx40_predicts_the_other_and_finds_the_published_drives(data):
    names, W, y = tx40_rows(data)
    half, goal = len(y) // 2, [0.097, 0.130, 0.148, 0.150, 0.177, 0.175]  # in sample, of a plain least squares
    for one, other in ((slice(None, half), slice(half, None)), (slice(half, None), slice(None, half))):
        theta = weighted(W[one], y[one])
        left, torque = (x @ COUPLED for x in ((y - W @ theta)[other], y[other]))
        assert (left.std(axis=0) / torque.std(axis=0) < goal).all()
    found = dict(zip(names, weighted(W, y)))
    inertia = np.array([found[f"J{k}.drive_inertia"] for k in range(3, 7)])
    viscous = np.array([found[f"J{k}.viscous"] for k in range(1, 7)])
    inertia[2:] += found["M6_rotor.inertia"]  # published are the totals on the diagonal
    viscous[4:] += found["M6_friction.viscous"]
    assert_allclose(inertia, [0.0988, 0.0313, 0.0468, 0.0105], rtol=0.15)
    assert_allclose(viscous, [8.05, 5.53, 1.97, 1.11, 1.86, 0.65], rtol=0.2)
    assert_allclose([found["M6_rotor.inertia"], found["M6_friction.viscous"]], [0.00964, 0.616], rtol=0.15)


def test_the_slide_has_the_published_mass_and_friction(data):
    rec = poinsot.read(data / "emps" / "DATA_EMPS.mat", columns=MODELS / "emps_columns.toml")
    recorded = recorded_motion(rec, model("emps"), cutoff=100.0)
    w = poinsot.regressor(recorded.mechanism, recorded.motion, recorded.t, parameters=["slide.m", "rail.*"])
    A, b = (decimate(x, 10, axis=0)[10:-10] for x in (w.matrix, recorded.recording["drive"]))
    theta = np.linalg.lstsq(A, b, rcond=None)[0]
    assert_allclose(theta, [95.1089, 203.5034, 20.3935, -3.1648], rtol=0.005)


def test_the_voltage_of_the_slide_is_that_of_its_cascade(data):
    """v = k_v (k_p (q_g − q) − q̇) with q̇ over two samples; it is recorded with a noise of 0.2 %."""
    rec = poinsot.read(data / "emps" / "DATA_EMPS.mat", columns=MODELS / "emps_columns.toml")
    q, rate = rec["q"], np.zeros(len(rec))
    rate[2:] = (q[2:] - q[:-2]) / 0.002
    expected = rec.constants["kv"] * (rec.constants["kp"] * (rec["reference"] - q) - rate)
    assert np.std((rec["voltage"] - expected)[2:]) < 0.003 * np.std(rec["voltage"])


def published(data, version) -> dict[str, float]:
    return yaml.safe_load((data / "double-pendulum" / f"published_model_{version}.yml").read_text())


def combinations(p) -> np.ndarray:
    """What torques determine: upper.mx + l m₂, upper.J + l² m₂, lower.mx, lower.J."""
    l, m2 = p["l1"], p["m2"]
    return np.array([p["m1"] * p["r1"] + l * m2, p["I1"] + l**2 * m2, m2 * p["r2"], p["I2"]])


def test_two_published_sets_of_the_pendulum_contradict_each_other_only_where_nothing_is_determined(data):
    one, two, three = (published(data, v) for v in ("1.0", "2.0", "3.0"))
    assert one["m2"] > 1.8 * two["m2"]
    assert_allclose(combinations(one), combinations(two), rtol=0.06)
    assert np.max(np.abs(combinations(three) / combinations(one) - 1)) > 0.5
    lines = str(poinsot.base_parameters(model("dfki")))
    assert "upper.mx + 0.2 lower.m" in lines and "upper.J + 0.04 lower.m" in lines


def test_the_third_published_set_of_the_pendulum_does_not_explain_its_torques(data):
    """Beyond friction and offset, which are fitted: what is left of the elbow's torque by the inertia of each set."""
    rec = poinsot.read(data / "double-pendulum" / "run_154220.csv.gz", columns=MODELS / "dfki_columns.toml")
    recorded = recorded_motion(rec, model("dfki"), cutoff=10.0)
    rows = slice(len(recorded.t) // 20, -len(recorded.t) // 20)
    names = ["lower.mx", "lower.J", "elbow.*"]
    w = poinsot.regressor(recorded.mechanism, recorded.motion, recorded.t[rows], "elbow_motor", parameters=names)
    torque = sosfiltfilt(butter(4, 10.0, fs=500, output="sos"), recorded.recording["elbow_motor"])[rows]
    dry = np.array([name.startswith("elbow") and "inertia" not in name for name in w.columns])
    left = {}
    for version in ("1.0", "2.0", "3.0"):
        p = published(data, version)
        inertia = {"lower.mx": p["m2"] * p["r2"], "lower.J": p["I2"], "elbow.drive_inertia": p["gr"] ** 2 * p["Ir"]}
        known = w.matrix[:, ~dry] @ [inertia[name] for name in np.array(w.columns)[~dry]]
        free = np.linalg.lstsq(w.matrix[:, dry], torque - known, rcond=None)[0]
        left[version] = np.std(torque - known - w.matrix[:, dry] @ free) / np.std(torque)
    assert max(left["1.0"], left["2.0"]) < 0.25 and left["3.0"] > 0.4, left


def test_two_published_sets_of_the_pendulum_are_no_bodies(data):
    """I about the joint is at least m r²."""
    possible = [p["I2"] > p["m2"] * p["r2"] ** 2 for p in (published(data, v) for v in ("1.0", "2.0", "3.0"))]
    assert possible == [True, False, False]
