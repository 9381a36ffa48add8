"""Plain numbers beyond two turns, where Python takes a pose or a motion, are asked about, once."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest

import poinsot

BAR, T = poinsot.load("four_bar"), np.linspace(0, 0.1, 20)
GEARED = {
    "format": 1,
    "bodies": {"motor": {"mass": 1, "inertia": [1, 1, 1]}, "drum": {"mass": 1, "inertia": [1, 1, 1]}},
    "joints": {
        "motor": {"type": "revolute", "between": ["ground", "motor"]},
        "drum": {"type": "revolute", "between": [{"body": "ground", "position": [1, 0, 0]}, "drum"]},
    },
    "couplings": {"gear": {"on": {"combination": {"motor": 1, "drum": 8}}}},
    "coordinates": {"q": {"joint": "motor"}},
    "actuators": {"M": {"on": {"joint": "motor"}}},
}
ASKED = {
    "simulate": (lambda: poinsot.simulate(BAR, 0.01, pose={"theta1": 60}), '= 60 rad; were .* "60 deg"'),
    "state": (lambda: poinsot.accelerations(BAR, poinsot.State(pose={"theta1": 60})), "= 60 rad"),
    "assemble": (lambda: poinsot.assemble(BAR, {"theta1": 60}), "= 60 rad"),
    "hold": (lambda: poinsot.hold(BAR, {"theta1": -60.0}), "= -60 rad"),
    "constant": (lambda: poinsot.kinematics(BAR, {"theta1": 60}, T), "goes from 60 to 60 rad"),
    "series": (
        lambda: poinsot.inverse_dynamics(BAR, {"theta1": poinsot.Fourier(2.5, (5,), (0,), 60)}, T),
        "goes from 55 to 65 rad; were degrees meant",
    ),
    "samples": (lambda: poinsot.kinematics(BAR, {"theta1": (T, np.linspace(0, 90, 20))}, T), "from 0 to 90 rad"),
    "regressor": (lambda: poinsot.regressor(BAR, {"theta1": (T, 60 + T)}, T), "goes from 60 to 60.1 rad"),
}


@pytest.mark.parametrize("call", ASKED)
def test_plain_angles_beyond_two_turns_are_asked_about_once(call):
    run, words = ASKED[call]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    assert len([w for w in found if "degrees meant" in str(w.message)]) == 1
    with pytest.warns(UserWarning, match=f"theta1 {words}" if words[0] == "=" else words):
        run()


geared = poinsot.build(GEARED, "geared")
QUIET = {
    "a text": lambda: poinsot.simulate(BAR, 0.01, pose={"theta1": "780 deg"}),
    "a turn": lambda: poinsot.simulate(BAR, 0.01, pose={"theta1": 6.5}),
    "a function that turns": lambda: poinsot.kinematics(BAR, {"theta1": lambda t: 300 * t}, T),
    "a motor's pose": lambda: poinsot.simulate(geared, 0.01, pose={"q": 60}),
    "a motor's motion": partial(poinsot.kinematics, geared, {"q": (T, np.linspace(0, 90, 20))}, T),
}


@pytest.mark.parametrize("call", QUIET)
def test_angles_that_say_their_unit_or_do_turn_are_not_asked_about(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        QUIET[call]()
