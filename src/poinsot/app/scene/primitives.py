"""What a picture of a mechanism is made of; lengths in metres, colours from 0 to 255."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poinsot.spatial.pose import Pose

Colour = tuple[int, int, int]
LAYERS = ("bodies", "joints", "frames", "labels", "mass centres", "loads", "reactions", "ground")
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])  # of a box, halved
SHOWN = ("bodies", "joints", "loads", "ground")  # unless the user asks for others


@dataclass(frozen=True, eq=False)
class Primitive:
    """A part of the picture that moves with one body."""

    name: str  # distinct in its layer
    body: str  # that carries it, the ground included
    layer: str  # one of `LAYERS`
    colour: Colour
    X: Pose = field(default_factory=Pose.identity)  # in the body
    opacity: float = 1.0
    joint: str = ""  # whose glyph it is

    def points(self) -> np.ndarray:
        """Points (n, 3) in the body that span it  [m]."""
        return np.asarray(self.X.p, float)[None]


@dataclass(frozen=True, eq=False)
class Ball(Primitive):
    """A sphere."""

    radius: float = 1.0  # [m]

    def points(self) -> np.ndarray:
        """Corners of the box about it."""
        return np.asarray(self.X.p, float) + self.radius * CORNERS


@dataclass(frozen=True, eq=False)
class Cylinder(Primitive):
    """A cylinder about its z axis, with its middle in its origin."""

    radius: float = 1.0  # [m]
    length: float = 1.0  # [m]

    def points(self) -> np.ndarray:
        """Points on the rims of its ends."""
        angle = np.arange(8) * np.pi / 4
        rim = np.column_stack([self.radius * np.cos(angle), self.radius * np.sin(angle), np.zeros(8)])
        half = np.array([0.0, 0.0, self.length / 2])
        return np.vstack([rim - half, rim + half]) @ np.asarray(self.X.R, float).T + np.asarray(self.X.p, float)


@dataclass(frozen=True, eq=False)
class Box(Primitive):
    """A box along its axes, with its middle in its origin."""

    edges: tuple[float, float, float] = (1.0, 1.0, 1.0)  # [m]

    def points(self) -> np.ndarray:
        """Its corners."""
        corners = CORNERS * np.array(self.edges) / 2
        return corners @ np.asarray(self.X.R, float).T + np.asarray(self.X.p, float)


@dataclass(frozen=True, eq=False)
class Surface(Primitive):
    """Triangles."""

    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # (n, 3), in its own frame  [m]
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), int))  # (m, 3)

    def points(self) -> np.ndarray:
        """Its corners."""
        return self.vertices @ np.asarray(self.X.R, float).T + np.asarray(self.X.p, float)


@dataclass(frozen=True, eq=False)
class Tube(Primitive):
    """A round tube along a line, straight or bent."""

    line: np.ndarray = field(default_factory=lambda: np.zeros((2, 3)))  # (n, 3), in the body  [m]
    radius: float = 1.0  # [m]
    beam: str = ""  # that it is drawn for

    def points(self) -> np.ndarray:
        """Corners of the boxes about the points of its line."""
        return (self.line[:, None] + self.radius * CORNERS).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Arrow(Primitive):
    """An arrow from its origin, in the axes of the world, or of its body where it turns with it."""

    vector: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [m], where its length has been chosen
    turns: bool = False  # with its body


@dataclass(frozen=True, eq=False)
class Label(Primitive):
    """A text beside a point."""

    text: str = ""


@dataclass(frozen=True, eq=False)
class Axes(Primitive):
    """The three axes of a frame."""

    length: float = 1.0  # [m]


@dataclass(frozen=True, eq=False)
class Rod(Primitive):
    """A straight rod from its origin to a point of another body; its length follows both."""

    other: str = ""  # the other body
    end: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the other body  [m]
    radius: float = 1.0  # [m]
