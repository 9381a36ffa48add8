"""Bodies made of beams, as model files describe them and as rigid formulations see them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import poinsot
from poinsot.model.interchange import write_urdf
from poinsot.model.mechanism import build

FRAME = {
    "format": 1,
    "materials": {"steel": {"E": "210 GPa", "G": "81 GPa", "density": 7850}},
    "sections": {"bar": {"area": 2e-4, "Iy": 1.7e-9, "Iz": 6.7e-9, "torsion": 4.6e-9}},
    "bodies": {
        "frame": {
            "frames": {"knee": [0.3, 0, 0], "foot": [0.3, 0, -0.2]},
            "beams": {
                "top": {"between": ["frame", "frame.knee"], "material": "steel", "section": "bar"},
                "post": {"between": ["frame.knee", "frame.foot"], "material": "steel", "section": "bar"},
            },
            "mass": 0.5,
            "com": [0.3, 0, -0.2],
        }
    },
    "joints": {"hinge": {"type": "revolute", "between": ["ground", "frame"], "axis": [0, 1, 0]}},
}


def test_a_rigid_formulation_sees_all_parts_of_a_flexible_body_together():
    frame = build(FRAME)
    body, bar = frame.bodies["frame"], 7850 * 2e-4
    masses = np.array([0.5, 0.3 * bar, 0.2 * bar])
    centres = np.array([[0.3, 0, -0.2], [0.15, 0, 0], [0.3, 0, -0.1]])
    assert_allclose(body.mass, masses.sum())
    assert_allclose(body.com, masses @ centres / masses.sum(), atol=1e-15)
    about_hinge = 0.5 * (0.3**2 + 0.2**2) + masses[1] * 0.3**2 / 3 + masses[2] * (0.2**2 / 3 + 0.3**2)
    about_hinge += 7850 * (0.3 + 0.2) * 1.7e-9  # of the sections themselves, both with y across the plane
    assert_allclose(body.spatial_inertia().I[1, 1], about_hinge, rtol=1e-12)
    assert frame.elements.lumps["frame"].mass == 0.5


def test_materials_and_sections_are_parameters():
    frame = build(FRAME)
    assert frame.parameters["steel.density"].unit == "kg/m³" and frame.parameters["bar.Iz"].value == 6.7e-9
    lighter = frame.with_parameters({"steel.density": 2700})
    assert_allclose(lighter.bodies["frame"].mass - 0.5, (frame.bodies["frame"].mass - 0.5) * 2700 / 7850)


def test_a_parameter_of_a_flexible_body_moves_its_dynamics():
    frame = build(FRAME)
    fast = poinsot.accelerations(frame, poinsot.State())
    heavy = poinsot.accelerations(frame.with_parameters({"steel.density": 9000}), poinsot.State())
    assert abs(fast["frame"][4] - heavy["frame"][4]) > 1e-3


@pytest.mark.parametrize("name", ["navaro", "navaro_refined"])
def test_flexible_models_survive_being_written_and_read(tmp_path, name):
    model = poinsot.load(name)
    poinsot.save(model, tmp_path / "again.toml")
    again = poinsot.load(tmp_path / "again.toml")
    assert again.elements.beams == model.elements.beams and again.elements.lumps == model.elements.lumps


def test_other_formats_say_that_beams_become_rigid(tmp_path):
    written = write_urdf(poinsot.load("navaro"), tmp_path / "navaro.urdf")
    assert any("rigid" in note and "platform" in note for note in written.notes)
