"""Malformed model files, continued: beams, materials, sections."""

from __future__ import annotations

MATERIAL = 'materials.steel = { E = "210 GPa", G = "81 GPa", density = 7850 }\n'
SECTION = "sections.bar = { area = 2e-4, Iy = 1.7e-9, Iz = 6.7e-9, torsion = 4.6e-9 }\n"
BODY = '[joints.hinge]\ntype = "revolute"\nbetween = ["ground", "link"]\n[bodies.link]\nframes.tip = [0.4, 0]\n'
BEAM = 'beams.web = { between = ["link", "link.tip"], material = "steel", section = "bar" }\n'
HEAD = "format = 1\nplanar = true\n"

BEAMS = [
    ("unknown material", HEAD + SECTION + BODY + BEAM, r"bodies\.link\.beams\.web\.material: there is no material"),
    ("unknown section", HEAD + MATERIAL + BODY + BEAM, r"bodies\.link\.beams\.web\.section: there is no section"),
    (
        "end of a beam on another body",
        HEAD + MATERIAL + SECTION + BODY + BEAM.replace('"link"', '"ground"'),
        r"beams\.web\.between\[1\]: expected a frame of 'link', got 'ground'",
    ),
    (
        "end of a beam that does not exist",
        HEAD + MATERIAL + SECTION + BODY + BEAM.replace("link.tip", "link.top"),
        r"beams\.web\.between\[2\]: body 'link' has no frame 'top'.*tip",
    ),
    (
        "beam without length",
        HEAD + MATERIAL + SECTION + BODY.replace("0.4", "0.0") + BEAM,
        r"beams\.link\.web: its two ends are in the same place",
    ),
    (
        "section without area",
        HEAD + MATERIAL + SECTION.replace("area = 2e-4", "area = 0") + BODY + BEAM,
        r"beams\.link\.web: area must be above zero",
    ),
    (
        "negative modulus",
        HEAD + MATERIAL.replace("210", "-210") + SECTION + BODY + BEAM,
        r"materials\.steel\.E: expected a number of at least 0",
    ),
    (
        "modulus in metres",
        HEAD + MATERIAL.replace("210 GPa", "210 m") + SECTION + BODY + BEAM,
        r"materials\.steel\.E: expected a quantity in Pa",
    ),
    (
        "section with a missing number",
        HEAD + MATERIAL + SECTION.replace(", torsion = 4.6e-9", "") + BODY + BEAM,
        r"sections\.bar\.torsion: .*missing",
    ),
    (
        "no elements",
        HEAD + MATERIAL + SECTION + BODY + BEAM.replace(' section = "bar"', ' section = "bar", elements = 0'),
        r"beams\.web\.elements: expected .*1",
    ),
    (
        "section that stands along its beam",
        HEAD + MATERIAL + SECTION + BODY + BEAM.replace(' section = "bar"', ' section = "bar", z = [1, 0, 0]'),
        r"beams\.link\.web\.z: the z axis of the section must not point along the beam",
    ),
    (
        "beam of the ground",
        HEAD + MATERIAL + SECTION + "[bodies.ground]\nframes.tip = [0.4, 0]\n" + BEAM.replace('"link', '"ground'),
        r"bodies\.ground\.beams\.web: the ground cannot have beams",
    ),
]
