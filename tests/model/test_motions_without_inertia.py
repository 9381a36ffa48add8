"""Bodies that can move without any inertia are named by `check`, and a simulation says where to look."""

from __future__ import annotations

import pytest

import poinsot
from poinsot.errors import PoinsotError

ARM = """
format = 1
[bodies.link]
mass = {mass}
com = [{half}, 0, 0]
inertia = [0, {inertia}, {inertia}]
frames.tip = [{length}, 0, 0]
[bodies.flange]
mass = {flange}
[joints.A]
type = "revolute"
between = ["ground", "link"]
axis = [0, 0, 1]
actuated = true
[joints.B]
type = "revolute"
between = ["link.tip", "flange"]
axis = [1, 0, 0]
actuated = true
"""


def arm(length: float = 1.0, mass: float = 2.0, flange: float = 0.0, more: str = "") -> poinsot.Mechanism:
    inertia = mass * length**2 / 12
    text = ARM.format(mass=mass, half=length / 2, inertia=inertia, length=length, flange=flange)
    return poinsot.loads(text + more, "arm")


def named(mechanism: poinsot.Mechanism) -> str:
    return " ".join(f.text for f in poinsot.check(mechanism).findings if "without any inertia" in f.text)


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("mass", [1e-9, 2.0, 1e6])
@pytest.mark.parametrize("flange", [0.0, 0.5])  # a point of mass on the axis resists as little
def test_a_flange_that_turns_about_its_own_axis_is_named(length, mass, flange):
    said = named(arm(length, mass, flange))
    assert "flange;" in said and "link" not in said


def test_the_rotor_of_its_drive_is_enough():
    rotor = '[forces.rotor]\ntype = "drive-inertia"\non = { joint = "B" }\ninertia = "1e-6 kg·m²"\n'
    machine = arm(more=rotor)
    assert named(machine) == ""
    assert poinsot.simulate(machine, 0.01).finished


@pytest.mark.parametrize("name", poinsot.library_names())
def test_no_mechanism_of_the_library_has_such_a_motion(name):
    assert named(poinsot.load(name)) == ""


def test_a_simulation_says_where_to_look():
    with pytest.raises(PoinsotError, match=r"no inertia; `check` names it"):
        poinsot.simulate(arm(), 0.01)
