"""Joints that follow others in MJCF: the home pose moves those that equalities name first, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from poinsot.model.assembly.assembly import assemble
from poinsot.model.interchange import read_mjcf
from tests.model.interchange_cases import quietly

pytestmark = pytest.mark.peers
mujoco = pytest.importorskip("mujoco")

HAND = """<mujoco model="hand"><compiler angle="radian" inertiafromgeom="false"/>
<default><joint axis="0 0 1"/></default><worldbody>
<body name="arm"><joint name="arm"/><inertial pos="0.1 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
  <body name="left" pos="0.3 0.03 0"><joint name="left"/>
    <inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body>
  <body name="right" pos="0.3 -0.03 0"><joint name="right" axis="0 0 -1" ref="0.2"/>
    <inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
    <body name="tip" pos="0.1 0 0"><joint name="tip" axis="0 1 0.3" ref="-0.1"/>
      <inertial pos="0.02 0 0" mass="0.05" diaginertia="1e-5 1e-5 1e-5"/></body></body>
  <body name="odd" pos="0 0 0.2"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0" pos="0 0 0.02"/>
    <joint name="z" axis="0 0 1" pos="0 0.03 0"/>
    <inertial pos="0.05 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body>
  <body name="nut" pos="0 0.2 0.2"><joint name="nut.advance" type="slide"/><joint name="nut.angle"/>
    <inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/></body></body></worldbody>
<equality>{}</equality></mujoco>"""
EQUALITY = '<joint joint1="{}"{} polycoef="{} 0 0 0"/>'
CASES = {
    "an offset": ((("right", "left", "0.5 1"),), {"right": 0.2 + 0.5}),
    "a joint that is held": ((("left", "", "0.3 0"),), {"left": 0.3}),
    "a chain that stands from its end": (
        (("tip", "right", "0.1 2"), ("right", "left", "0.5 1"), ("left", "", "0.3 0")),
        {"left": 0.3, "right": 0.2 + 0.8, "tip": -0.1 + 0.1 + 1.6},
    ),
    "one of several joints of a body": ((("y", "left", "0.4 1"),), {"y": 0.4}),
    "the first of several joints of a body": ((("x", "", "0.4 0"), ("z", "x", "0.1 1")), {"x": 0.4, "z": 0.5}),
    "a screw": ((("nut.advance", "nut.angle", "0.02 0.01"),), {"nut.advance": 0.02}),
}


def written(rules) -> str:
    lines = (EQUALITY.format(a, f' joint2="{b}"' if b else "", c) for a, b, c in rules)
    return HAND.format("".join(lines))


@pytest.mark.parametrize("case", CASES)
def test_followers_are_where_equalities_keep_them_and_all_others_stay(case, tmp_path):
    rules, moved = CASES[case]
    (tmp_path / "hand.xml").write_text(written(rules))
    found = quietly(read_mjcf, tmp_path / "hand.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "hand.xml"))
    data = mujoco.MjData(model)
    for name, value in moved.items():
        data.joint(name).qpos[0] = value
    mujoco.mj_forward(model, data)
    assert np.max(np.abs(data.efc_pos)) < 1e-12  # as MuJoCo has these equalities
    poses = assemble(found).require().poses
    for i in range(1, model.nbody):
        X = poses[model.body(i).name]
        np.testing.assert_allclose(X.R, data.xmat[i].reshape(3, 3), atol=1e-10)
        np.testing.assert_allclose(X.p, data.xpos[i], atol=1e-10)


def test_a_ring_of_equalities_is_read(tmp_path):
    (tmp_path / "hand.xml").write_text(written((("left", "right", "0 1"), ("right", "left", "0 1"))))
    assert quietly(read_mjcf, tmp_path / "hand.xml").couplings.keys() == {"equality1", "equality2"}
