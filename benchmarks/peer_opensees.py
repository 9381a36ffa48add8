"""A flexible mechanism as a frame of OpenSees: the same nodes, beams and hinges, everything else its own."""

from __future__ import annotations

import numpy as np

from poinsot.model.assembly.assembly import assemble
from poinsot.model.mechanism import Mechanism
from poinsot.statics.elastic_equilibrium import model_of

HINGED = (1, 2, 3, 4, 5)  # all but the turn about z


def frame(mechanism: Mechanism, pose: dict[str, float]) -> tuple[dict, list, list]:
    """Places of the nodes, beams with their sections, and pairs of nodes that a hinge about z joins."""
    mesh = model_of(mechanism).mesh
    poses = mesh.poses(assemble(mechanism, pose).require().poses)
    places = {name: np.asarray(poses[name].p) for name in mesh.elements.bodies}
    beams = [(piece.a, piece.b, mechanism.elements.beams[piece.beam]) for piece in mesh.pieces]
    return places, beams, [(joint.a.body, joint.b.body) for joint in mesh.elements.joints.values()]


def frequencies(places: dict, beams: list, joints: list, count: int, solver: str = "-genBandArpack") -> np.ndarray:
    """The lowest natural frequencies by OpenSees  [Hz]; joints with the ground are clamped."""
    import openseespy.opensees as ops

    ops.wipe()
    ops.model("basic", "-ndm", 3, "-ndf", 6)
    tags = {name: i + 1 for i, name in enumerate(places)}
    for name, p in places.items():
        ops.node(tags[name], *map(float, p))
    for a, b in joints:
        if a == "ground":
            ops.fix(tags[b], *(1,) * 6)
        else:
            ops.equalDOF(tags[a], tags[b], *HINGED)
    ops.geomTransf("Linear", 1, 0.0, 0.0, 1.0)
    for k, (a, b, beam) in enumerate(beams):
        numbers = (beam.area, beam.E, beam.G, beam.torsion, beam.Iy, beam.Iz)
        mass = ("-mass", beam.density * beam.area, "-cMass")
        ops.element("elasticBeamColumn", k + 1, tags[a], tags[b], *numbers, 1, *mass)
    ops.constraints("Transformation")
    ops.numberer("Plain")
    ops.system("BandGeneral")
    found = ops.eigen(solver, count)
    return np.sqrt(np.abs(found)) / (2 * np.pi)
