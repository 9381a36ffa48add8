"""Joints of a URDF are driven and named unless the user says otherwise; a loop that cannot be closed is named."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path

import pytest

import poinsot
from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.model.interchange.urdf.mount import link_poses, mounted
from poinsot.model.interchange.urdf.sidecar import Sidecar
from poinsot.model.interchange.urdf.tree import read_tree

INERTIAL = '<inertial><origin xyz="0 0 -0.1"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial>'


def link(name: str, mass: bool = True) -> str:
    return f'<link name="{name}">{INERTIAL if mass else ""}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", xyz: str = "0 0 -0.2", more: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/><axis xyz="0 1 0"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="9"/>'
ARM = (
    joint("pan", "base", "a", "continuous"),
    joint("lift", "a", "b", "prismatic", more=LIMIT),
    joint("tilt", "b", "c", more=LIMIT),
    joint("finger", "c", "d", more=LIMIT + '<mimic joint="tilt" multiplier="2"/>'),
)


def written(folder: Path, parts: tuple[str, ...], links: str, sidecar: str = "") -> Path:
    path = folder / "arm.urdf"
    every = "".join(link(name, name != "base") for name in links.split())
    path.write_text(f'<robot name="arm">{every}{"".join(parts)}</robot>')
    if sidecar:
        path.with_suffix(".yaml").write_text(sidecar)
    return path


def load(path: Path, **options) -> poinsot.Mechanism:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        return poinsot.load(path, **options)


def test_joints_that_move_are_driven_with_their_effort_and_mimics_are_not(tmp_path):
    mechanism = load(written(tmp_path, ARM, "base a b c d"))
    assert list(mechanism.actuators) == ["pan", "lift", "tilt"]
    assert (mechanism.actuators["lift"].lower, mechanism.actuators["lift"].upper) == (-5.0, 5.0)
    assert list(mechanism.coordinates) == ["pan", "lift", "tilt", "finger"]


@pytest.mark.parametrize(("sidecar", "driven"), [("name_mot: [tilt]", ["tilt"]), ("name_mot: []", [])])
def test_the_sidecar_says_otherwise(tmp_path, sidecar, driven):
    assert list(load(written(tmp_path, ARM, "base a b c d", sidecar)).actuators) == driven


def test_the_caller_has_the_last_word(tmp_path):
    path = written(tmp_path, ARM, "base a b c d", "name_mot: [tilt]")
    assert list(load(path, drives=["pan", "finger"]).actuators) == ["pan", "finger"]
    assert list(load(path, drives=()).actuators) == []
    assert load(path, drives=["tilt"]).actuators["tilt"].upper == 5.0
    with pytest.raises(PoinsotError, match=r"drives: there is no joint 'pam' \(did you mean 'pan'\?\)"):
        load(path, drives=["pam"])
    with pytest.raises(PoinsotError, match="a TOML model says itself"):
        poinsot.load("four_bar", drives=["A"])


def test_motions_forces_and_simulations_by_the_names_of_the_joints(tmp_path):
    mechanism = load(written(tmp_path, ARM[:3], "base a b c"))
    motion = {"pan": lambda t: t**2, "lift": 0.1, "tilt": lambda t: 0.2 * t}
    needed = poinsot.inverse_dynamics(mechanism, motion, [0.0, 0.5])
    assert set(needed.forces) == set(motion)
    run = poinsot.simulate(mechanism, 0.01, pose={"tilt": 0.3})
    assert set(run.coordinates) == set(motion)


def test_a_written_urdf_has_the_same_drives_when_it_is_read_again(tmp_path):
    first = load(written(tmp_path, ARM[:3], "base a b c"), drives=["tilt"])
    poinsot.write_urdf(first, tmp_path / "again.urdf")
    assert list(load(tmp_path / "again.urdf").actuators) == ["tilt"]


def test_notes_are_one_warning_that_has_them_all(tmp_path):
    with pytest.warns(ConversionWarning, match=r"arm\.urdf: \d+ notes on how it was read") as caught:
        poinsot.load(written(tmp_path, ARM, "base a b c d"))
    (said,) = caught
    assert len(said.message.notes) > 1 and all(note.endswith(".") for note in said.message.notes)


def test_what_acts_no_longer_is_a_warning_of_its_own(tmp_path):
    parts = (*ARM, joint("float", "d", "e", "floating", more='<dynamics damping="3"/>'))
    with pytest.warns(ConversionWarning) as caught:
        poinsot.load(written(tmp_path, parts, "base a b c d e"))
    first, others = (str(said.message) for said in caught)
    assert first == "arm.urdf: Damping and friction of the free joint 'float' are left out."
    assert "notes on how it was read" in others


def legs(stages: int, offset: float = 0.0) -> tuple[tuple[str, ...], str, str]:
    """A chain of four-bar stages, each closed by a ball; the last pin is off its plane by an offset [m]."""
    parts, names, loops, before = [], ["base"], [], "base"
    for k in range(stages):
        names += [f"{part}{k}" for part in ("yaw", "thigh", "crank", "rod", "end", "pin", "shank")]
        off = offset if k == stages - 1 else 0.0
        parts += [
            joint(f"j_yaw{k}", before, f"yaw{k}", xyz="0 0 -0.05").replace("0 1 0", "0 0 1"),
            joint(f"j_thigh{k}", f"yaw{k}", f"thigh{k}", xyz="0 0 -0.05"),
            joint(f"j_crank{k}", f"yaw{k}", f"crank{k}", xyz="-0.1 0 -0.05"),
            joint(f"j_rod{k}", f"crank{k}", f"rod{k}", xyz="0 0 -0.1"),
            joint(f"f_end{k}", f"rod{k}", f"end{k}", "fixed", "0.11 0 0.01"),
            joint(f"f_pin{k}", f"thigh{k}", f"pin{k}", "fixed", f"0 {off} -0.1"),
            joint(f"j_knee{k}", f"thigh{k}", f"shank{k}", xyz="0 0 -0.3"),
        ]
        loops.append(f"[end{k}, pin{k}]")
        before = f"shank{k}"
    return tuple(parts), " ".join(names), f"closed_loop: [{', '.join(loops)}]\ntype: [{', '.join(['3d'] * stages)}]\n"


def test_loops_that_are_open_at_zero_are_closed_at_load(tmp_path):
    parts, names, sidecar = legs(2)
    path = written(tmp_path, parts, names, sidecar)
    tree = read_tree(path)
    loops = Sidecar(loops=tuple((f"end{k}", f"pin{k}", "3d") for k in range(2)))
    poses = link_poses(tree, lambda joint: joint.type, mounted(tree, lambda joint: joint.type, loops))
    for k in range(2):
        assert abs(poses[f"end{k}"].p - poses[f"pin{k}"].p).max() < 1e-9
    assert poinsot.assemble(load(path)).converged


def test_an_impossible_loop_is_named_with_its_gap(tmp_path, caplog):
    """The gap of 0.4 m off the plane is the loop's, whichever joint of it the solver leaves open."""
    parts, names, sidecar = legs(3, offset=0.4)
    with caplog.at_level(logging.INFO, "poinsot.progress"):
        mechanism = load(written(tmp_path, parts, names, sidecar))
        with pytest.raises(PoinsotError, match=r"joint loop3 \(position y\) closes stays open by 0\.4 m"):
            poinsot.assemble(mechanism)
    said = [record.getMessage() for record in caplog.records]
    assert any(words.startswith("closing 3 loops") for words in said)
    assert 0 < sum(words.startswith("guess") for words in said) < 12
