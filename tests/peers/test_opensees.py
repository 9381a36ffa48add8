"""Frames with flexible links against OpenSees, which knows nothing of mechanisms."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.peer_opensees import frame, frequencies
from numpy.testing import assert_allclose

import poinsot
from tests.compared import compared

try:
    import openseespy.opensees  # noqa: F401
except (ImportError, RuntimeError) as error:  # it raises the latter where the system has no libblas.so.3
    pytest.skip(f"OpenSees does not load: {error}", allow_module_level=True)
pytestmark = pytest.mark.peers
THIN = 1e4  # how much stiffer and thinner: OpenSees gives sections no rotary inertia


def thin(mechanism):
    """The same bending, stretching and mass with sections so small that they cannot turn."""
    changes = {}
    for name in mechanism.parameters:
        key, value = name.rpartition(".")[2], mechanism.parameters[name].value
        if key in ("Iy", "Iz"):
            changes[name] = value / THIN
        if key == "torsion":
            Iy, Iz = (mechanism.parameters[name.replace("torsion", k)].value for k in ("Iy", "Iz"))
            changes[name] = (Iy + Iz) / THIN  # OpenSees turns a section with its torsion constant
        if key == "E":
            changes[name] = value * THIN
    return mechanism.with_parameters(changes)


@pytest.mark.parametrize("pose", [(0.0, 0.0, 0.0), (0.05, -0.03, -0.4), (0.117, 0.0675, -np.pi / 3)])
def test_navaro_is_the_same_frame_in_opensees(pose):
    robot = thin(poinsot.load("navaro"))
    at = dict(zip(("x", "y", "theta"), pose))
    ours = poinsot.modes(robot, pose=at, n=12).frequencies
    theirs = frequencies(*frame(robot, at), 12, "-fullGenLapack")
    assert_allclose(ours, theirs, rtol=1e-6)
    compared("natural frequencies of frames of beams", "OpenSees", ours, theirs)


def test_a_portal_of_fifteen_elements_is_the_same_frame_in_opensees():
    document = dict(poinsot.load("navaro").document)
    bar = {"material": "duralumin", "section": "link", "elements": 5}
    portal = {
        "frames": {"left": [0.0, 0.4], "right": [0.5, 0.4], "foot": [0.5, 0.0]},
        "beams": {
            "post": {"between": ["portal", "portal.left"], **bar},
            "beam": {"between": ["portal.left", "portal.right"], **bar},
            "leg": {"between": ["portal.right", "portal.foot"], **bar},
        },
    }
    feet = {
        "a": {"type": "fixed", "between": ["ground", "portal"]},
        "b": {"type": "fixed", "between": [{"body": "ground", "position": [0.5, 0.0]}, "portal.foot"]},
    }
    kept = {key: document[key] for key in ("format", "planar", "gravity", "materials", "sections")}
    robot = thin(poinsot.build({**kept, "bodies": {"portal": portal}, "joints": feet}))
    ours = poinsot.modes(robot, pose={}, n=10).frequencies
    theirs = frequencies(*frame(robot, {}), 10, "-fullGenLapack")
    assert_allclose(ours, theirs, rtol=1e-6)
    compared("natural frequencies of frames of beams", "OpenSees", ours, theirs)
