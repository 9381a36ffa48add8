"""Components: shared and separate parameters, one unknown or six, nesting, arguments, placement."""

import numpy as np
import pytest

from poinsot.errors import PoinsotError
from poinsot.estimate.study import require_parameters
from poinsot.model.assembly.assembly import assemble
from poinsot.model.assembly.first_guess import first_guess
from poinsot.model.assembly.topology import topology
from poinsot.model.load import load
from poinsot.model.mechanism import build
from poinsot.model.toml import dumps

ROD = {"mass": 1.0, "inertia": [1, 1, 1]}


def legs(rod=None, **instance) -> dict:
    """A model with copies of one component on balls along the x axis."""
    component = {
        "arguments": ["x"],
        "bodies": {"rod": rod or ROD},
        "joints": {"ball": {"type": "spherical", "between": [{"body": "ground", "position": ["{x}", 0, 0]}, "rod"]}},
    }
    return {
        "format": 1,
        "components": {"leg": component},
        "instances": {"leg": {"component": "leg", "x": 1.0, **instance}},
    }


def test_copies_share_their_parameters_unless_told_otherwise():
    mechanism = build(legs(number=3))
    assert mechanism.parameters["leg.rod.mass"].copies == ("leg1.rod.mass", "leg2.rod.mass", "leg3.rod.mass")
    heavy = mechanism.with_parameters({"leg.rod.mass": 7.0})
    assert [heavy.bodies[f"leg{i}.rod"].mass for i in (1, 2, 3)] == [7.0] * 3


def test_separate_copies_have_their_own():
    mechanism = build(legs(number=3, separate=True)).with_parameters({"leg2.rod.mass": 7.0})
    assert [mechanism.bodies[f"leg{i}.rod"].mass for i in (1, 2, 3)] == [1.0, 7.0, 1.0]
    assert "leg.rod.mass" not in mechanism.parameters


def test_patterns_separate_some_parameters_only():
    names = set(build(legs(number=2, separate=["rod.m*"])).parameters)
    assert {"leg1.rod.mass", "leg2.rod.mass", "leg.rod.inertia.xx"} <= names
    assert not {"leg.rod.mass", "leg1.rod.inertia.xx"} & names


def test_a_number_that_an_argument_gives_belongs_to_its_copy():
    mechanism = build(legs(number=3, x=[1.0, 2.0, -3.0]))
    assert [mechanism.joints[f"leg{i}.ball"].a.position[0] for i in (1, 2, 3)] == [1.0, 2.0, -3.0]
    moved = mechanism.with_parameters({"leg2.ball.a.x": 5.0})
    assert [moved.joints[f"leg{i}.ball"].a.position[0] for i in (1, 2, 3)] == [1.0, 5.0, -3.0]


def test_the_feet_of_a_hexapod_look_in_six_directions():
    mechanism = load("hexapod")
    turns = [np.asarray(mechanism.joints[f"leg{i}.foot"].frame_on_a().R) for i in range(1, 7)]
    positions = [np.asarray(mechanism.joints[f"leg{i}.foot"].a.pose().p) for i in range(1, 7)]
    assert len({tuple(np.round(p, 9)) for p in positions}) == 6
    assert len({tuple(np.round(R.ravel(), 9)) for R in turns}) == 6


@pytest.mark.parametrize("name", ["ex800", "hexapod"])
def test_one_unknown_becomes_six_with_the_same_value(name):
    mechanism = load(name)
    shared = next(n for n, p in mechanism.parameters.items() if p.role == "inertia" and len(p.copies) == 6)
    heavier = mechanism.with_parameters({shared: 0.77})
    apart = heavier.with_separate(shared)
    six = mechanism.parameters[shared].copies
    assert shared not in apart.parameters and all(apart.parameters[n].value == 0.77 for n in six)
    assert len(apart.parameters) == len(mechanism.parameters) + 5
    one = apart.with_parameters({six[2]: 0.5})
    assert [one.parameters[n].value for n in six] == [0.77, 0.77, 0.5, 0.77, 0.77, 0.77]
    others = set(mechanism.parameters) - {shared}
    assert all(one.parameters[n].value == mechanism.parameters[n].value for n in others)


def test_what_was_made_separate_can_be_one_again():
    ex800 = load("ex800").with_parameters({"rods.mass": 0.77})
    apart = ex800.with_separate("rods.mass")
    one = apart.with_shared("rods.mass", "leg*.rod.mass")
    assert dict(one.document) == dict(ex800.document) | {"instances": one.document["instances"]}
    assert {n: p.value for n, p in one.parameters.items()} == {n: p.value for n, p in ex800.parameters.items()}
    with pytest.raises(PoinsotError, match=r"one under the name 'rods\.mass', not 'masses'"):
        apart.with_shared("masses", "leg*.rod.mass")
    with pytest.raises(PoinsotError, match="differ; give them one in the model file"):
        apart.with_parameters({"leg2.rod.mass": 0.5}).with_shared("rods.mass", "leg*.rod.mass")
    with pytest.raises(PoinsotError, match="not all the copies"):
        apart.with_shared("rods.mass", "leg1.rod.mass", "leg2.rod.mass")


def test_separating_what_is_not_shared_is_an_error_that_lists_what_is():
    with pytest.raises(PoinsotError, match=r"no shared parameter 'rods\.mas'.*rods\.mass"):
        load("ex800").with_separate("rods.mas")


def test_parameters_of_the_same_value_become_one():
    mechanism = load("five_bar")
    same = {n: p.value for n, p in mechanism.parameters.items() if n.endswith(".mass")}
    changed = mechanism.with_parameters({n: 0.5 for n in same})
    one = changed.with_shared("links.mass", *same)
    assert not set(same) & set(one.parameters)
    heavy = one.with_parameters({"links.mass": 0.9})
    assert {heavy.bodies[n.removesuffix(".mass")].mass for n in same} == {0.9}


def test_parameters_that_differ_cannot_become_one():
    with pytest.raises(
        PoinsotError, match=r"'mass' is to be one value: link1.mass = .* differ; give them one in the model"
    ):
        load("three_link").with_shared("mass", "link*.mass")
    with pytest.raises(PoinsotError, match=r"'mass' is to be one value: .* cannot be one"):
        load("three_link").with_shared("mass", "link1.mass", "link2.inertia")
    with pytest.raises(PoinsotError, match="nothing to share"):
        load("three_link").with_shared("mass", "nothing*")


def test_two_groups_of_copies_do_not_write_over_each_other():
    document = legs(number=2)
    document["instances"]["arm"] = {"component": "leg", "number": 2, "x": 3.0}
    changed = build(document).with_parameters({"leg.rod.mass": 7.0})
    import tomllib

    again = build(tomllib.loads(dumps(changed)))
    assert again.parameters["leg.rod.mass"].value == 7.0
    assert again.parameters["arm.rod.mass"].value == 1.0


def test_the_value_that_copies_share_can_be_set_by_its_full_name():
    document = legs(number=2) | {"parameters": {"leg.rod.mass": {"value": "5 kg", "bounds": [1, 9]}}}
    parameter = build(document).parameters["leg.rod.mass"]
    assert (parameter.value, parameter.lower, parameter.upper, parameter.unit) == (5.0, 1.0, 9.0, "kg")
    assert len(parameter.copies) == 2 and parameter.role == "inertia"


def test_components_inside_components_have_paths_of_names():
    document = legs(number=2)
    document["components"]["pair"] = {"instances": {"leg": {"component": "leg", "number": 2, "x": "{i}"}}}
    document["instances"] = {"pair": {"component": "pair", "number": 2}}
    mechanism = build(document)
    assert set(mechanism.bodies) == {f"pair{i}.leg{j}.rod" for i in (1, 2) for j in (1, 2)}
    assert mechanism.joints["pair2.leg2.ball"].a.position[0] == 2.0


def test_arguments_may_be_numbers_texts_expressions_and_the_number_of_the_copy():
    document = legs(number=2, x="2 * {i} + shift") | {"parameters": {"shift": 0.5}}
    mechanism = build(document)
    assert [mechanism.joints[f"leg{i}.ball"].a.position[0] for i in (1, 2)] == [2.5, 4.5]
    assert build(legs(x=-2)).joints["leg.ball"].a.position[0] == -2.0


def test_self_gives_an_element_the_name_of_the_copy():
    document = legs(number=2)
    document["components"]["leg"]["bodies"] = {"self": ROD}
    document["components"]["leg"]["joints"]["ball"]["between"][1] = "self"
    assert set(build(document).bodies) == {"leg1", "leg2"}


def guessed(mechanism):
    return first_guess(mechanism.elements, topology(mechanism.elements).branches)


def test_a_body_is_placed_at_a_place_with_its_axis_along_a_line():
    rod = ROD | {
        "placement": {"at": "ground", "along": ["ground", {"body": "ground", "position": [0, 3, 4]}], "offset": 5}
    }
    guess = guessed(build(legs(rod)))["leg.rod"]
    np.testing.assert_allclose(guess.R[:, 2], [0, 0.6, 0.8], atol=1e-14)
    np.testing.assert_allclose(guess.p, [0, 3, 4], atol=1e-14)


def test_a_body_is_placed_by_position_and_rotation_and_then_assembled():
    rotation = {"sequence": "ZXZ", "angles": ["90 deg", 0, 0]}
    mechanism = build(legs(ROD | {"placement": {"position": [0.1, 0.2, 0.3], "rotation": rotation}}))
    guess = guessed(mechanism)["leg.rod"]
    np.testing.assert_allclose(guess.p, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(guess.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    found = assemble(mechanism).require()
    np.testing.assert_allclose(found.poses["leg.rod"].p, [1, 0, 0], atol=1e-12)


def test_a_negative_number_that_an_argument_gives_is_a_parameter_of_its_copy():
    rod = {**ROD, "frames": {"tip": ["{x}", "2*{x}", 0]}}
    built = build(legs(rod, number=2, x=[0.3, -0.4]))
    assert [built.parameters[f"leg{k}.rod.tip.x"].value for k in (1, 2)] == [0.3, -0.4]
    np.testing.assert_allclose(built.frame("leg2.rod.tip").pose().p, [-0.4, -0.8, 0])


@pytest.mark.parametrize(
    ("instance", "name", "words"),
    [
        ({"number": 3}, "leg1.mass", "'leg1.mass' is shared by all copies as 'leg.self.mass'"),
        ({"number": 3}, "leg.mass", "'leg.mass' is called 'leg.self.mass'"),
        ({"number": 3, "separate": True}, "leg1.mass", "'leg1.mass' is called 'leg1.self.mass'"),
        ({"number": 3, "separate": True}, "leg2.inertia.xx", "is called 'leg2.self.inertia.xx'"),
        ({"number": 3}, "leg1.self.mass", "'leg1.self.mass' is shared by all copies as 'leg.self.mass'"),
    ],
)
def test_the_names_that_results_give_to_a_copy_tell_those_of_its_parameters(instance, name, words):
    document = legs(**instance)
    document["components"]["leg"] = {
        "arguments": ["x"],
        "bodies": {"self": ROD},
        "joints": {"ball": {"type": "spherical", "between": [{"body": "ground", "position": ["{x}", 0, 0]}, "self"]}},
    }
    mechanism = build(document)
    with pytest.raises(PoinsotError, match=words):
        mechanism.with_parameters({name: 2.0})
    with pytest.raises(PoinsotError, match=f"there is no parameter '{name}': it is "):
        require_parameters([name], mechanism)


def test_a_parameter_of_one_copy_is_told_how_the_file_separates_it():
    said = r"""change that, or .* own: separate = \["rod.mass"\] under \[instances\] of the model file, in Python"""
    with pytest.raises(PoinsotError, match=said):
        load("ex800").with_parameters({"leg3.rod.mass": 1.0})
