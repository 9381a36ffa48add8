"""What is measured: actuator forces, generalised forces, reactions of joints, wrenches on bodies, power.

"leg1", "leg*"                 the force of an actuator; "actuators" means all
"reaction A", "reaction A.fx"  what a joint transmits to its second body, in the joint's own axes there
"wrench platform"              Q_e − M q̈ of a body: force in world axes, moment about its origin in body axes
"wrench ground"                what the mechanism exerts on the ground: in world axes, about the world's origin
"sensor NAME"                  a drive-force or reaction sensor of the model file, with its gain, axes and noise;
                               in short NAME, where no actuator is meant by that
"freedom A"                    the force that would move a joint by itself, other freedoms being held
"power"                        of all actuators together
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from poinsot.elements import GROUND
from poinsot.errors import PoinsotError, listing, one_or_more_names, suggestion
from poinsot.formulations.embedded import free_speeds
from poinsot.model.parts import Elements
from poinsot.model.quantities.units import force_unit
from poinsot.motion.undetermined import undetermined
from poinsot.results import WRENCH
from poinsot.system.system import System

COMPONENTS = tuple(WRENCH.split())


@dataclass(frozen=True)
class MeasuredChannel:
    """One measured quantity."""

    quantity: str  # "actuator", "reaction", "sensor", "wrench", "freedom" or "power"
    owner: str  # actuator, joint, sensor or body
    index: int  # number of the actuator, of the speed or of the component
    name: str
    unit: str
    noise: float = 0.0  # standard deviation of one sample that the model file gives; 0: none given

    @property
    def held(self) -> bool:
        """Whether it follows from what the actuators and joints hold."""
        return self.quantity in ("actuator", "reaction", "sensor")

    def is_wrench(self, elements: Elements) -> bool:
        """Whether it is a component of a wrench, read directly."""
        cell = self.quantity == "sensor" and bool(elements.sensors[self.owner].joint)
        return cell or self.quantity in ("reaction", "wrench")


def channels(compiled: System, wanted: Sequence[str] | str | None) -> tuple[MeasuredChannel, ...]:
    """Channels by name or pattern; without any, the actuators, or the freedoms of a mechanism that lacks them."""
    _, n, m, actuators = compiled.sizes
    if wanted is None:
        wanted = "actuators" if actuators >= n - m else "freedoms"
    names = one_or_more_names(wanted, "channels")
    existing = _existing(compiled)
    if not names:
        raise PoinsotError(f"no channel is given; there are: {_overview(existing)}")
    if any(name.startswith("freedom") for name in names):  # only these need independent speeds
        existing += _freedoms(compiled)
    found: dict[str, MeasuredChannel] = {}
    for name in names:
        matches = [c for c in existing if _matches(c, name)]
        matches = matches or [c for c in existing if " " not in name and _matches(c, f"sensor {name}")]
        if not matches:
            raise PoinsotError(_unknown(name, existing))
        found |= {c.name: c for c in matches}
    _require_determined(compiled, found.values())
    return tuple(found.values())


def _matches(channel: MeasuredChannel, wanted: str) -> bool:
    """Whether a channel is meant by a name or pattern; without a word for the quantity, an actuator is."""
    pattern = {"actuators": "*", "freedoms": "freedom *"}.get(wanted, wanted)
    quantity = pattern.partition(" ")[0] if " " in pattern or pattern == "power" else "actuator"
    parts = (pattern, f"{pattern}.*") if quantity != "actuator" else (pattern,)
    return channel.quantity == quantity and any(fnmatchcase(channel.name, part) for part in parts)


def _existing(compiled: System) -> list[MeasuredChannel]:
    """All channels of a mechanism but its freedoms."""
    elements = compiled.elements
    shown = (0, 1, 5) if elements.planar else range(6)
    units = ("N", "N", "N", "N·m", "N·m", "N·m")
    spread = _force_noise(elements)
    found = [
        MeasuredChannel("actuator", name, k, name, force_unit("f", actuator.on.unit), spread.get(name, 0.0))
        for k, (name, actuator) in enumerate(elements.actuators.items())
    ]
    for what, owners in (("reaction", elements.joints), ("wrench", [*elements.bodies, GROUND])):
        found += [MeasuredChannel(what, o, i, f"{what} {o}.{COMPONENTS[i]}", units[i]) for o in owners for i in shown]
    return [*found, *_sensors(elements), MeasuredChannel("power", "", 0, "power", "W")]


def _force_noise(elements: Elements) -> dict[str, float]:
    """Standard deviation of a sample of an actuator's force, where a sensor measures it  [N or N·m]."""
    cells = [(one.actuator, one, float(getattr(one, "gain", 1.0))) for one in elements.sensors.values()]
    return {name: float(one.spread("noise")[0]) / abs(gain) for name, one, gain in cells if name and gain}


def _sensors(elements: Elements) -> list[MeasuredChannel]:
    """Channels of the sensors that measure forces."""
    found = []
    for name, sensor in elements.sensors.items():
        if sensor.measures_force:
            both = enumerate(zip(sensor.channels, sensor.spread("noise")))
            found += [MeasuredChannel("sensor", name, i, f"sensor {c.name}", c.unit, float(s)) for i, (c, s) in both]
    return found


def _freedoms(compiled: System) -> list[MeasuredChannel]:
    """One channel for every independent speed, named after its joint."""
    independent = free_speeds(compiled.equations, compiled.dynamics.jacobian_at_home)
    found = []
    for node in compiled.equations.graph.branches:
        for k in range(node.v.start, node.v.stop):
            if k in independent:
                i, joint = k - node.v.start, node.joint
                label = f".{i + 1}" if joint.freedom > 1 else ""
                plain = [c.unit for c in joint.coordinates if c.unit != "-"]  # the others are turns by a quaternion
                unit = "N" if plain[i : i + 1] == ["m"] else "N·m"
                found.append(MeasuredChannel("freedom", joint.name, k, f"freedom {joint.name}{label}", unit))
    return found


def _overview(existing: Sequence[MeasuredChannel]) -> list[str]:
    """Names of channels in short, those of forces that are measured first: components of one owner are one entry."""
    first = sorted(existing, key=lambda c: c.quantity not in ("actuator", "sensor"))
    names = (c.name if c.quantity == "actuator" else f"{c.quantity} {c.owner}" for c in first if c.owner)
    return ["actuators", "freedoms", "power", *dict.fromkeys(names)]


def _unknown(name: str, existing: Sequence[MeasuredChannel]) -> str:
    """That there is no such channel, what was probably meant, and what there is."""
    there = _overview(existing)
    short = [c.owner for c in existing if c.quantity == "sensor"]
    return f"there is no channel '{name[:80]}'{suggestion(name, [*short, *there])}; there are: {listing(there)}"


def _require_determined(compiled: System, wanted: Iterable[MeasuredChannel]) -> None:
    """Reactions that redundant constraints leave open cannot be measured channels of a rigid model."""
    transmitted = [c for c in wanted if c.quantity in ("reaction", "sensor")]
    open_parts = undetermined(compiled) if transmitted else {}
    for c in transmitted:
        sensor = compiled.elements.sensors[c.owner] if c.quantity == "sensor" else None
        parts = open_parts.get(c.owner if sensor is None else sensor.joint)
        if parts is not None and (parts.any() if sensor else parts[c.index]):
            raise PoinsotError(f"'{c.name}' is not determined by the motion: redundant constraints leave it open")
