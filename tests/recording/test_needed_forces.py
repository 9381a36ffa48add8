"""What a motion needs, from one regressor along a plain path, against kinematics and inverse dynamics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.motion.kinematics import solve_path
from poinsot.recording.findings.explained import needed
from poinsot.recording.findings.plain_path import plain_path
from poinsot.recording.findings.scales import scales_of
from poinsot.recording.findings.trial import trial_of
from poinsot.recording.place import placed
from tests.recording.good import GOOD


@pytest.fixture(scope="module", params=GOOD)
def trial(request):
    good = GOOD[request.param]()
    units = {name: unit for name, unit in good.units.items() if name != "t"}
    rec = poinsot.Recording.of(good.t, {name: good.columns[name] for name in units}, units=units)
    return trial_of(placed(rec, good.mechanism), good.mechanism)


@pytest.mark.parametrize("solve", [plain_path, solve_path])
def test_the_regressor_gives_the_forces_of_inverse_dynamics(trial, solve):
    found = needed(trial, trial.states, solve)
    exact = poinsot.inverse_dynamics(trial.mechanism, trial.motion(trial.states), trial.t)
    forces = np.stack([exact.forces[name] for name in trial.actuators], axis=1)
    assert_allclose(found.forces, forces, rtol=0, atol=1e-9 * np.abs(forces).max())


def test_a_motion_out_of_reach_has_no_plain_path(trial):
    lengths = [trial.mechanism.coordinates[name].unit == "m" for name in trial.positions]
    if not any(lengths):
        pytest.skip("only lengths have an end")
    states = np.where(np.array(lengths)[None, :, None], 1e3 * trial.states, trial.states)
    assert plain_path(trial.mechanism, trial.motion(states), trial.t) is None
    assert needed(trial, states, plain_path) is None


def test_scales_are_those_of_states_each_in_a_chart_of_its_own(trial):
    motion = needed(trial, trial.states, solve_path)
    states = replace(motion.states, p=np.tile(motion.states.p, (len(trial.t), 1)))
    one, many = scales_of(trial, motion), scales_of(trial, replace(motion, states=states))
    for name in ("gravity", "inertia", "whole", "left"):
        assert_allclose(getattr(many, name), getattr(one, name), rtol=1e-6, atol=1e-9)
