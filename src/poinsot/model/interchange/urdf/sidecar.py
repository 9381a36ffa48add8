"""The sidecar of a URDF: a YAML file beside it that closes its loops and names its motors.

The convention is that of the public collection example-parallel-robots:

    closed_loop: [[a, b], …]    pairs of links, or of joints, which stand for the links that they carry
    type: ['3d', …]             3d holds a common point, 6d a common frame
    name_mot: [joint, …]        joints that motors drive; without the key all that move, if no loop is closed
    joint_name, joint_type      joints to be read as SPHERICAL, CARDAN or FIXED instead of their URDF type

Poinsot adds keys that others pass over: `pose`, coordinates of joints in the assembled pose, `gravity`, and `drives`
and `coordinates`, joints by the names of the motors that drive them and of the coordinates that tell them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from poinsot.errors import PoinsotError, listing
from poinsot.model.toml import read_text

MAX_BYTES, MAX_DEPTH = 400_000, 12
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type", "pose", "gravity", "drives", "coordinates")
JOINT_TYPES = ("SPHERICAL", "CARDAN", "FIXED")


@dataclass(frozen=True)
class Sidecar:
    """What a sidecar says, checked."""

    path: Path | None = None
    loops: tuple[tuple[str, str, str], ...] = ()  # two names and "3d" or "6d"
    motors: tuple[str, ...] | None = None  # None: nothing is said of them
    joint_types: dict[str, str] = field(default_factory=dict)
    pose: dict[str, float] = field(default_factory=dict)  # [rad] or [m]
    gravity: tuple[float, float, float] | None = None  # [m/s²]
    drives: dict[str, str] = field(default_factory=dict)  # joint by the name of its motor
    coordinates: dict[str, str] = field(default_factory=dict)  # joint by the name of its coordinate
    unknown: tuple[str, ...] = ()  # keys that are not read


def sidecar_beside(path: Path) -> Path | None:
    """The sidecar that belongs to a URDF: the same name with .yaml or .yml."""
    found = (path.with_suffix(suffix) for suffix in (".yaml", ".yml"))
    return next((candidate for candidate in found if candidate.exists()), None)


def read_sidecar(path: Path) -> Sidecar:
    """Read and check a sidecar; anchors, aliases and deep nesting are refused."""
    content = _load(path)
    if not isinstance(content, dict):
        raise PoinsotError(f"{path}: expected a table with the keys {', '.join(KEYS)}")
    pairs = _list(path, content, "closed_loop", lambda v: isinstance(v, list) and len(v) == 2 and all(map(_text, v)))
    types = [str(t).lower() for t in _list(path, content, "type", _text)] or ["6d"] * len(pairs)
    if len(types) != len(pairs):
        raise PoinsotError(f"{path}: type: expected {len(pairs)} entries, one for each closed_loop, got {len(types)}")
    for form in types:
        if form not in ("3d", "6d"):
            raise PoinsotError(f"{path}: type: expected '3d' or '6d', got {form[:20]!r}")
    return Sidecar(
        path=path,
        loops=tuple((a, b, form) for (a, b), form in zip(pairs, types)),
        motors=None if content.get("name_mot") is None else tuple(_list(path, content, "name_mot", _text)),
        joint_types=_joint_types(path, content),
        pose=_pose(path, content),
        gravity=_gravity(path, content),
        drives=_names(path, content, "drives"),
        coordinates=_names(path, content, "coordinates"),
        unknown=tuple(str(key)[:40] for key in content if key not in KEYS),
    )


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _load(path: Path) -> Any:
    text = read_text(path, MAX_BYTES, "a sidecar")
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise PoinsotError(f"{path}: anchors and aliases (& and *) are not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise PoinsotError(f"{path}: nested too deeply")
        return yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise PoinsotError(f"{path}: not a YAML file{where}: {problem[:200]}") from None
    except (RecursionError, ValueError):
        raise PoinsotError(f"{path}: not a YAML file that can be read") from None


def _list(path: Path, content: dict[str, Any], key: str, fits: Any) -> list[Any]:
    value = content.get(key)
    if value is None:
        return []
    wanted = "pairs of names" if key == "closed_loop" else "names"
    if not isinstance(value, list) or not all(map(fits, value)):
        raise PoinsotError(f"{path}: {key}: expected a list of {wanted}")
    return value


def _joint_types(path: Path, content: dict[str, Any]) -> dict[str, str]:
    names = _list(path, content, "joint_name", _text)
    types = [joint_type.upper() for joint_type in _list(path, content, "joint_type", _text)]
    if len(names) != len(types):
        raise PoinsotError(f"{path}: joint_type: expected {len(names)} entries, as joint_name has, got {len(types)}")
    for joint_type in types:
        if joint_type not in JOINT_TYPES:
            raise PoinsotError(
                f"{path}: joint_type: there is no '{joint_type[:20]}'; there are: {listing(JOINT_TYPES)}"
            )
    return dict(zip(names, types))


def _pose(path: Path, content: dict[str, Any]) -> dict[str, float]:
    pose = content.get("pose") or {}
    if not isinstance(pose, dict) or not all(_text(key) and _number(value) for key, value in pose.items()):
        raise PoinsotError(f"{path}: pose: expected a table of joints and finite numbers")
    return {key: float(value) for key, value in pose.items()}


def _names(path: Path, content: dict[str, Any], key: str) -> dict[str, str]:
    names = content.get(key) or {}
    if not isinstance(names, dict) or not all(_text(name) and _text(joint) for name, joint in names.items()):
        raise PoinsotError(f"{path}: {key}: expected a table of names and joints")
    return dict(names)


def _gravity(path: Path, content: dict[str, Any]) -> tuple[float, float, float] | None:
    value = content.get("gravity")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 3 or not all(map(_number, value)):
        raise PoinsotError(f"{path}: gravity: expected 3 finite numbers")
    return float(value[0]), float(value[1]), float(value[2])


def sidecar_text(sidecar: Sidecar) -> str:
    """A sidecar as YAML; floats are written so that they read back the same."""
    content: dict[str, Any] = {
        "closed_loop": [[a, b] for a, b, _ in sidecar.loops],
        "type": [form for *_, form in sidecar.loops],
        "name_mot": list(sidecar.motors or ()),
        "joint_name": list(sidecar.joint_types),
        "joint_type": list(sidecar.joint_types.values()),
        "pose": {name: float(value) for name, value in sidecar.pose.items()},
    }
    if sidecar.gravity is not None:
        content["gravity"] = [float(g) for g in sidecar.gravity]
    content |= {
        key: names for key, names in (("drives", sidecar.drives), ("coordinates", sidecar.coordinates)) if names
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)
