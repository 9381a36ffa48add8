"""MJCF in: the compiled model beside the document that grows from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from poinsot.elements import GROUND
from poinsot.model.interchange.mjcf.files import mujoco_package
from poinsot.model.interchange.names import Names
from poinsot.spatial.pose import Pose

TABLES = ("bodies", "joints", "couplings", "forces", "actuators", "sensors", "coordinates")
KINDS = ("body", "joint", "coordinate", "coupling", "actuator", "sensor", "force")


@dataclass
class MjcfModel:
    """What MuJoCo compiled, and what has been made of it so far."""

    compiled: Any  # mujoco.MjModel
    tables: dict[str, dict[str, Any]] = field(default_factory=lambda: {table: {} for table in TABLES})
    home: dict[int, tuple[str, Pose]] = field(default_factory=lambda: {0: (GROUND, Pose.identity())})
    joints: dict[int, tuple[str, str | None]] = field(default_factory=dict)  # MuJoCo joint -> joint, coordinate
    sites: dict[int, str] = field(default_factory=dict)  # MuJoCo site -> "body.frame"
    names: dict[str, Names] = field(default_factory=lambda: {kind: Names(kind) for kind in KINDS})
    notes: list[str] = field(default_factory=list)
    mujoco: ModuleType = field(default_factory=mujoco_package)

    def number(self, enumeration: str, name: str) -> int:
        """Number of a name in one of MuJoCo's enumerations: number("mjtEq", "WELD") is that of mjEQ_WELD."""
        members = getattr(self.mujoco, enumeration).__members__
        return int(next(value for key, value in members.items() if key.partition("_")[2] == name))

    def frame_names(self, body: str) -> Names:
        """Names of the frames on one body."""
        return self.names.setdefault(f"frame of {body}", Names("frame", set()))

    def label(self, kind: str, index: int) -> str:
        """Name of an element in the file, "" when it has none."""
        which = getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        return self.mujoco.mj_id2name(self.compiled, which, index) or ""

    def body_label(self, index: int) -> str:
        """Name of a body in the file, or its number."""
        return self.label("body", index) or f"body{index}"
