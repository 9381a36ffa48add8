"""Joints and coordinates of a model file, and the forces, actuators and sensors along them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from poinsot.elements import GROUND
from poinsot.elements.coordinates import COORDINATES, AlongJoint, Coordinate, JointCombination
from poinsot.elements.coupling import JointCoupling
from poinsot.elements.forces import FORCES, Actuator, Force, Load
from poinsot.elements.frame import Frame
from poinsot.elements.joints import JOINTS, Joint
from poinsot.errors import listing, unknown
from poinsot.model.build.scope import ModelError, Scope, errors_at
from poinsot.model.quantities.expressions import Constant, Expression
from poinsot.model.quantities.units import force_unit
from poinsot.model.schema import CoordinateSpec, CouplingSpec, ForceSpec, JointSpec
from poinsot.spatial.orientation import Along

if TYPE_CHECKING:
    from poinsot.model.build.places import Places


LOAD_KEYS = {"type", "at", "force", "moment", "follows"}


@dataclass
class JointsAndForces:
    """Joints and what acts along coordinates, as they are collected."""

    places: Places
    joints: dict[str, Joint] = field(default_factory=dict)
    couplings: dict[str, JointCoupling] = field(default_factory=dict)
    forces: dict[str, Force] = field(default_factory=dict)
    loads: dict[str, Load] = field(default_factory=dict)
    actuators: dict[str, Actuator] = field(default_factory=dict)

    def add_joint(self, scope: Scope, key: str, spec: JointSpec) -> None:
        """Take a joint."""
        path, law, slot = (*scope.path, "joints", key), JOINTS[spec.type], self.places.slots.slot
        if self.places.planar and law.in_plane is None:
            usable = listing(k for k, j in JOINTS.items() if j.in_plane is not None)
            raise ModelError((*path, "type"), f"a {spec.type} joint is not for the plane; there are: {usable}")
        frames = [
            self.places.frame(scope, (*path, "between", i), place, f"{key}.{side}")
            for i, (side, place) in enumerate(zip("ab", spec.between))
        ]
        if frames[0].body == frames[1].body:
            raise ModelError((*path, "between"), f"both sides are on the body '{frames[0].body}'")
        options: dict[str, Any] = {}
        for option, value in spec.options.items():
            if option not in law.axes and option not in law.options:
                raise ModelError((*path, option), f"a {spec.type} joint has no {option}")
            if option in law.axes:
                options[option] = self._axis(scope, path, key, option, value, law)
            else:
                unit, least = law.options[option].unit, law.options[option].least
                options[option] = slot(scope, (*path, option), f"{key}.{option}", value, unit, "geometry", least)
        if missing := [option for option in law.options if option not in options]:
            raise ModelError(path, f"a {law.kind} joint needs its {missing[0]}")
        if self.places.planar and law.axis_in_plane:
            options.setdefault("axis", Along((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
        self.joints[scope.element(key)] = law(scope.element(key), *frames, **options)

    def _axis(self, scope: Scope, path: tuple, key: str, option: str, value: Any, law: type[Joint]) -> Along:
        """Direction of a joint's axis; in the plane a slide lies in it and a hinge is normal to it."""
        name = f"{key}.{option}"
        if self.places.planar and not law.axis_in_plane:
            raise ModelError((*path, option), f"in a planar mechanism the axis of a {law.kind} joint is the normal")
        direction = self.places.vector(scope, (*path, option), name, value, "-", "geometry")
        return Along(direction, (0.0, 0.0, 1.0) if self.places.planar else None, law.axes[option])

    def add_joint_forces(self, scope: Scope, key: str, spec: JointSpec) -> None:
        """Take springs, dampers, friction, drive inertia, limits and the actuator written with a joint."""
        path, joint = (*scope.path, "joints", key), self.joints[scope.element(key)]
        for short, (kind, parameter) in shorthand().items():
            for where, index, label, value in self._per_coordinate(joint, (*path, short), getattr(spec, short, None)):
                fields = {parameter: self._slot(scope, where, f"{key}.{short}{label}", value, joint, index, kind)}
                for posed in FORCES[kind].posed:
                    fields[posed] = self._rest(scope, path, key, spec, joint, index, label)
                self._add(kind, joint, index, label, fields)
        if spec.rest is not None and spec.stiffness is None:
            raise ModelError((*path, "rest"), "a rest position needs a stiffness")
        for name in spec.rest if isinstance(spec.rest, dict) else ():
            self.joint_coordinate((*path, "rest", name), joint, name)
        self._add_friction(scope, path, key, spec, joint)
        self._add_limits(scope, path, key, spec, joint)
        if spec.actuated:
            which = spec.actuated if isinstance(spec.actuated, str) else None
            on = self.joint_coordinate((*path, "actuated"), joint, which)
            self.actuators[joint.name] = Actuator(joint.name, on)

    def _rest(
        self, scope: Scope, path: tuple, key: str, spec: JointSpec, joint: Joint, index: int, label: str
    ) -> Any:
        coordinate = joint.coordinates[index].name
        value = spec.rest.get(coordinate, 0.0) if isinstance(spec.rest, dict) else spec.rest
        if value == "pose":
            return None
        where = (*path, "rest", *([coordinate] if label else []))
        return self._slot(scope, where, f"{key}.rest{label}", value or 0.0, joint, index, "spring", "rest")

    def _add_friction(self, scope: Scope, path: tuple, key: str, spec: JointSpec, joint: Joint) -> None:
        found: dict[tuple[int, str], dict[str, Expression]] = {}
        for term in ("viscous", "coulomb", "offset", "smooth") if spec.friction else ():
            given = self._per_coordinate(joint, (*path, "friction", term), getattr(spec.friction, term))
            for where, index, label, value in given:
                slot = self._slot(scope, where, f"{key}.{term}{label}", value, joint, index, "friction", term)
                found.setdefault((index, label), {})[term] = slot
        for (index, label), fields in found.items():
            self._add("friction", joint, index, label, fields)

    def _add_limits(self, scope: Scope, path: tuple, key: str, spec: JointSpec, joint: Joint) -> None:
        for where, index, label, (lower, upper) in self._per_coordinate(joint, (*path, "limits"), spec.limits):
            ends = {"lower": lower, "upper": upper}
            fields = {
                end: self._slot(scope, (*where, i), f"{key}.{end}{label}", value, joint, index, "end-stop", end)
                for i, (end, value) in enumerate(ends.items())
            }
            self._add("end-stop", joint, index, label, fields)

    def _slot(
        self, scope: Scope, path: tuple, name: str, value: Any, joint: Joint, index: int, kind: str, field=None
    ):
        field = field or next(iter(FORCES[kind].parameters))
        unit = force_unit(FORCES[kind].parameters[field], joint.coordinates[index].unit)
        return self.places.slots.slot(scope, path, name, value, unit, "force", **least(FORCES[kind], field))

    def _add(self, kind: str, joint: Joint, index: int, label: str, fields: dict[str, Any]) -> None:
        name = f"{joint.name}.{kind}{label}"
        self.forces[name] = FORCES[kind](name, AlongJoint(joint.name, index, joint.coordinates[index].unit), **fields)

    def _per_coordinate(self, joint: Joint, path: tuple, value: Any):
        """Value for each coordinate of a joint: one for its only one, or a table by name."""
        if value is None:
            return
        if isinstance(value, dict):
            for name, item in value.items():
                yield (*path, name), self.joint_coordinate((*path, name), joint, name).index, f".{name}", item
        else:
            yield path, self.joint_coordinate(path, joint, None).index, "", value

    def joint_coordinate(self, path: tuple, joint: Joint, name: str | None) -> AlongJoint:
        """The coordinate of a joint by name; the name may be left out when there is only one."""
        usable = [c.name for c in joint.coordinates if c.unit != "-"]
        if name is None and len(usable) != 1:
            several = f"has the coordinates {', '.join(usable)}: say which"
            has = several if usable else "has no coordinate to act along"
            raise ModelError(path, f"the {joint.kind} joint '{joint.name}' {has}")
        name = name or usable[0]
        if name not in usable:
            raise ModelError(path, f"{joint.kind} joint '{joint.name}': {unknown('coordinate', name, usable)}")
        index = joint.coordinate(name)
        return AlongJoint(joint.name, index, joint.coordinates[index].unit)

    def coordinate(self, scope: Scope, path: tuple, spec: CoordinateSpec, owner: str) -> Coordinate:
        """Read a coordinate; exactly one key is the kind of one."""
        kinds = [key for key in COORDINATES if key in spec.given]
        if len(kinds) != 1:
            raise ModelError(path, f"expected one of {', '.join(COORDINATES)}, got {', '.join(kinds) or 'none'}")
        law, (kind,) = COORDINATES[kinds[0]], kinds
        if law is AlongJoint:
            name = scope.find("joint", scope.fill(spec.joint, path), self.joints, (*path, kind))
            return self.joint_coordinate((*path, "coordinate"), self.joints[name], spec.coordinate)
        given, where = spec.given[kind], (*path, kind)
        if law is JointCombination:
            return self._combination(scope, where, given)
        if isinstance(given, tuple) != (law.places == 2):
            raise ModelError(where, f"expected {'two places' if law.places == 2 else 'one place'}")
        ends = [((*where, i), place, f"{owner}.{side}") for i, (side, place) in enumerate(zip("ab", given))]
        ends = ends if law.places == 2 else [(where, given, owner)]
        frames = [self.places.frame(scope, *end) for end in ends]
        if law.relative and spec.reference is not None:
            reference = self.places.frame(scope, (*path, "reference"), spec.reference, f"{owner}.reference")
        else:
            reference = Frame(GROUND, "")
        with errors_at(path):
            fields = law.chosen(spec.given, self.places.planar)
        return law(*frames, *([reference] if law.relative else []), **fields)

    def _combination(self, scope: Scope, path: tuple, given: dict[str, Any]) -> JointCombination:
        """Σ weight · coordinate of "joint" or "joint.coordinate", in the unit of the first."""
        if not given:
            raise ModelError(path, "a combination needs weights by joint")
        parts = [self._part(scope, (*path, key), scope.fill(key, path)) for key in given]
        unit = parts[0].unit
        weights = tuple(
            self.places.slots.number(scope, (*path, key), weight, "-" if part.unit == unit else f"{unit}/{part.unit}")
            for (key, weight), part in zip(given.items(), parts)
        )
        return JointCombination(tuple(parts), weights, unit)

    def _part(self, scope: Scope, path: tuple, key: str) -> AlongJoint:
        whole = any(around.element(key) in self.joints for around in scope.outward())
        joint, name = (key, None) if whole or "." not in key else key.rsplit(".", 1)
        return self.joint_coordinate(path, self.joints[scope.find("joint", joint, self.joints, path)], name)

    def add_coupling(self, scope: Scope, key: str, spec: CouplingSpec) -> None:
        """Take a coupling."""
        path, name = (*scope.path, "couplings", key), scope.element(key)
        on = self.coordinate(scope, (*path, "on"), spec.on, key)
        value = self.places.slots.slot(scope, (*path, "value"), f"{key}.value", spec.value, on.unit, "geometry")
        self.couplings[name] = JointCoupling(name, on, value)

    def add_force(self, scope: Scope, key: str, spec: ForceSpec) -> None:
        """Take a force along a coordinate, or a load."""
        path, name = (*scope.path, "forces", key), scope.element(key)
        if spec.type == "load":
            self.loads[name] = self._load(scope, path, key, name, spec)
            return
        law = FORCES[spec.type]
        if spec.on is None:
            raise ModelError(path, f"a {spec.type} needs `on`, the coordinate along which it acts")
        extra = [f for f in spec.model_fields_set if f not in {"type", "on", *law.parameters}]
        if extra:
            raise ModelError(
                (*path, extra[0]), f"a {spec.type} has no {extra[0]}; it has: {', '.join(law.parameters)}"
            )
        on, slot = self.coordinate(scope, (*path, "on"), spec.on, key), self.places.slots.slot
        fields: dict[str, Any] = {}
        for parameter, unit in law.parameters.items():
            if (value := getattr(spec, parameter, None)) == "pose" and parameter in law.posed:
                fields[parameter] = None
            elif value is not None:
                what = (f"{key}.{parameter}", value, force_unit(unit, on.unit), "force")
                fields[parameter] = slot(scope, (*path, parameter), *what, **least(law, parameter))
        try:
            self.forces[name] = law(name, on, **fields)
        except TypeError:
            missing = [p for p in law.parameters if p not in fields]
            raise ModelError(path, f"a {spec.type} needs its {missing[0]}") from None

    def _load(self, scope: Scope, path: tuple, key: str, name: str, spec: ForceSpec) -> Load:
        if spec.at is None:
            raise ModelError(path, "a load needs `at`, the place on which it acts")
        if extra := [f for f in ForceSpec.known_keys() if f in spec.model_fields_set - LOAD_KEYS]:
            raise ModelError((*path, extra[0]), f"a load has no {extra[0]}; it has: at, force, moment, follows")
        if spec.moment is not None and self.places.planar and len(spec.moment) != 1:
            raise ModelError((*path, "moment"), f"expected one number in a planar mechanism, got {len(spec.moment)}")
        fields: dict[str, Any] = {"follows": bool(spec.follows)}
        if spec.force is not None:
            fields["force"] = self.places.vector(scope, (*path, "force"), f"{key}.force", spec.force, "N", "force")
        if spec.moment is not None and self.places.planar:
            moment = self.places.slots.slot(scope, (*path, "moment"), f"{key}.moment", spec.moment[0], "N·m", "force")
            fields["moment"] = (Constant(0.0), Constant(0.0), moment)
        elif spec.moment is not None:
            fields["moment"] = self.places.vector(
                scope, (*path, "moment"), f"{key}.moment", spec.moment, "N·m", "force"
            )
        return Load(name, self.places.frame(scope, (*path, "at"), spec.at, key), **fields)

    def add_actuator(self, scope: Scope, key: str, spec: Any) -> None:
        """Take an actuator."""
        path, name = (*scope.path, "actuators", key), scope.element(key)
        if name in self.actuators:
            raise ModelError(path, f"there is already an actuator '{name}'")
        on = self.coordinate(scope, (*path, "on"), spec.on, key)
        fields = {
            end: self.places.slots.slot(
                scope, (*path, "limits", i), f"{key}.force.{end}", value, force_unit("f", on.unit), "force"
            )
            for i, (end, value) in enumerate(zip(("lower", "upper"), spec.limits or ()))
        }
        self.actuators[name] = Actuator(name, on, **fields)


def shorthand() -> dict[str, tuple[str, str]]:
    """Keys of a joint that stand for a force along it: the force's kind and the parameter that is given."""
    return {key: (kind, field) for kind, law in FORCES.items() for key, field in law.shorthand.items()}


def least(law: type[Force], field: str) -> dict[str, Any]:
    """Least value that a parameter of a force may have, and whether it holds against bounds in the file."""
    never, hardly = field in law.nonnegative, field in law.nonnegative_unless_bounded
    return {"lower": 0.0 if never or hardly else float("-inf"), "firm": not hardly}
