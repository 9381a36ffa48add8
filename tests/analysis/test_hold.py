"""Forces that hold a machine at rest, in its own pose where none is given."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.model.mechanism import build


def arm(limits=None, **more) -> poinsot.Mechanism:
    """A shoulder with a skew axis, and a slide along the upper arm."""
    bodies = {
        "upper": {"mass": 2.0, "com": [0.5, 0.1, 0.0], "inertia": [0.1, 0.1, 0.1], "frames": {"end": [1.0, 0, 0]}},
        "tool": {"mass": 1.0, "com": [0.2, 0.0, 0.1], "inertia": [0.01, 0.01, 0.01]},
    }
    shoulder = {"type": "revolute", "between": ["ground", "upper"], "axis": [0.2, 1.0, 0.3], "actuated": True}
    slide = {"type": "prismatic", "between": ["upper.end", "tool"], "axis": [1, 0.5, 0.4], "actuated": True}
    joints = {"shoulder": shoulder | ({"limits": limits} if limits else {}), "slide": slide}
    return build({"format": 1, "name": "arm", "bodies": bodies, "joints": joints, **more})


@pytest.mark.parametrize("pose", [{}, {"shoulder": 0.7}], ids=["no pose", "a part of it"])
def test_a_machine_whose_file_does_not_name_all_of_its_pose_is_held_in_that_pose(pose):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = poinsot.hold(arm(pose=pose))
    same = poinsot.hold(arm(), {"shoulder": 0.0, "slide": 0.0, **pose})
    assert_allclose([found[name] for name in same], [*same.values()], rtol=1e-12)
    assert np.max(np.abs([*same.values()])) > 1


def test_a_pose_of_the_file_beyond_an_end_stop_is_told():
    with pytest.warns(UserWarning, match="the pose of the model file is beyond .* shoulder = 0 rad is not from 0.5"):
        poinsot.hold(arm(limits=[0.5, 1.0]))
