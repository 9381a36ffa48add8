"""What goes wrong at a test rig: each fault is named by a finding, or noticed by the verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

ARM = poinsot.load("five_bar")
T = np.arange(0, 12, 0.01)
STUDY = """
format = 1
model = "five_bar"
[recordings.first]
file = "run.csv"
[recordings.second]
file = "held_out.csv"
role = "validate"
"""
Table = dict[str, np.ndarray]


def motion(seed: int, size: float = 1.0) -> dict[str, poinsot.Fourier]:
    """Two cranks about the model's pose."""
    rng, found = np.random.default_rng(seed), {}
    for actuator, name in zip(ARM.actuators, DRIVEN):
        a, b = 0.12 * size * rng.uniform(-1, 1, (2, 5))
        home = poinsot.kinematics(ARM, {n: float(ARM.elements.pose[n]) for n in ARM.elements.pose}, [0.0])
        found[name] = poinsot.Fourier(2 * np.pi / 4, tuple(a), tuple(b), float(home.coordinates[name][0]))
        assert actuator
    return found


DRIVEN = tuple(ARM.coordinates)[:2]


def table(arm: poinsot.Mechanism, seed: int, size: float = 1.0) -> Table:
    """A run: angles of the cranks and their torques, with noise."""
    run, rng = poinsot.inverse_dynamics(arm, motion(seed, size), T), np.random.default_rng(seed)
    angles = {name: run.kinematics.coordinates[name] + 1e-5 * rng.standard_normal(len(T)) for name in DRIVEN}
    level = {name: 0.01 * np.std(f) for name, f in run.forces.items()}
    return angles | {name: f + level[name] * rng.standard_normal(len(T)) for name, f in run.forces.items()}


def written(path: Path, columns: Table) -> None:
    units = {name: "rad" if name in DRIVEN else "N·m" for name in columns}
    lines = [",".join(["t [s]", *(f"{name} [{units[name]}]" for name in columns)])]
    lines += [",".join(f"{x:.9g}" for x in row) for row in np.column_stack([T, *columns.values()])]
    path.write_text("\n".join(lines))


def swapped(run: Table) -> Table:
    a, b = ARM.actuators
    return run | {a: run[b], b: run[a]}


def negated(run: Table) -> Table:
    a = next(iter(ARM.actuators))
    return run | {a: -run[a]}


def degrees(run: Table) -> Table:
    return run | {DRIVEN[0]: np.rad2deg(run[DRIVEN[0]])}


def late(run: Table) -> Table:
    return run | {name: np.interp(T - 0.02, T, run[name]) for name in ARM.actuators}


FAULTS: dict[str, Callable[[Table], Table]] = {
    "torques swapped": swapped,
    "a torque with the wrong sign": negated,
    "torques 20 ms late": late,
}


def judged(folder: Path, first: Table, second: Table) -> tuple[bool, str]:
    """Whether nothing is wrong, and what is said."""
    written(folder / "run.csv", first)
    written(folder / "held_out.csv", second)
    (folder / "study.toml").write_text(STUDY)
    est = poinsot.identify(folder / "study.toml")
    found = [str(f) for run in est.study.runs for f in run.recording.problems]
    sound = not found and not est.numerics and "does not predict" not in est.verdict and "in doubt" not in est.verdict
    return sound, "\n".join([est.verdict, *found])


def test_a_good_run_raises_no_alarm(tmp_path):
    sound, said = judged(tmp_path, table(ARM, 1), table(ARM, 2))
    assert sound, said


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_noticed(tmp_path, fault):
    sound, said = judged(tmp_path, FAULTS[fault](table(ARM, 1)), FAULTS[fault](table(ARM, 2)))
    assert not sound, said


def test_an_angle_in_degrees_is_named(tmp_path):
    with pytest.raises(PoinsotError, match=r"run .first. is no motion of the mechanism.*degrees"):
        judged(tmp_path, degrees(table(ARM, 1)), table(ARM, 2))


def test_a_payload_that_was_not_declared_is_noticed(tmp_path):
    name = next(name for name in ARM.parameters if name.endswith("mass"))
    heavy = ARM.with_parameters({name: 1.5 * ARM.parameters[name].value})
    sound, said = judged(tmp_path, table(ARM, 1), table(heavy, 2))
    assert not sound, said
    assert "does not predict" in said


def test_too_little_excitation_leaves_parameters_undetermined(tmp_path):
    written(tmp_path / "run.csv", table(ARM, 1, size=1e-3))
    written(tmp_path / "held_out.csv", table(ARM, 2))
    (tmp_path / "study.toml").write_text(STUDY)
    little = poinsot.identify(tmp_path / "study.toml")
    assert little.held > 0
    assert len(little.combinations) < poinsot.base_parameters(ARM).rank
