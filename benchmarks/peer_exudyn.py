"""A mechanism in Exudyn: bodies with Euler parameters, its own generic and spherical joints, loads along slides."""

from __future__ import annotations

from typing import Any

import exudyn
import exudyn.itemInterface as items
import numpy as np

from poinsot.model.assembly.assembly import assemble
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.inertia import inertia_about
from poinsot.spatial.rotation import quaternion_from_matrix

__all__ = ["ExudynModel"]

# Positions x, y, z and axes held; a universal joint holds x_F · y_M = 0 only.
AXES = {"universal": [1, 1, 1, 0, 0, 1], "prismatic": [1, 1, 0, 1, 1, 1]}


class ExudynModel:
    """A mechanism in the pose of its file, at rest, with constant forces along its slides  [N]."""

    def __init__(self, mechanism: Mechanism, forces: dict[str, float]):
        self.container = exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.bodies = {"ground": self.system.AddObject(items.ObjectGround())}
        self.nodes: dict[str, int] = {}
        for name, X in assemble(mechanism).require().poses.items():
            if name != "ground":
                self._add_body(name, mechanism.bodies[name], X, np.array(mechanism.gravity, float))
        for joint in mechanism.joints.values():
            self._add_joint(joint)
        for name, actuator in mechanism.actuators.items():
            joint = mechanism.joints[actuator.on.joint]
            for frame, body, sign in ((joint.frame_on_a(), joint.a.body, -1), (joint.frame_on_b(), joint.b.body, 1)):
                push = sign * forces[name] * np.asarray(frame.R, float)[:, 2]
                marker = self._marker(body, frame.p)
                self.system.AddLoad(items.LoadForceVector(markerNumber=marker, loadVector=push, bodyFixed=True))
        self.system.Assemble()

    def _add_body(self, name: str, body: Any, X: Any, gravity: np.ndarray) -> None:
        place = [*np.asarray(X.p, float), *quaternion_from_matrix(X.R)]
        node = self.system.AddNode(items.NodeRigidBodyEP(referenceCoordinates=place, initialVelocities=[0.0] * 7))
        com = np.array(body.com, float)
        J = np.asarray(inertia_about(body.inertia_about_centre(), body.mass, com), float)
        inertia = [J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]]
        self.nodes[name] = node
        self.bodies[name] = self.system.AddObject(
            items.ObjectRigidBody(mass=float(body.mass), inertia=inertia, centerOfMass=com, nodeNumber=node)
        )
        marker = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=self.bodies[name]))
        self.system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=gravity))

    def _marker(self, body: str, point: Any) -> int:
        place = np.asarray(point, float)
        return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=self.bodies[body], localPosition=place))

    def _add_joint(self, joint: Any) -> None:
        X_AF, X_BM = joint.frame_on_a(), joint.frame_on_b()
        markers = [self._marker(joint.a.body, X_AF.p), self._marker(joint.b.body, X_BM.p)]
        if joint.kind == "spherical":
            self.system.AddObject(items.ObjectJointSpherical(markerNumbers=markers))
            return
        self.system.AddObject(
            items.ObjectJointGeneric(
                markerNumbers=markers,
                constrainedAxes=AXES[joint.kind],
                rotationMarker0=np.asarray(X_AF.R, float),
                rotationMarker1=np.asarray(X_BM.R, float),
            )
        )

    def run(self, end: float, steps: int, body: str) -> np.ndarray:
        """Position and rotation matrix of a body in the end (12,), by the generalised α method."""
        settings = exudyn.SimulationSettings()
        integration = settings.timeIntegration
        integration.endTime, integration.numberOfSteps = end, steps
        integration.generalizedAlpha.spectralRadius = 1.0
        integration.generalizedAlpha.useNewmark = True
        integration.generalizedAlpha.useIndex2Constraints = True
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance = 1e-10
        settings.solutionSettings.writeSolutionToFile = False
        settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
        integration.verboseMode = 0
        self.system.SolveDynamic(settings)
        position = self.system.GetNodeOutput(self.nodes[body], exudyn.OutputVariableType.Position)
        rotation = self.system.GetNodeOutput(self.nodes[body], exudyn.OutputVariableType.RotationMatrix)
        return np.r_[position, rotation]
