"""Couplings as other programs know them: a joint that follows another one, q = ratio · q' + offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.coupling import JointCoupling
from poinsot.elements.joints import JOINTS
from poinsot.errors import listing
from poinsot.model.interchange.motions import ElementaryMotion
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
    """Couplings of a mechanism by the motion that follows, and notes on those that cannot be said so."""
    found = {m.name: Follower(*m.follows, 0.0) for link in tree.links for m in link.motions if m.follows}
    lost = []
    for name, coupling in mechanism.couplings.items():
        one = _following(coupling, tree, found)
        if one is None:
            lost.append(name)
        else:
            found[one[0]] = one[1]
    notes = [f"Couplings other than of two hinges or slides are left out: {listing(lost)}."] if lost else []
    return found, notes


def _following(coupling: JointCoupling, tree: OpenedTree, found: dict[str, Follower]) -> tuple[str, Follower] | None:
    """The follower of a coupling of one or two motions that follows nothing yet, the first if it can be."""
    parts = coupling.on.parts
    motions = [tree.motion(part.joint, part.index) if isinstance(part, AlongJoint) else None for part in parts]
    known: list[tuple[ElementaryMotion, float]] = [
        (motion, float(w)) for motion, w in zip(motions, coupling.on.factors) if motion is not None
    ]
    if len(known) != len(parts) or len(parts) > 2:
        return None
    for k, (motion, weight) in enumerate(known):
        (other, share) = known[1 - k] if len(known) == 2 else (None, 0.0)
        if weight and motion.name not in found and (other is None or motion.name not in _leaders(other.name, found)):
            leader = None if other is None else other.name
            return motion.name, Follower(leader, -share / weight, float(coupling.value) / weight)
    return None


def _leaders(name: str, found: dict[str, Follower]) -> list[str]:
    """A motion and all that it follows, one after the other."""
    chain: list[str] = [name]
    while (one := found.get(chain[-1])) is not None and one.leader is not None and one.leader not in chain:
        chain.append(one.leader)
    return chain
