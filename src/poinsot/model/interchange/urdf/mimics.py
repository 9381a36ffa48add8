"""URDF in: joints that mimic others become couplings, q = multiplier · q' + offset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poinsot.model.interchange.couplings import coupling_entry, knows
from poinsot.model.interchange.notes import Lost
from poinsot.model.interchange.urdf.mount import TypeOf
from poinsot.model.interchange.urdf.tree import UrdfTree

MOVING = ("revolute", "prismatic")


def mimicked(tree: UrdfTree, q: Mapping[str, float]) -> dict[str, float]:
    """Coordinates [m or rad] with those of joints that mimic others; what is not given is zero."""
    found = dict(q)
    for name in tree.joints:
        way: list[str] = []
        while name not in found and name not in way and (mimic := tree.joints[name].mimic):
            way.append(name)
            name = mimic[0]
        for follower in reversed(way):
            leader, ratio, offset = tree.joints[follower].mimic or ("", 0.0, 0.0)
            found[follower] = ratio * found.get(leader, 0.0) + offset
    return found


def mimic_couplings(
    tree: UrdfTree, type_of: TypeOf, names: Mapping[str, str], tables: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Couplings by the joint that follows, and notes on mimics that hold nothing; `names` of joints here."""
    found, notes = {}, []
    for name, joint in tree.joints.items():
        if joint.mimic is None or type_of(joint) == "fixed" or name not in names:
            continue
        leader, ratio, offset = joint.mimic
        held = type_of(tree.joints[leader]) == "fixed"
        if _is_screw(names[name], tables):
            continue
        if not knows(tables, names[name]) or not (held or knows(tables, names.get(leader, ""))):
            said = f"The joint '{name}' mimics '{leader}', which only hinges and slides can: it moves freely."
            notes.append(Lost(said))
            continue
        found[names[name]] = coupling_entry(names[name], None if held else names[leader], ratio, offset)
    return found, notes


def _is_screw(name: str, tables: dict[str, Any]) -> bool:
    """Whether a slide has become the advance of a helical joint."""
    whole = tables["joints"].get(name.rpartition(".")[0])
    return whole is not None and whole["type"] == "helical" and not knows(tables, name)
