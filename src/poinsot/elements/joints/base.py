"""What every joint is: a frame on each of two bodies, its coordinates, and the rows it takes away.

A joint sits at frame F on body A and frame M on body B. Its law is written twice, once as motion and once as
constraint, and the contract tests hold the two against each other:

    X_FM = motion(q)                      used where the joint carries a branch of the tree
    (v, ω) = twist(q, v), q̇ = rates(q, v)   its velocity, in the axes of M, linear in the joint's speeds v
    Φ(X_FM) = residual(X_FM) = 0          used where it closes a loop, and in redundant coordinates
    q = measure(X_FM)                     what an encoder on the joint reads

Rows of the residual are lengths [m], whose names begin with "position" or "distance", or sines of angles [-];
`in_plane` are those that remain when the whole mechanism moves in one plane. What others ask of a joint stands here
with a default; only its elementary motions have none, so that no exporter takes a new joint for something else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from poinsot.elements.frame import Frame
from poinsot.elements.joints.steps import Closing, Step
from poinsot.errors import PoinsotError, unknown
from poinsot.spatial.algebra import Scalar, Vec3, function, is_symbolic
from poinsot.spatial.orientation import Along
from poinsot.spatial.pose import Pose


@dataclass(frozen=True)
class JointCoordinate:
    """One coordinate of a joint: its name and unit."""

    name: str
    unit: str


@dataclass(frozen=True)
class JointOption:
    """A number besides the axes that a joint of the model file must give."""

    unit: str
    description: str
    least: float = float("-inf")


@dataclass(frozen=True)
class Joint(ABC):
    """A joint between two bodies."""

    name: str
    a: Frame  # on body A, nearer to the ground by custom
    b: Frame  # on body B

    kind: ClassVar[str]
    coordinates: ClassVar[tuple[JointCoordinate, ...]]
    rows: ClassVar[tuple[str, ...]]
    in_plane: ClassVar[tuple[int, ...] | None] = None  # rows left in a planar mechanism; None: not for the plane
    nonzero: ClassVar[tuple[str, ...]] = ()  # numbers that cannot be zero
    carries: ClassVar[bool] = True  # can carry a branch of a spanning tree
    options: ClassVar[dict[str, JointOption]] = {}  # numbers that the model file must give, by field
    axes: ClassVar[dict[str, str]] = {}  # fields that are directions -> axis x, y or z of F or M along them
    axis_in_plane: ClassVar[bool] = False  # of a planar mechanism; otherwise the axis is the normal
    winds: ClassVar[bool] = False  # a whole turn does not bring its bodies back
    is_hinge: ClassVar[bool] = False  # turns about one axis, and nothing else
    is_slide: ClassVar[bool] = False  # slides along one axis, and nothing else

    def kept(self, planar: bool) -> tuple[int, ...]:
        """Rows that count: all in space, those of the plane in a planar mechanism."""
        return self.in_plane if planar and self.in_plane is not None else tuple(range(len(self.rows)))

    @cached_property
    def point_rows(self) -> tuple[int, ...]:
        """Rows p_FM = 0 of a joint that holds the origins of F and M together, numbered as the axes; else none."""
        return (0, 1, 2) if self.rows[:3] == ("position x", "position y", "position z") else ()

    @property
    def freedom(self) -> int:
        """Number of relative motions that the joint allows in space."""
        return 6 - len(self.rows)

    def frame_on_a(self) -> Pose:
        """Pose X_AF of the joint's frame on body A."""
        return self.a.pose()

    def frame_on_b(self) -> Pose:
        """Pose X_BM of the joint's frame on body B."""
        return self.b.pose()

    def frame_on(self, side: str) -> Pose:
        """Pose of the joint's frame on body A or B, by the side "a" or "b"."""
        return self.frame_on_a() if side == "a" else self.frame_on_b()

    def end(self, side: str) -> Frame:
        """The user's frame on body A or B, by the side "a" or "b"."""
        return self.a if side == "a" else self.b

    def settled(self, nominal: Callable[[Scalar], float]) -> Joint:
        """The joint with all choices made that hang on the nominal numbers of its parameters."""
        return self

    def remark(self) -> str | None:
        """What the user may not expect of a joint with these numbers; None when there is nothing to say."""
        return None

    @cached_property
    def frames(self) -> tuple[Pose, Pose]:
        """Poses X_AF and X_BM."""
        return self.frame_on_a(), self.frame_on_b()

    def relative(self, X_WA: Pose, X_WB: Pose) -> Pose:
        """Pose X_FM across the joint from the poses of its two bodies."""
        X_AF, X_BM = self.frames
        return (X_WA @ X_AF).inverse() @ (X_WB @ X_BM)

    def coordinate(self, name: str) -> int:
        """Index of a coordinate by its name."""
        existing = [c.name for c in self.coordinates]
        if name not in existing:
            raise PoinsotError(f"{self.kind} joint '{self.name}': {unknown('coordinate', name, existing)}")
        return existing.index(name)

    @abstractmethod
    def residual(self, X_FM: Pose) -> Vec3:
        """Φ(X_FM), one entry a row; zero where the joint is assembled."""

    @abstractmethod
    def motion(self, q: Vec3) -> Pose:
        """X_FM for coordinates q."""

    @abstractmethod
    def twist(self, q: Vec3, v: Vec3) -> tuple[Vec3, Vec3]:
        """Velocity of M's origin [m/s] and angular velocity of M [rad/s] seen from F, both in the axes of M."""

    def rates(self, q: Vec3, v: Vec3) -> Vec3:
        """q̇ for speeds v; the speeds themselves, except where an attitude is a quaternion."""
        return v

    @abstractmethod
    def measure(self, X_FM: Pose) -> Vec3:
        """Coordinates q of an assembled joint."""

    def carrier(self, planar: bool) -> Joint | None:
        """The law by which it carries a body, in a planar mechanism or in space; None: it only closes loops."""
        return self if self.carries else None

    def steps(self, X_FM: Pose, planar: bool, whole_balls: bool) -> list[Step]:
        """Elementary motions from F to M; `whole_balls`: a ball is one, otherwise three hinges."""
        raise PoinsotError(f"the {self.kind} joint '{self.name}' has no elementary motions to be exported by")

    def closing(self, planar: bool) -> Closing:
        """How it closes a loop elsewhere: by default a link that makes all its motions and is welded to body B."""
        return Closing()

    def along(self, type: str, letters: str, q: Vec3, first: int = 0) -> list[Step]:
        """Steps of one type along or about axes, each the next coordinate from the first."""
        places = enumerate(letters, first)
        return [Step(type, letter, float(q[i]), self.coordinates[i].name, i) for i, letter in places]


@dataclass(frozen=True)
class AxisJoint(Joint):
    """A joint with one axis, the third axis of F and of M."""

    axis: Along = Along((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))  # in frame a and, with the same numbers, in frame b

    axes = {"axis": "z"}

    def frame_on_a(self) -> Pose:
        """X_AF: the user's frame on A, turned so that z is the joint's axis."""
        return self.a.pose() @ Pose(self.axis.matrix(), [0.0, 0.0, 0.0])

    def frame_on_b(self) -> Pose:
        """X_BM: the user's frame on B, turned so that z is the joint's axis."""
        return self.b.pose() @ Pose(self.axis.matrix(), [0.0, 0.0, 0.0])


def turn_angle(sine: Scalar, cosine: Scalar) -> Scalar:
    """Angle [rad] between −π and π from numbers proportional to its sine and cosine."""
    return function("atan2", sine, cosine) if is_symbolic(sine, cosine) else float(function("atan2", sine, cosine))
