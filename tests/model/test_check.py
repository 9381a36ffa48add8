"""Check: mobility, redundant rows and faults of mechanisms whose answers are known by hand."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poinsot.errors import PoinsotError
from poinsot.model.assembly.assembly import assemble, attempt_assembly
from poinsot.model.check import Level, check
from poinsot.model.load import load
from poinsot.model.mechanism import build
from tests.model.mechanisms import (
    at,
    bennett,
    body,
    chain,
    four_bar_in_plane,
    four_bar_in_space,
    joint,
    sarrus,
    spatial,
    triangle,
)


def texts(report, severity=None) -> str:
    return " | ".join(f.text for f in report.findings if severity is None or f.severity == severity)


def test_a_four_bar_in_the_plane_has_one_freedom_and_nothing_redundant():
    report = check(four_bar_in_plane())
    assert (report.bodies, report.constraints, report.loops) == (3, 8, 1)
    assert (report.mobility_counted, report.mobility, report.mobility_given) == (1, 1, 1)
    assert report.redundant == () and report.ok and report.residual < 1e-12


def test_a_four_bar_in_space_has_three_redundant_rows_of_the_joint_that_closes_it():
    report = check(four_bar_in_space())
    assert (report.mobility_counted, report.mobility) == (-2, 1)
    assert len(report.redundant) == 3 and len({row.joint for row in report.redundant}) == 1
    assert {row.label for row in report.redundant} == {"position z", "tilt about y", "tilt about x"}
    assert report.ok and "3 redundant constraints" in texts(report, Level.WARNING)
    assert report.redundant[0].joint in texts(report)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_redundant_rows_do_not_depend_on_the_order_of_the_bodies(order):
    report = check(four_bar_in_space(order=order))
    assert report.mobility == 1 and report.redundant == check(four_bar_in_space()).redundant


def test_bennetts_linkage_moves_though_the_count_forbids_it():
    report = check(bennett())
    assert (report.mobility_counted, report.mobility, len(report.redundant)) == (-2, 1, 3)
    assert len({row.joint for row in report.redundant}) == 1


def test_a_general_spatial_loop_of_four_hinges_is_a_structure():
    from tests.model.mechanisms import closed_hinges

    rng = np.random.default_rng(4)
    axes = rng.normal(size=(4, 3))
    report = check(closed_hinges(rng.normal(size=(4, 3)), axes / np.linalg.norm(axes, axis=1)[:, None]))
    assert (report.mobility_counted, report.mobility) == (-2, 0)
    assert len(report.redundant) == 2 and "structure" in texts(report, Level.NOTE)


def test_a_general_loop_of_seven_hinges_has_one_freedom():
    from tests.model.mechanisms import closed_hinges

    rng = np.random.default_rng(5)
    axes = rng.normal(size=(7, 3))
    report = check(closed_hinges(rng.normal(size=(7, 3)), axes / np.linalg.norm(axes, axis=1)[:, None]))
    assert (report.mobility_counted, report.mobility, report.redundant) == (1, 1, ())


def test_sarrus_linkage_lifts_its_top_with_one_redundant_row():
    report = check(sarrus())
    assert (report.mobility_counted, report.mobility, len(report.redundant)) == (0, 1, 1)


def test_a_flat_parallelogram_is_in_a_singular_pose():
    report = check(four_bar_in_plane(flat=True))
    assert (report.mobility, report.mobility_given) == (1, 2)
    assert "singular: mobility 2 there, 1 elsewhere" in texts(report, Level.WARNING)
    assert "… in the given pose   2" in str(report)


def test_a_closed_triangle_is_a_structure():
    report = check(triangle())
    assert (report.mobility, report.mobility_counted) == (0, 0)
    assert report.ok and "this is a structure" in texts(report)


def test_a_triangle_with_too_long_a_side_cannot_be_assembled_and_says_where_it_stays_open():
    report = check(triangle(third=2.5))
    assert not report.ok and report.mobility is None and report.residual > 0.01
    assert "cannot be assembled" in texts(report, Level.ERROR)
    assert any(f"{name} (position" in texts(report) for name in "abc")
    assert "not known (cannot be assembled)" in str(report)


def test_a_free_body_has_six_freedoms():
    report = check(spatial({"b": body()}, {"j": joint("free", "ground", "b")}))
    assert (report.mobility, report.mobility_counted, report.ok) == (6, 6, True)


def test_a_body_that_nothing_holds_is_an_error_by_name():
    report = check(spatial({"b": body(), "lost": body()}, {"j": joint("revolute", "ground", "b")}))
    assert not report.ok and "nothing holds body 'lost'" in texts(report, Level.ERROR)


FREEDOMS = {
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
    "fixed": 0,
    "free": 6,
    "point-on-line": 4,
}


@pytest.mark.parametrize("kind", FREEDOMS)
def test_one_body_on_a_joint_has_the_freedom_of_the_joint(kind):
    report = check(spatial({"b": body()}, {"j": joint(kind, "ground", "b")}))
    assert report.mobility == report.mobility_counted == FREEDOMS[kind]


def test_a_screw_has_one_freedom_and_a_distance_takes_one_away():
    assert check(spatial({"b": body()}, {"j": joint("helical", "ground", "b", lead="2 mm/rad")})).mobility == 1
    held = {"j": joint("distance", "ground", at("b", [0, 0, 0.5]), length=0.5), "f": joint("free", "ground", "b")}
    assert check(spatial({"b": body()}, held)).mobility == 5
    alone = {"j": joint("distance", "ground", at("b", [0, 0, 0.5]), length=0.5)}
    assert check(spatial({"b": body()}, alone)).mobility == 5


def test_a_plate_on_six_distances_is_a_structure_and_on_five_it_moves():
    rng = np.random.default_rng(0)
    feet, heads = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)) + np.array([0, 0, 3])
    for n in (6, 5):
        joints = {
            f"d{i}": joint(
                "distance", at("ground", feet[i]), at("b", heads[i]), length=float(np.linalg.norm(heads[i] - feet[i]))
            )
            for i in range(n)
        }
        report = check(spatial({"b": body()}, joints))
        assert (report.mobility, report.loops, report.ok) == (6 - n, n - 1, True)


def test_a_joint_that_closes_only_with_its_axis_reversed_is_an_error():
    points = [at("b", [0, 0, 0]), at("b", [1, 0, 0], sequence="XYZ", angles=[np.pi, 0, 0])]
    joints = {
        "first": joint("revolute", "ground", points[0]),
        "second": joint("revolute", at("ground", [1, 0, 0]), points[1]),
    }
    report = check(spatial({"b": body()}, joints))
    assert not report.ok and "with its axis the wrong way round" in texts(report, Level.ERROR)
    assert "give position and rotation of its bodies" in texts(report, Level.ERROR)
    assert "'second'" in texts(report) or "'first'" in texts(report)


def test_a_drive_along_which_nothing_can_move_is_named():
    joints = {
        "hinge": {"type": "revolute", "between": ["ground", "b"], "actuated": True},
        "slide": {"type": "prismatic", "between": ["b", "c"], "actuated": True},
        "block": {"type": "fixed", "between": ["b", "c"]},
    }
    report = check(spatial({"b": body(), "c": body()}, joints))
    assert "actuator 'slide' can do nothing" in texts(report, Level.WARNING)
    assert "actuator 'hinge'" not in texts(report)


@pytest.mark.parametrize("size, lead", [(0.1, 1e-3), (10.0, 1.6e-5), (1e4, 1.6e-4)])  # [m], [m/rad]
def test_a_drive_behind_a_screw_however_fine_can_move(size, lead):
    joints = {
        "screw": {"type": "revolute", "between": ["ground", "b"]},
        "lift": {"type": "prismatic", "between": [at("ground", [size, 0, 0]), "c"], "axis": [0.2, 0.1, 1.0]},
    }
    joints["lift"]["actuated"] = True
    follows = {"on": {"combination": {"lift": 1.0, "screw": -lead}}}
    report = check(spatial({"b": body(), "c": body()}, joints, couplings={"nut": follows}))
    assert report.mobility == 1 and "can do nothing" not in texts(report)


@pytest.mark.parametrize("limits, said", [([0.5, 1.0], "h = 0 rad is not from 0.5 to 1 rad"), ([-1.0, 0.0], "")])
def test_a_pose_of_the_file_beyond_the_limits_of_a_joint_is_a_warning(limits, said):
    hinge = {"type": "revolute", "between": ["ground", "b"], "axis": [1, 2, 0], "limits": limits}
    report = check(spatial({"b": body()}, {"h": hinge}))
    found = texts(report, Level.WARNING)
    assert found == (f"the pose of the model file is beyond the end stop 'h.end-stop': {said}" if said else "")


@pytest.mark.parametrize("written, asked", [(-60, True), ("-60", True), ("-60 deg", False), ("-60 rad", False)])
def test_a_pose_beyond_two_turns_without_a_unit_is_asked_about(written, asked):
    hinge = {"h": {"type": "revolute", "between": ["ground", "b"]}}
    report = check(spatial({"b": body()}, hinge, coordinates={"q": {"joint": "h"}}, pose={"q": written}))
    said = 'pose.q = -60: -60 rad; were degrees meant? write "-60 deg"'
    assert (said in texts(report, Level.WARNING)) == asked


IMPOSSIBLE = [
    ({"mass": 1.0, "inertia": [1, 1, 3]}, "triangle inequality"),
    ({"mass": 1.0, "inertia": [1, 1, -1]}, "not positive definite"),
    ({"mass": 1.0, "inertia": [1, 1, 1, 5, 0, 0]}, "not positive definite"),
]


@pytest.mark.parametrize(("spec", "words"), IMPOSSIBLE)
def test_an_impossible_inertia_is_an_error_with_the_reason(spec, words):
    report = check(spatial({"b": spec}, {"j": joint("revolute", "ground", "b")}))
    assert not report.ok and "the inertia of 'b': " in texts(report, Level.ERROR) and words in texts(report)


@pytest.mark.parametrize("planar", [True, False])
def test_inertia_without_mass_is_that_of_a_rotor_unless_the_centre_is_off_its_origin(planar):
    spec, centre = {"inertia": 1.0 if planar else [1, 1, 1]}, [0.1, 0.0, 0.0][: 2 if planar else 3]
    document = {"format": 1, "planar": planar, "joints": {"j": joint("revolute", "ground", "b")}}
    report = check(build({**document, "bodies": {"b": spec}}))
    assert report.ok and not texts(report, Level.WARNING)
    assert "body 'b' has inertia without mass, as rotors seen behind gears have" in texts(report, Level.NOTE)
    off = check(build({**document, "bodies": {"b": {**spec, "com": centre}}}))
    assert off.ok and "has inertia and a centre of mass, but no mass: is it missing?" in texts(off, Level.WARNING)


def test_bodies_without_mass_are_noted():
    report = check(spatial({"b": {}}, {"j": joint("revolute", "ground", "b")}))
    assert report.ok and "bodies without mass: b" in texts(report, Level.NOTE)


def test_a_parameter_that_nothing_uses_is_noted():
    document = {"format": 1, "parameters": {"spare": 1.0}, "bodies": {"b": body()}}
    report = check(build({**document, "joints": {"j": joint("revolute", "ground", "b")}}))
    assert report.ok and "spare" in texts(report)


@pytest.mark.parametrize(("driven", "words"), [(1, "under-actuated"), (2, None), (3, "redundantly actuated")])
def test_too_few_or_too_many_actuators_are_noted(driven, words):
    document = {
        "format": 1,
        "bodies": {"b": body(frames={"tip": [1, 0, 0]}), "c": body()},
        "joints": {"j": joint("revolute", "ground", "b"), "k": joint("revolute", "b.tip", "c")},
        "actuators": {f"u{i}": {"on": {"joint": "jkj"[i]}} for i in range(driven)},
    }
    report = check(build(document))
    assert report.actuators == driven and (words or "") in texts(report)
    assert words is not None or "actuated" not in texts(report)


def test_a_mechanism_without_bodies_is_checked_too():
    report = check(build({"format": 1}))
    assert (report.bodies, report.mobility, report.constraints) == (0, 0, 0)


SIZED = {
    "four-bar in space": four_bar_in_space,
    "four-bar in the plane": four_bar_in_plane,
    "flat parallelogram": lambda size: four_bar_in_plane(size, flat=True),
    "bennett": bennett,
    "sarrus": sarrus,
    "triangle": triangle,
    "open triangle": lambda size: triangle(size, third=2.5),
}


@lru_cache
def of_size_one(name: str):
    return check(SIZED[name](1.0))


@pytest.mark.parametrize("name", SIZED)
@settings(max_examples=2)
@given(exponent=st.sampled_from([-10.0, 10.0]) | st.floats(-3, 3))
def test_the_report_does_not_depend_on_the_size_of_the_machine(name, exponent):
    one, other = of_size_one(name), check(SIZED[name](10.0**exponent))
    assert other.mobility == one.mobility and other.mobility_given == one.mobility_given
    assert other.redundant == one.redundant and other.ok == one.ok and other.loops == one.loops
    assert [f.severity for f in other.findings] == [f.severity for f in one.findings]


def test_a_chain_of_fifty_links_has_fifty_freedoms():
    report = check(chain(50))
    assert report.mobility == report.mobility_counted == 50 and report.loops == 0


@pytest.mark.parametrize(
    ("joints", "loops", "idle"),
    [
        ({"p": ("ground", "a"), "q": ("a", "b")}, 0, ("q",)),
        ({"p": ("ground", "a"), "q": ("a", "b")}, 0, ("p", "q")),
        ({"p": ("ground", "a"), "q": ("a", "b"), "r": ("ground", "b")}, 1, ()),
        ({"p": ("ground", "a"), "q": ("ground", "a"), "r": ("a", "b")}, 1, ("r",)),
        ({"p": ("a", "b"), "q": ("a", "b")}, 1, ()),  # nothing holds them, and yet they are a loop
    ],
)
def test_loops_are_those_of_the_topology_whatever_is_marked_as_closing(joints, loops, idle):
    marked = idle or tuple(joints)[-1:]
    given = {name: joint("revolute", *ends, closing=name in marked) for name, ends in joints.items()}
    report = check(spatial({"a": body(), "b": body()}, given))
    assert report.loops == loops
    said = [name for name in joints if f"joint '{name}' is marked closing but closes no loop" in texts(report)]
    assert tuple(said) == idle


def test_a_report_prints_what_a_person_wants_to_read():
    lines = str(check(four_bar_in_space())).splitlines()
    assert lines[0] == "model: spatial mechanism"
    assert any(line.split() == ["moving", "bodies", "3"] for line in lines)
    assert any("4 revolute" in line for line in lines)


@pytest.mark.parametrize(("size", "told"), [(1.0, "1.5 m"), (0.1, "0.15 m"), (1e3, "1.5e+03 m")])
def test_a_report_tells_the_size_of_the_machine_with_its_unit(size, told):
    report = check(four_bar_in_space(size))
    assert report.size == pytest.approx(size * np.hypot(1.2, 0.9)) == assemble(four_bar_in_space(size)).size
    assert f"  size                  {told}  (" in str(report) and report.to_dict()["size"] == report.size


def test_a_driven_structure_is_a_warning_and_one_actuator_is_singular():
    driven = {"type": "prismatic", "between": ["ground", "b"], "actuated": True}
    report = check(spatial({"b": body()}, {"slide": driven, "weld": joint("fixed", "ground", "b")}))
    assert "this is a structure" in texts(report, Level.WARNING)
    assert "1 actuator for mobility 0" in texts(report, Level.NOTE)


def test_an_assembly_says_how_it_went():
    assert str(assemble(load("four_bar"))).startswith("3 bodies assembled, residual")
    assert "cannot be assembled" in str(attempt_assembly(load("four_bar"), {"theta1": 0.0, "theta2": 3.0}))
    with pytest.raises(PoinsotError, match="cannot be assembled"):
        assemble(load("four_bar"), {"theta1": 0.0, "theta2": 3.0})


@pytest.mark.parametrize("gain", [0, 1.5])
def test_a_sensor_that_always_reads_zero_is_warned_of(gain):
    sensor = {"type": "drive-force", "actuator": "j", "gain": gain}
    hinge = {**joint("revolute", "ground", "b"), "actuated": True}
    found = texts(check(spatial({"b": body()}, {"j": hinge}, sensors={"s": sensor})), Level.WARNING)
    assert ("sensor 's' has a gain of 0" in found) == (gain == 0)
