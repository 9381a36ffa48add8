"""MJCF out: forces, drives and sensors; what runs along a length becomes a tendon between two sites."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from poinsot.elements.coordinates import AlongJoint, Coordinate, Length
from poinsot.elements.frame import Frame
from poinsot.elements.sensors import Sensor
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.summed_forces import ForcesAlong, SummedForces, acting
from poinsot.model.interchange.tree import LoopClosure, OpenedTree
from poinsot.model.interchange.xml import number_text, numbers_text
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import quaternion_from_matrix

AT_SITE = {"acceleration": "accelerometer", "rate": "gyro"}  # what sensors at a site read, in MuJoCo's words
FARTHEST = 1e10  # a limit that stands for none


@dataclass
class MjcfActing:
    """Collects sites and tendons while a mechanism is written."""

    mechanism: Mechanism
    tree: OpenedTree
    notes: list[str]
    laws: ForcesAlong = field(init=False)
    sites: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # name -> link, pose in it
    tendons: dict[Coordinate | str, tuple[str, str, str]] = field(default_factory=dict)  # -> name, two sites

    def __post_init__(self) -> None:
        elements = self.mechanism.elements
        self.laws, notes = acting(elements, self.tree.poses)
        self.notes += notes
        for body in (elements.ground, *elements.bodies.values()):
            for frame in body.frames:
                self.site(frame)
        for force in elements.forces.values():
            self._reach(force.on, f"the {force.kind} '{force.name}'")
        for actuator in elements.actuators.values():
            self._reach(actuator.on, f"the actuator '{actuator.name}'")

    def site(self, frame: Frame) -> str:
        """The site of a frame, made on the first call."""
        name = frame.label if frame.name else f"{frame.body}.origin"
        name = name.removeprefix(f"{frame.body}.{frame.body}.")
        X = frame.pose()
        count, chosen = 1, name
        while chosen in self.sites and not _same(self.sites[chosen], (frame.body, X)):
            count += 1
            chosen = f"{name}_{count}"
        self.sites[chosen] = (frame.body, X)
        return chosen

    def _reach(self, on: Coordinate, what: str) -> None:
        """Make the tendon of a length; note a coordinate that is neither a joint's nor a length."""
        if self._target(on) is None:
            name = f"joint '{on.joint}'" if isinstance(on, AlongJoint) else f"a coordinate of kind '{on.kind}'"
            self.notes.append(Lost(f"MJCF has no place for {what} along {name}."))

    def tendon(self, length: Length) -> str:
        """The tendon along a length, made on the first call."""
        if length not in self.tendons:
            a, b = self.site(length.a), self.site(length.b)
            self.tendons[length] = (f"{a}-{b}", a, b)
        return self.tendons[length][0]

    def distance(self, closure: LoopClosure, poses: dict[str, Pose]) -> str:
        """The tendon of a rod between two points, whose length an equality keeps."""
        ends = {"a": (closure.a, closure.X_W.p), "b": (closure.b, closure.p_b)}
        names = []
        for end, (link, p_W) in ends.items():
            names.append(f"{closure.name}.{end}")
            self.sites[names[-1]] = (link, Pose(np.eye(3), poses[link].inverse().point(p_W)))
        self.tendons[closure.name] = (closure.name, *names)
        return closure.name

    def add_sites(self, elements: dict[str, Element]) -> None:
        """Write the sites of frames and of sensors into their bodies."""
        for sensor in self.mechanism.sensors.values():
            if sensor.at is not None:
                self.site(sensor.at)
            if isinstance(sensor.on, Length):
                self.tendon(sensor.on)
        self._elements = elements
        self._placed: set[str] = set()
        self._place()

    def _place(self) -> None:
        for name, (link, X) in self.sites.items():
            if name not in self._placed:
                self._elements[link].append(Element("site", {"name": name, **pose_attributes(X)}))
                self._placed.add(name)

    def add_sections(self, root: Element) -> None:
        """Write tendons, actuators and sensors."""
        self._place()
        if self.tendons:
            section = SubElement(root, "tendon")
            for on, (name, *ends) in self.tendons.items():
                law = self.laws.get(on) if isinstance(on, Length) else None
                spatial = SubElement(section, "spatial", {"name": name, **law_attributes(law, "springlength", 0.0)})
                for end in ends:
                    SubElement(spatial, "site", site=end)
        self._actuators(root)
        self._sensors(root)

    def _actuators(self, root: Element) -> None:
        if not self.mechanism.actuators:
            return
        section = SubElement(root, "actuator")
        for name, actuator in self.mechanism.actuators.items():
            if (target := self._target(actuator.on)) is None:
                continue
            attributes = {"name": name, **target}
            if np.isfinite(actuator.lower) and np.isfinite(actuator.upper):
                attributes["ctrlrange"] = numbers_text((actuator.lower, actuator.upper))
            SubElement(section, "motor", attributes)

    def _target(self, on: Coordinate | None) -> dict[str, str] | None:
        if isinstance(on, Length):
            return {"tendon": self.tendon(on)}
        if isinstance(on, AlongJoint) and (motion := self.tree.motion(on.joint, on.index)) is not None:
            return {"joint": motion.name}
        return None

    def _sensors(self, root: Element) -> None:
        section = Element("sensor")
        for sensor in self.mechanism.sensors.values():
            made = self._sensor(sensor)
            for tag, attributes in made:
                SubElement(section, tag, attributes)
            self.notes += [sensor.lost()] if sensor.lost() else []
            if not made:
                self.notes.append(f"The {sensor.kind} sensor '{sensor.name}' has no counterpart in MJCF.")
            elif sensor.noise or any(getattr(sensor, "bias", ())) or getattr(sensor, "offset", 0.0):
                self.notes.append(f"Noise, bias and offset of the sensor '{sensor.name}' are not carried over.")
        if len(section):
            root.append(section)

    def _sensor(self, sensor: Sensor) -> list[tuple[str, dict[str, str]]]:
        found = []
        for part, quantity in sensor.reads.items():
            name = f"{sensor.name}.{part}" if part else sensor.name
            if quantity in AT_SITE and sensor.at is not None:
                found.append((AT_SITE[quantity], {"name": name, "site": self.site(sensor.at)}))
            elif quantity == "position" and sensor.on and (target := self._target(sensor.on)) is not None:
                found.append(("tendonpos" if "tendon" in target else "jointpos", {"name": name, **target}))
            elif quantity == "force" and self._target(self.mechanism.actuators[sensor.actuator].on):
                found.append(("actuatorfrc", {"name": name, "actuator": sensor.actuator}))
        return found


def pose_attributes(X: Pose) -> dict[str, str]:
    """Attributes of a body or site for its pose in its parent."""
    return {"pos": numbers_text(X.p), "quat": numbers_text(quaternion_from_matrix(X.R))}


def law_attributes(law: SummedForces | None, rest: str, least: float) -> dict[str, str]:
    """Attributes of a joint or tendon for what acts along it.

    `rest` is its word for where the spring is relaxed, `least` the lowest limit that it can have.
    """
    if law is None:
        return {}
    out = {"stiffness": number_text(law.stiffness), rest: number_text(law.rest)} if law.stiffness else {}
    for key, value in (("damping", law.damping), ("frictionloss", law.coulomb), ("armature", law.inertia)):
        out |= {key: number_text(value)} if value else {}
    if law.limited():
        out["range"] = numbers_text(np.clip((law.lower, law.upper), least, FARTHEST))
    return out


def _same(first: tuple[str, Pose], second: tuple[str, Pose]) -> bool:
    (a, X), (b, Y) = first, second
    return a == b and np.allclose(X.p, Y.p, atol=1e-15, rtol=0) and np.allclose(X.R, Y.R, atol=1e-15, rtol=0)
