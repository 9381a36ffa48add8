"""Reaction sensors: their axes against those of inverse dynamics, and imperfections of forces and moments apart."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.errors import PoinsotError
from poinsot.identifiability.channels import channels
from poinsot.system.system import system

ARM = """
format = 1
[bodies.arm]
mass = 2
com = [0.1, 0.2, 0.3]
inertia = [0.1, 0.2, 0.25]
[joints.J]
type = "TYPE"
axis = [1, 2, 0]
between = [
    { body = "ground", position = [0.1, 0.2, 0.3], rotation = { sequence = "ZXZ", angles = [0.3, 0.4, 0.5] } },
    { body = "arm", position = [0.5, 0, 0.1], rotation = { sequence = "XYZ", angles = [0.2, 0.1, -0.4] } },
]
actuated = true
[coordinates]
q = { joint = "J" }
[sensors.cell]
type = "reaction"
joint = "J"
"""
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
T = np.linspace(0, 1, 7)
MOTION = {"q": poinsot.Fourier(3.0, (0.4,), (0.2,), 0.3)}


def read(more: str, kind: str = "revolute", t: np.ndarray = T, **options) -> np.ndarray:
    found = poinsot.measure(poinsot.loads(ARM.replace("TYPE", kind) + more), MOTION, t, **options)
    return np.column_stack([found[f"cell.{name}"] for name in WRENCH])


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_on_side_b_it_reads_the_reactions_of_inverse_dynamics_and_on_side_a_the_same_in_the_frame_on_a(kind):
    arm = poinsot.loads(ARM.replace("TYPE", kind))
    found, law = poinsot.inverse_dynamics(arm, MOTION, T), arm.joints["J"]
    assert_allclose(read('side = "b"', kind), found.reactions["J"], rtol=1e-12, atol=1e-12)
    R_WF, p_WF = (np.asarray(x, float) for x in (law.frame_on_a().R, law.frame_on_a().p))
    f, m = np.hsplit(found.reaction("J", axes="world", about="world"), 2)
    on_a = np.hstack([f @ R_WF, (m - np.cross(p_WF, f)) @ R_WF])
    assert_allclose(read("", kind), on_a, rtol=1e-10, atol=1e-10)
    assert np.abs(on_a - found.reactions["J"]).max() > 0.1  # the two sides are not the same


def test_forces_and_moments_have_noise_of_their_own_in_units_of_their_own():
    t = np.linspace(0, 1, 4001)
    noisy, clean = (read('noise = "0.3 N"\nmoment_noise = "5 mN·m"', t=t, perfect=p) for p in (False, True))
    assert_allclose(np.std(noisy - clean, axis=0), [0.3] * 3 + [0.005] * 3, rtol=0.05)
    stepped = read('resolution = "2 N"\nmoment_resolution = "0.5 N·m"')
    assert_allclose(stepped, np.round(stepped / ([2.0] * 3 + [0.5] * 3)) * ([2.0] * 3 + [0.5] * 3), atol=1e-12)
    alike = [read(f"noise = 0.3\n{more}", t=t, seed=4) for more in ("", "moment_noise = 0.3")]
    assert_allclose(*alike, rtol=0)
    limited = read('limit = "3 N"\nmoment_limit = "100 N·m"')
    assert np.abs(limited[:, :3]).max() == 3 and np.abs(limited[:, 3:]).max() > 3


def test_the_noise_of_a_channel_is_that_of_its_own_unit_where_it_is_asked_what_can_be_determined():
    arm = poinsot.loads(ARM.replace("TYPE", "revolute") + 'noise = "0.3 N"\nmoment_noise = "5 mN·m"')
    spread = {c.name: c.noise for c in channels(system(arm), "sensor cell.*")}
    assert spread == {f"sensor cell.{name}": 0.3 if name[0] == "f" else 0.005 for name in WRENCH}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('noise = "0.3 N"\nmoment_noise = "0.3 N"', "moment_noise.*N·m"),
        ('noise = "0.3 N·m"\nmoment_noise = "0.3 N·m"', "cell.noise.*N"),
        ('noise = "0.3 N"\nmoment_noise = "-1 N·m"', "moment_noise"),
        ("rate_noise = 1", "a reaction has no rate_noise; it has: joint, side, noise, .*, moment_noise, .*, rate"),
    ],
)
def test_an_imperfection_of_the_wrong_unit_is_refused(keys, said):
    with pytest.raises(PoinsotError, match=said):
        poinsot.loads(ARM.replace("TYPE", "revolute") + keys)
