"""Limits of drives that are read from MJCF: what MuJoCo itself lets the actuators give at most."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from poinsot.errors import ConversionWarning
from poinsot.model.interchange import read_mjcf
from tests.model.interchange_cases import quietly

pytestmark = pytest.mark.peers
mujoco = pytest.importorskip("mujoco")

ARM = """<mujoco><compiler angle="radian" autolimits="{auto}"/><option gravity="0 0 0">{flag}</option><worldbody>
  <body><joint name="a" axis="0 0 1" {joint}/><geom size="0.1" mass="1"/><site name="s" pos="0.3 0 0"/></body>
  <site name="o" pos="0 0.4 0"/></worldbody>
  <tendon><spatial name="t" {tendon}><site site="s"/><site site="o"/></spatial></tendon>
  <actuator>{drive}</actuator></mujoco>"""
ALL = 'ctrlrange="-4 3" forcerange="-6 2"'
CASES = {  # actuator, joint
    "control alone": ('motor gear="-3" ctrlrange="-1 2"', ""),
    "control within force": ('motor ctrlrange="-4 4" forcerange="-6 6"', ""),
    "force within control": (f'motor gear="100" {ALL}', ""),
    "each at one end": ('motor gear="-2" ctrlrange="-4 9" forcerange="-6 6"', ""),
    "a gain": (f'general gainprm="-10" gear="3" {ALL}', ""),
    "the joint": ('motor gear="50" ctrlrange="-2 2"', 'actuatorfrcrange="-7 9"'),
    "the joint, of a drive without limits": ("motor", 'actuatorfrcrange="-7 7"'),
    "a joint that is wide": (f'motor gear="2" {ALL}', 'actuatorfrcrange="-70 70"'),
    "a servo": ('position kp="100" ctrlrange="-3 3" forcerange="-20 20" gear="2"', ""),
    "a servo at a joint": ('position kp="100" gear="20"', 'actuatorfrcrange="-3 3"'),
    "a filter": ('general gear="2" dyntype="filterexact" dynprm="1e-9" ctrlrange="-1 2"', ""),
    "an integrator": ('general gear="-2" dyntype="integrator" actrange="-1 2"', ""),
    "ranges that are switched off": (
        f'motor ctrllimited="false" forcelimited="false" {ALL}',
        'actuatorfrclimited="false" actuatorfrcrange="-1 1"',
    ),
    "a control that never crosses zero": ('motor ctrlrange="1 5" forcerange="-3 3"', ""),
}


def limits_of(path):
    return {name: (drive.lower, drive.upper) for name, drive in quietly(read_mjcf, path).actuators.items()}


def greatest(path) -> tuple[float, float]:
    """What MuJoCo gives along the joint for controls and activations of ±1e6."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1.0
    found = []
    for sign in (-1, 1):
        data = mujoco.MjData(model)
        data.ctrl[:] = 1e6 * sign
        data.act[:] = 0.0
        mujoco.mj_step(model, data)
        data.qpos[:], data.qvel[:] = 0.0, 0.0
        mujoco.mj_forward(model, data)
        found.append(float(data.qfrc_actuator[0]))
    low, high = sorted(found)
    return low, high


def written(folder, drive, joint="", tendon="", auto="true", flag=""):
    path = folder / "arm.xml"
    path.write_text(ARM.format(drive=drive, joint=joint, tendon=tendon, auto=auto, flag=flag))
    return path


@pytest.mark.parametrize("case", CASES)
def test_limits_are_what_mujoco_gives_at_most(case, tmp_path):
    drive, joint = CASES[case]
    path = written(tmp_path, f'<{drive} name="m" joint="a"/>', joint)
    low, high = greatest(path)
    if abs(low) > 1e5:
        low, high = -np.inf, np.inf
    np.testing.assert_allclose(limits_of(path)["m"], (low, high), rtol=1e-12)


def test_without_autolimits_ranges_count_where_they_are_switched_on(tmp_path):
    drive = '<motor name="m" joint="a" ctrllimited="true" forcelimited="false" ctrlrange="-4 4" forcerange="-1 1"/>'
    path = written(tmp_path, drive, 'actuatorfrclimited="true" actuatorfrcrange="-3 5"', auto="false")
    assert limits_of(path)["m"] == greatest(path) == (-3, 4)


def test_controls_that_are_not_clamped_limit_nothing(tmp_path):
    drive = '<motor name="m" joint="a" ctrlrange="-4 4"/>'
    assert limits_of(written(tmp_path, drive))["m"] == (-4, 4)
    path = written(tmp_path, drive, flag='<flag clampctrl="disable"/>')
    assert limits_of(path)["m"] == (-np.inf, np.inf) and greatest(path)[1] > 1e5


def test_a_tendon_limits_its_drive_before_the_gear(tmp_path):
    path = written(tmp_path, '<motor name="m" tendon="t" gear="-2"/>', tendon='actuatorfrcrange="-5 3"')
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.ctrl[0] = 1e6
    mujoco.mj_forward(model, data)
    assert data.actuator_force[0] == pytest.approx(3) and limits_of(path)["m"] == (-6, 10)


def notes_of(path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read_mjcf(path)
    return found, [note for w in caught if w.category is ConversionWarning for note in w.message.notes]


def test_limits_on_the_sum_of_several_drives_are_said_to_be_left_out(tmp_path):
    drives = '<motor name="m" joint="a" ctrlrange="-4 4"/><motor name="n" joint="a"/><motor name="p" tendon="t"/>'
    found, said = notes_of(written(tmp_path, drives, 'actuatorfrcrange="-3 3"'))
    assert (found.actuators["m"].lower, found.actuators["n"].lower) == (-4, -np.inf)
    assert "The limits of the joint 'a' on the sum of its 2 actuators are left out." in said
    assert [note for note in said if note.startswith("Limits of joints on the sum of all actuators")]


def test_an_actuator_without_gear_is_left_out(tmp_path):
    found, said = notes_of(written(tmp_path, '<motor name="m" joint="a" gear="0" ctrlrange="-1 1"/>'))
    assert not found.actuators and any("gives no force and is left out" in note for note in said)
