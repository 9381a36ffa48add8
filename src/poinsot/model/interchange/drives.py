"""Drives and named coordinates of a mechanism that was read: joints are moved, and told, by their own names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from poinsot.elements.joints import JOINTS
from poinsot.errors import PoinsotError, list_of_names, listing, unknown


def require_drives(drives: Any) -> tuple[str, ...] | None:
    """Names of the joints to be driven, as a user gives them; None: as the files say."""
    return None if drives is None else list_of_names(drives, "drives")


def drive(tables: dict[str, Any], drives: Sequence[str]) -> None:
    """Let the given joints, and no others, be driven; what drives them already stays, limits included."""
    joints = tables["joints"]
    movable = [name for name, spec in joints.items() if len(_lengths_and_angles(spec)) == 1]
    for name in drives:
        if name not in joints:
            raise PoinsotError(f"drives: {unknown('joint', name, joints)}")
        if name not in movable:
            kind = joints[name]["type"]
            raise PoinsotError(
                f"drives: the {kind} joint '{name}' has no single motion; there are: {listing(movable)}"
            )
    held = {key: spec["on"].get("joint") for key, spec in tables["actuators"].items()}
    tables["actuators"] = {key: spec for key, spec in tables["actuators"].items() if held[key] in drives}
    for name, spec in joints.items():
        spec.pop("actuated", None)
        if name in drives and name not in held.values():
            spec["actuated"] = True


def name_coordinates(document: dict[str, Any]) -> dict[str, Any]:
    """The document with a name for every length and angle of a joint that closes no loop: results tell them."""
    own = document.get("coordinates", {})
    named = {key: on for key, on in joint_coordinates(document).items() if on not in own.values()} | own
    return {**document, "coordinates": named} if named else document


def joint_coordinates(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Every length and angle of a joint that closes no loop, by the joint's name."""
    found = {}
    for name, spec in document.get("joints", {}).items():
        parts = () if spec.get("closing") else _lengths_and_angles(spec)
        for part in parts:
            key, which = (name, {}) if len(parts) == 1 else (f"{name}.{part}", {"coordinate": part})
            found[key] = {"joint": name, **which}
    return found


def _lengths_and_angles(spec: dict[str, Any]) -> tuple[str, ...]:
    """Coordinates of a joint in a document, without those of attitudes."""
    return tuple(c.name for c in JOINTS[spec["type"]].coordinates if c.unit != "-")
