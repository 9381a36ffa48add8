"""Half a second of the hexapod to 1e-6, against MuJoCo and Exudyn: the motion of the paper's dynamic test.

MuJoCo's constraints are soft. They are made as hard as it allows (time constant of two steps, impedance 0.9999), and
it gets the model with balls, which is the faster one for it, its loop in C and the largest step that reaches 1e-6.
Exudyn's joints are exact; it gets the same model, the generalised α method without damping (order two) and a sparse
solver, and again the fewest steps that reach 1e-6.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import mujoco
import numpy as np

import poinsot
from poinsot.motion.counted_turns import first_counts
from poinsot.simulation.integration import compiled_motion
from poinsot.system.initial_state import state
from poinsot.system.system import start, system

from .hexapods import with_balls
from .measure import Table, interleave
from .peer_exudyn import ExudynModel

END, GOAL = 0.5, 1e-6  # [s]; of the platform's position [m] and of its rotation matrix
FORCES = {f"leg{i}": 9.5 if i < 3 else 8.5105 for i in range(1, 7)}  # [N]
STEPS = (0.02, 0.0125, 0.01, 0.005, 0.004, 0.0025, 0.002, 0.001, 0.0005)  # [s]
COUNTS = (100, 200, 400, 500, 600, 700, 800, 1000, 2000)
TOLERANCES = (1e-3, 3e-4, 1e-4, 5e-5, 3e-5, 1e-5, 1e-6, 1e-7)


def run() -> Table:
    """Find the coarsest setting of each that reaches the goal, then time them in turn."""
    hexapod = poinsot.load("hexapod")
    reference = _place(_simulate(hexapod, 1e-13))
    rtol, error = next((x, e) for x in TOLERANCES if (e := _error(_simulate(hexapod, x), reference)) < GOAL)
    world = _World(with_balls(hexapod))
    step, soft = next((x, e) for x in STEPS if (e := np.max(np.abs(world.run(x) - reference))) < GOAL)
    exact = ExudynModel(with_balls(hexapod), FORCES)
    count, left = next(
        (n, e) for n in COUNTS if (e := np.max(np.abs(exact.run(END, n, "platform") - reference))) < GOAL
    )
    pushes = iter(range(10**9))

    def elsewhere() -> None:
        _simulate(hexapod, rtol, {"z": 0.5000058 + 1e-9 * next(pushes)})

    times = interleave(
        {
            "Poinsot": lambda: _simulate(hexapod, rtol),
            "Poinsot, from a pose not seen before": elsewhere,
            "Poinsot, its native loop alone": _loop(hexapod, rtol),
            "MuJoCo, RK4": lambda: world.run(step),
        },
        repeats=60,
    )
    times |= interleave({"Exudyn": lambda: exact.run(END, count, "platform")}, repeats=3)
    milli = {name: 1e3 * t.best for name, t in times.items()}
    ratio = milli["MuJoCo, RK4"] / milli["Poinsot"]
    loop = milli["MuJoCo, RK4"] / milli["Poinsot, its native loop alone"]
    slow = milli["Exudyn"] / milli["Poinsot"]
    notes = {
        "Poinsot": f"rtol {rtol:g}, error {error:.1e}",
        "MuJoCo, RK4": f"step {step:g} s, error {soft:.1e}",
        "Exudyn": f"{count} steps, error {left:.1e}",
    }
    return Table(
        f"the hexapod over {END} s to {GOAL:g}, ms",
        ("what", "ms", "MuJoCo / this", "setting"),
        tuple((name, value, milli["MuJoCo, RK4"] / value, notes.get(name, "")) for name, value in milli.items()),
        (
            (f"the whole call at least 3 × MuJoCo's loop: {ratio:.1f}", ratio >= 3),
            (f"the whole call at least 100 × Exudyn: {slow:.0f}", slow >= 100),
            (f"the loop at least 3 × MuJoCo's loop: {loop:.1f}", loop >= 3),
        ),
        {f"{name} [ms]": value for name, value in milli.items()},
    )


def _simulate(mechanism, rtol: float, pose=None):
    return poinsot.simulate(mechanism, END, t=[END], forces=FORCES, pose=pose, rtol=rtol, atol=rtol / 100)


def _loop(mechanism, rtol: float):
    """The same motion without what `simulate` does before and after."""
    begin = start(mechanism, None)
    compiled = system(mechanism, home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, v = state(compiled, begin, p, None)
    motion = compiled_motion(compiled, tuple((name, None) for name in compiled.commands), {}, "explicit")
    y = np.concatenate([q, v, first_counts(compiled, q, p), [0.0]])
    P = np.concatenate([list(FORCES.values()), p])
    times = np.array([0.0, END])
    return lambda: motion(times, y, P, rtol=rtol, atol=rtol / 100, max_steps=10_000, threads=1)


def _place(result) -> np.ndarray:
    return np.r_[result.position["platform"][-1], result.rotation["platform"][-1].ravel()]


def _error(result, reference: np.ndarray) -> float:
    return float(np.max(np.abs(_place(result) - reference)))


class _World:
    """The hexapod in MuJoCo."""

    def __init__(self, mechanism):
        with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about aids where there is no inertia
            poinsot.write_mjcf(mechanism, Path(directory) / "model.xml")
            self.model = mujoco.MjModel.from_xml_path(str(Path(directory) / "model.xml"))
        self.data = mujoco.MjData(self.model)
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.eq_solimp[:] = (0.9999, 0.9999, 0.001, 0.5, 2)
        self.platform = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, "platform")

    def run(self, step: float) -> np.ndarray:
        """Position and rotation matrix of the platform in the end (12,)."""
        m, d = self.model, self.data
        m.opt.timestep, m.eq_solref[:] = step, (2 * step, 1)
        mujoco.mj_resetData(m, d)
        for name, force in FORCES.items():
            d.ctrl[mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_ACTUATOR, name)] = force
        mujoco.mj_step(m, d, round(END / step))
        mujoco.mj_kinematics(m, d)
        return np.r_[d.xpos[self.platform], d.xmat[self.platform]]
