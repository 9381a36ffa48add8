"""Bodies, frames and attitudes of a model file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from poinsot.elements import GROUND
from poinsot.elements.bodies import RigidBody
from poinsot.elements.bodies.visual import SHAPES, Visual
from poinsot.elements.frame import Frame
from poinsot.errors import listing, suggestion, unknown
from poinsot.model.build.scope import ModelError, Scope
from poinsot.model.build.slots import Slots
from poinsot.model.parts import Placement
from poinsot.model.quantities.expressions import Call, Constant, Expression
from poinsot.model.schema import BodySpec, FrameTable, InlineFrame, PlacementSpec, RotationSpec, VisualSpec
from poinsot.spatial.orientation import Along, Angles, Orientation, Quaternion
from poinsot.spatial.pose import Unrotated
from poinsot.spatial.rotation import SEQUENCES

ZERO = Constant(0.0)
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")  # order in files


@dataclass
class Places:
    """Bodies and their frames as they are collected."""

    planar: bool
    slots: Slots
    bodies: dict[str, RigidBody] = field(default_factory=dict)
    frames: dict[str, dict[str, Frame]] = field(default_factory=lambda: {GROUND: {}})  # by body and name
    named: dict[str, Frame] = field(default_factory=dict)  # those with a name of their own
    visuals: dict[str, tuple[Visual, ...]] = field(default_factory=dict)  # by body

    def vector(
        self, scope: Scope, path: tuple, name: str, values: Any, unit: str, role: str, shared_as: str | None = None
    ) -> tuple[Expression, Expression, Expression]:
        """Three components, each a parameter `name.x` …; in the plane the third is zero."""
        wanted = 2 if self.planar else 3
        if len(values) != wanted:
            kind = "planar" if self.planar else "spatial"
            raise ModelError(path, f"expected {wanted} numbers in a {kind} mechanism, got {len(values)}")
        parts = [
            self.slots.slot(scope, (*path, i), f"{name}.{axis}", value, unit, role, shared_as=shared_as)
            for i, (axis, value) in enumerate(zip("xyz", values))
        ]
        x, y, z = parts if wanted == 3 else (*parts, ZERO)
        return x, y, z

    def add_body(self, scope: Scope, key: str, spec: BodySpec) -> None:
        """Take a body and its frames."""
        path, name = (*scope.path, "bodies", key), scope.element(key)
        if name == GROUND and not scope.prefix and (spec.mass, spec.com, spec.inertia, spec.placement) != (None,) * 4:
            raise ModelError(path, "the ground has frames only, no mass, com, inertia or placement")
        shared = spec.shared_as
        frames = self.frames.setdefault(name, {})
        for frame, place in spec.frames.items():
            frames[frame] = self._at(scope, (*path, "frames", frame), name, f"{key}.{frame}", frame, place, shared)
        self.visuals[name] = tuple(
            self._visual(scope, (*path, "visual", i), one) for i, one in enumerate(spec.visual)
        )
        if name != GROUND:
            self.bodies[name] = self._body(scope, path, key, name, spec, tuple(frames.values()))

    def _body(self, scope: Scope, path: tuple, key: str, name: str, spec: BodySpec, frames: tuple) -> RigidBody:
        slot, shared = self.slots.slot, spec.shared_as
        mass = slot(scope, (*path, "mass"), f"{key}.mass", spec.mass or 0.0, "kg", "inertia", 0.0, shared)
        zeros = (0.0, 0.0) if self.planar else (0.0, 0.0, 0.0)
        com = self.vector(scope, (*path, "com"), f"{key}.com", spec.com or zeros, "m", "inertia", shared)
        return RigidBody(name, mass, com, self._inertia(scope, path, key, spec), frames, self.visuals[name])

    def _visual(self, scope: Scope, path: tuple, spec: VisualSpec) -> Visual:
        """A shape to draw; its numbers are no parameters."""
        given = [shape for shape in SHAPES if getattr(spec, shape) is not None]
        if len(given) != 1:
            raise ModelError(path, f"expected one of {listing(SHAPES)}, got {listing(given)}")
        shape, guesses = given[0], Places(False, _GuessSlots(**vars(self.slots)), frames=self.frames)
        if any(not 0 <= part <= 1 for part in spec.colour or ()):
            raise ModelError((*path, "colour"), "expected numbers from 0 to 1")
        unit, key = ("-", "scale") if shape == "mesh" else ("m", shape)
        sizes = getattr(spec, key)
        size = tuple(self.slots.number(scope, (*path, key, i), x, unit) for i, x in enumerate(sizes))
        position = guesses.vector(scope, (*path, "position"), "", spec.position, "m", "geometry")
        orientation = guesses.orientation(scope, (*path, "rotation"), "", spec.rotation)
        return Visual(shape, size, position, orientation, spec.colour, scope.fill(spec.mesh or "", path))

    def _inertia(self, scope: Scope, path: tuple, key: str, spec: BodySpec) -> tuple[Expression, ...]:
        """xx, xy, xz, yy, yz, zz; a planar body is a lamina with Jxx = Jyy = Jzz/2."""
        where, values = (*path, "inertia"), spec.inertia
        if self.planar:
            if values is not None and len(values) != 1:
                raise ModelError(where, f"expected one number in a planar mechanism, got {len(values)}")
            J = self.slots.slot(
                scope, where, f"{key}.inertia", (values or (0.0,))[0], "kg·m²", "inertia", 0.0, spec.shared_as
            )
            half = Call("/", (J, Constant(2.0)))
            return (half, ZERO, ZERO, half, ZERO, J)
        values = values or (0.0, 0.0, 0.0)
        if len(values) not in (3, 6):
            raise ModelError(where, f"expected 3 or 6 numbers (xx, yy, zz[, xy, xz, yz]), got {len(values)}")
        six = {
            axes: self.slots.slot(
                scope, (*where, i), f"{key}.inertia.{axes}", value, "kg·m²", "inertia", shared_as=spec.shared_as
            )
            for i, (axes, value) in enumerate(zip(INERTIA, (*values, 0.0, 0.0, 0.0)[:6]))
        }
        return tuple(six[axes] for axes in ("xx", "xy", "xz", "yy", "yz", "zz"))

    def orientation(
        self, scope: Scope, path: tuple, name: str, spec: RotationSpec | None, shared_as: str | None = None
    ) -> Orientation:
        """Read an attitude; exactly one way of writing it may be used."""
        ways = ("angles", "quaternion", "x", "y", "z", "angle")
        given = [way for way in ways if spec is not None and getattr(spec, way) is not None]
        if spec is None or not given:
            return Unrotated()
        if len(given) > 1:
            raise ModelError(path, f"the attitude is given more than once: {', '.join(given)}")
        way, value = given[0], getattr(spec, given[0])

        def numbers(unit: str, values: Any, labels: Any) -> tuple[Expression, ...]:
            return tuple(
                self.slots.slot(scope, (*path, way, i), f"{name}.{label}", v, unit, "geometry", shared_as=shared_as)
                for i, (label, v) in enumerate(zip(labels, values))
            )

        if way == "angle":
            where, slot = (*path, way), self.slots.slot
            turn = slot(scope, where, f"{name}.angle", value, "rad", "geometry", shared_as=shared_as)
            return Angles("ZXZ", (turn, ZERO, ZERO))
        if way == "angles":
            return self._angles(path, spec, numbers("rad", value, ("angle1", "angle2", "angle3")))
        if way == "quaternion":
            w, x, y, z = numbers("-", value, ("qw", "qx", "qy", "qz"))
            return Quaternion((w, x, y, z))
        if len(value) != 3:
            raise ModelError((*path, way), f"expected 3 numbers, got {len(value)}")
        x, y, z = numbers("-", value, (f"{way}x", f"{way}y", f"{way}z"))
        return Along((x, y, z), None, way)

    def _angles(self, path: tuple, spec: RotationSpec, angles: tuple) -> Angles:
        if spec.sequence not in SEQUENCES:
            words = f"expected a rotation sequence of three axes such as 'ZXZ', got {spec.sequence!r}"
            raise ModelError((*path, "sequence"), words)
        return Angles(spec.sequence, angles)

    def frame(self, scope: Scope, path: tuple, place: str | InlineFrame, owner: str) -> Frame:
        """The frame that "body", "body.frame" or an inline table means."""
        if isinstance(place, InlineFrame):
            return self.inline(scope, path, place, owner)
        text = scope.fill(place, path)
        for around in scope.outward():
            if (full := around.element(text)) in self.named:
                return self.named[full]
            if (full := around.element(text)) in self.frames:
                return Frame(full, "")
            body, _, frame = full.rpartition(".")
            if body in self.frames and frame in self.frames[body]:
                return self.frames[body][frame]
        body, _, frame = text.rpartition(".")
        for around in scope.outward():
            if body and (full := around.element(body)) in self.frames:
                there = f"{suggestion(frame, self.frames[full])}; there are: {listing(self.frames[full])}"
                if any((own := self.named.get(one.element(frame))) and own.body == full for one in scope.outward()):
                    there = f", but [frames.{frame[:80]}] is on it: write '{frame[:80]}'"
                raise ModelError(path, f"body '{full}' has no frame '{frame[:80]}'{there}")
        raise ModelError(path, unknown("body", body or text, self.frames))

    def add_frame(self, scope: Scope, key: str, place: InlineFrame) -> None:
        """Take a frame that has a name of its own and says on which body it is."""
        path, full = (*scope.path, "frames", key), scope.element(key)
        body, _, frame = full.rpartition(".")
        if frame in self.frames.get(body, {}):
            raise ModelError(path, f"the name '{full}' is used twice: body '{body}' has such a frame")
        self.named[full] = self.inline(scope, path, place, key)

    def inline(self, scope: Scope, path: tuple, place: InlineFrame, owner: str) -> Frame:
        """A frame given by body, position and rotation."""
        body = scope.find("body", scope.fill(place.body, path), self.frames, (*path, "body"))
        return self._at(scope, path, body, owner, scope.element(owner), place)

    def _at(
        self,
        scope: Scope,
        path: tuple,
        body: str,
        owner: str,
        name: str,
        place: FrameTable | InlineFrame,
        shared: str | None = None,
    ) -> Frame:
        """A frame on a body; a position that was left out has as many zeros as the mechanism has dimensions."""
        zero = self.planar and place.position == (0.0, 0.0, 0.0)
        p = (0.0, 0.0) if zero else place.position
        position = self.vector(scope, (*path, "position"), owner, p, "m", "geometry", shared)
        orientation = self.orientation(scope, (*path, "rotation"), owner, place.rotation, shared)
        return Frame(body, name, position, orientation)

    def placement(self, scope: Scope, path: tuple, spec: PlacementSpec) -> Placement:
        """Where a body is before assembly; its numbers are a first guess and no parameters."""

        guesses = Places(self.planar, _GuessSlots(**vars(self.slots)), frames=self.frames, named=self.named)
        if spec.at is not None:
            if spec.position is not None or spec.rotation is not None:
                raise ModelError(path, "give either position and rotation, or at and along")
            ends = [guesses.frame(scope, (*path, "along", i), p, "") for i, p in enumerate(spec.along or ())]
            offset = self.slots.number(scope, (*path, "offset"), spec.offset, "m")
            turn = self.slots.number(scope, (*path, "turn"), spec.turn, "rad")
            at, along = guesses.frame(scope, (*path, "at"), spec.at, ""), (ends[0], ends[1]) if ends else None
            return Placement(None, at, along, offset, turn, self.planar)
        orientation = guesses.orientation(scope, (*path, "rotation"), "", spec.rotation)
        zeros = (0.0, 0.0) if self.planar else (0.0, 0.0, 0.0)
        position = guesses.vector(scope, (*path, "position"), "", spec.position or zeros, "m", "geometry")
        return Placement(Frame(GROUND, "", position, orientation))


class _GuessSlots(Slots):
    """Reads numbers without making parameters of them."""

    def slot(self, scope: Scope, path: tuple, name: str, value: Any, unit: str, *_: Any, **__: Any) -> Expression:
        return self.number(scope, path, value, unit)
