"""Couplings as other programs know them: a joint that follows another one, q = ratio · q' + offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.coupling import JointCoupling
from poinsot.elements.joints import JOINTS
from poinsot.errors import listing
from poinsot.model.interchange.motions import ElementaryMotion
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.tree import OpenedTree
from poinsot.model.mechanism import Mechanism


@dataclass(frozen=True)
class Follower:
    """What one hinge or slide follows; names of elementary motions."""

    leader: str | None  # None: it is held
    ratio: float  # [unit of the follower / unit of the leader]
    offset: float  # [m] or [rad]


def coupling_entry(follower: str, leader: str | None, ratio: float, offset: float) -> dict[str, Any]:
    """A coupling as a model file has it; names are those of joints, or "joint.coordinate"."""
    weights = {follower: 1.0} | ({leader: -ratio} if leader is not None and ratio else {})
    return {"on": {"combination": weights}, **({"value": offset} if offset else {})}


def knows(tables: dict[str, Any], name: str) -> bool:
    """Whether a name is that of a single hinge or slide among the joints, or of a coordinate of one."""
    joints, (stem, _, part) = tables["joints"], name.rpartition(".")
    owner = name if name in joints else stem
    if owner not in joints:
        return False
    usable = [c.name for c in JOINTS[joints[owner]["type"]].coordinates if c.unit != "-"]
    return len(usable) == 1 if owner == name else part in usable


def followers(mechanism: Mechanism, tree: OpenedTree) -> tuple[dict[str, Follower], list[str]]:
    """Couplings of a mechanism by the motion that follows, and notes on those that cannot be said so.

    They are taken from the driven motions outwards, so that what is driven leads.
    """
    found = {m.name: Follower(*m.follows, 0.0) for link in tree.links for m in link.motions if m.follows}
    places = (actuator.on for actuator in mechanism.actuators.values())
    led = {m.name for on in places if (m := _motion(on, tree)) is not None}  # driven, or following what is driven
    lost, pending = [], {name: _weighted(c, tree) for name, c in mechanism.couplings.items()}
    while pending:
        near = (name for name, known in pending.items() if any(m.name in led for m, _ in known))
        name = next(near, next(iter(pending)))
        one = _following(pending.pop(name), float(mechanism.couplings[name].value), found, led)
        if one is None:
            lost.append(name)
            continue
        found[one[0]] = one[1]
        if one[1].leader in led:
            led.add(one[0])
    said = f"Couplings other than of two hinges or slides are left out: {listing(lost)}."
    return found, [Lost(said)] if lost else []


def _motion(on: Any, tree: OpenedTree) -> ElementaryMotion | None:
    return tree.motion(on.joint, on.index) if isinstance(on, AlongJoint) else None


def _weighted(coupling: JointCoupling, tree: OpenedTree) -> list[tuple[ElementaryMotion, float]]:
    """The one or two motions of a coupling with their weights; none where it has others."""
    pairs = [(_motion(part, tree), float(w)) for part, w in zip(coupling.on.parts, coupling.on.factors)]
    known = [(motion, w) for motion, w in pairs if motion is not None]
    return known if len(known) == len(pairs) <= 2 else []


def _following(
    known: list[tuple[ElementaryMotion, float]], value: float, found: dict[str, Follower], led: set[str]
) -> tuple[str, Follower] | None:
    """The follower of a coupling: of its motions that follow nothing yet the first that can, rather one not led."""
    for motion, weight in sorted(known, key=lambda one: one[0].name in led):
        other, share = next(((m, w) for m, w in known if m is not motion), (None, 0.0))
        if weight and motion.name not in found and (other is None or motion.name not in _leaders(other.name, found)):
            leader = None if other is None else other.name
            return motion.name, Follower(leader, -share / weight, value / weight)
    return None


def _leaders(name: str, found: dict[str, Follower]) -> list[str]:
    """A motion and all that it follows, one after the other."""
    chain: list[str] = [name]
    while (one := found.get(chain[-1])) is not None and one.leader is not None and one.leader not in chain:
        chain.append(one.leader)
    return chain
