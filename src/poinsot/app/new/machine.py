"""The model file of a new folder: a mechanism of the library, an arm, or a URDF, with every freedom driven.

With the motions N that the joints leave and the rates J of the joints' coordinates, a joint is driven in addition
where J N gains most by it: none if the actuators of the source move all that can move.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import tomlkit

import poinsot
from poinsot.app.new.meshes import gathered
from poinsot.elements.coordinates import AlongJoint, Coordinate
from poinsot.errors import PoinsotError, counted, unknown
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.interchange.urdf.tree import read_tree
from poinsot.model.load import LIBRARY
from poinsot.model.mechanism import Mechanism
from poinsot.model.meshes import warn_of_missing
from poinsot.model.toml import read_text
from poinsot.recording.independent import freedoms, independent

MECHANISMS: Mapping[str, str] = {
    "four_bar": "planar four-bar, one motor at the crank",
    "slider_crank": "crank, connecting rod and piston, one motor",
    "five_bar": "planar five-bar, two motors",
    "three_rrr": "planar 3-RRR platform, three motors",
    "delta": "delta robot, three motors",
    "stewart": "Stewart platform, six driven legs",
    "serial": "arm with three motors in series",
}
ROTOR = 1e-3  # inertia of a drive where the source has none  [kg·m²] or [kg]
DRIVE = 'drive every coordinate of them ([actuators.NAME], on = { joint = "…", coordinate = "…" })'
_HEADER = """\
# {title}
# Numbers without a unit are SI: m, kg, kg·m² (about the centre of mass), rad, N, N·m, s. Others are written as texts
# with a unit: "250 g", "30 deg", "12 mm", "0.5 N·m". `poinsot parameters model.toml` lists every number by name.
"""


@dataclass(frozen=True)
class NewMachine:
    """A mechanism to start with, and its model file."""

    text: str  # of the model file
    mechanism: Mechanism
    moved: tuple[str, ...]  # coordinates that a motion prescribes: as many as freedoms
    added: tuple[str, ...] = ()  # joints that are driven here and not in the source
    rotors: tuple[str, ...] = ()  # inertias of drives that are here and not in the source
    rates: Mapping[str, float] = field(default_factory=dict)  # greatest speeds of joints, where told  [m/s or rad/s]
    weak: Mapping[str, str] = field(default_factory=dict)  # drives whose limits are left out, and what is needed
    meshes: Mapping[str, Path] = field(default_factory=dict)  # files to be copied, by their names in the folder

    def with_text(self, more: str) -> NewMachine:
        """The same with further lines in its model file."""
        text = f"{self.text.rstrip()}\n\n{more.strip()}\n"
        return replace(self, text=text, mechanism=poinsot.loads(text))

    def place_of(self, actuator: str) -> str:
        """Where an actuator acts, as TOML for the `on` of another element; empty inside of components."""
        on = self.mechanism.actuators[actuator].on
        if isinstance(on, AlongJoint):
            names = [c.name for c in self.mechanism.joints[on.joint].coordinates]
            which = f", coordinate = {quoted(names[on.index])}" if len(names) > 1 else ""
            return f"{{ joint = {quoted(on.joint)}{which} }}"
        written = tomlkit.parse(self.text).unwrap().get("actuators", {}).get(actuator, {})
        return _inline(written["on"]) if "on" in written else ""


def machine_of(mechanism: str) -> NewMachine:
    """One of the mechanisms on offer."""
    if mechanism not in MECHANISMS:
        raise PoinsotError(
            f"{unknown('mechanism to start from', mechanism, MECHANISMS)}, or a model file of yours (.toml)"
        )
    own = resources.files("poinsot.app.new") / f"{mechanism}.toml"
    text = own.read_text(encoding="utf-8") if own.is_file() else read_text(LIBRARY / f"{mechanism}.toml")
    text = re.sub(r"^#:schema .*\n", "", text)
    return _driven(_HEADER.format(title=f"{mechanism}: {MECHANISMS[mechanism]}.") + text)


def machine_of_file(path: Path, folder: Path) -> NewMachine:
    """The machine of a model file, as it is written where nothing has to be copied with it, for a new folder."""
    mechanism = poinsot.load(path)
    warn_of_missing(mechanism, path)
    whole, meshes = gathered(mechanism, folder)
    text = poinsot.dumps(whole) if meshes else re.sub(r"^#:schema .*\n", "", read_text(path))
    if not mechanism.elements.coordinates:
        names = [name for name, joint in mechanism.joints.items() if len(joint.coordinates) == 1]
        text = f"{text.rstrip()}\n\n{_named(names)}"
    title = f"{mechanism.name}, from {path.name}."
    return replace(_driven(_HEADER.format(title=title) + text), meshes=meshes)


def _named(joints: Iterable[str]) -> str:
    """Names for the coordinates of joints, as tables of a model file."""
    return "".join(f"[coordinates.{key(name)}]\njoint = {quoted(name)}\n" for name in joints)


def machine_of_urdf(path: Path, folder: Path) -> NewMachine:
    """The machine of a URDF, with a name for the coordinate of every joint that turns or slides, for a new folder."""
    mechanism = poinsot.read_urdf(path)
    warn_of_missing(mechanism, path)
    mechanism, meshes = gathered(mechanism, folder)
    names = [name for name, joint in mechanism.joints.items() if len(joint.coordinates) == 1]
    declared = [name for name in names if name not in mechanism.elements.coordinates]
    title = f"{mechanism.name}, from {path.name}; what was left out is in the description."
    text = f"{_HEADER.format(title=title)}{poinsot.dumps(mechanism).rstrip()}\n\n{_named(declared)}"
    machine = _driven(text, f"start from `poinsot convert`, and {DRIVE} of that model file")
    rates = {name: joint.velocity for name, joint in read_tree(path).joints.items() if joint.velocity > 0}
    machine = replace(machine, rates=rates, meshes=meshes)
    try:
        poinsot.accelerations(machine.mechanism)
    except PoinsotError:  # something that moves has no inertia: a URDF leaves out rotors
        found = machine.with_text(_rotors(machine))
        return replace(found, rotors=tuple(_rotor(name) for name in machine.mechanism.actuators))
    return machine


def _rotor(actuator: str) -> str:
    """What the rotor of a drive is called."""
    return actuator.replace(".", "_") + "_rotor"


def _rotors(machine: NewMachine) -> str:
    """Rotors for the drives of a machine in which something that moves has no inertia."""
    lines = [
        "# Something that moves has no inertia in the source, and cannot be simulated. Motors have rotors: these are",
        "# their inertias, seen at the joints; put those of yours.",
    ]
    for name, actuator in machine.mechanism.actuators.items():
        unit = "kg·m²" if actuator.on.unit == "rad" else "kg"
        lines += [f"[forces.{key(_rotor(name))}]", 'type = "drive-inertia"']
        lines += [f"on = {machine.place_of(name)}", f'inertia = "{ROTOR:g} {unit}"', ""]
    return "\n".join(lines)


def _driven(text: str, remedy: str = DRIVE) -> NewMachine:
    """The machine of a model file, with actuators added until all that can move is driven, or `remedy` is told."""
    lengths = _unnamed(text, poinsot.loads(text))
    text = "\n\n".join([text.rstrip(), *lengths.values()]) + "\n"
    mechanism = poinsot.loads(text)
    home = poinsot.assemble(mechanism)
    added = _undriven(mechanism, home)
    if added:
        note = "# Driven here, and not in the source, so that every freedom is prescribed: see what has no motor.\n"
        text = f"{text.rstrip()}\n\n{note}" + "".join(
            f"[actuators.{key(name)}]\non = {{ joint = {quoted(name)} }}\n" for name in added
        )
        mechanism = poinsot.loads(text)
    count = freedoms(mechanism, home).shape[1]
    if not count:
        raise PoinsotError(f"{mechanism.name} cannot move: there is nothing to measure")
    pose = tuple(mechanism.elements.pose)
    moved = pose if len(pose) == count else _moved(mechanism, home, lengths)
    if len(moved) != count:
        several = [f"'{name}' ({j.kind})" for name, j in mechanism.joints.items() if len(j.coordinates) > 1]
        raise PoinsotError(
            f"{mechanism.name} has {counted(count, 'freedom')}, and its joints that turn or slide tell "
            f"{len(moved)} of them: make "
            f"{', '.join(several) or 'what floats'} fixed, or a chain of joints that slide and turn, or {remedy}"
        )
    return NewMachine(text, mechanism, moved, added)


def _unnamed(text: str, mechanism: Mechanism) -> dict[str, str]:
    """Names for what drives act along where that is no joint and has none, with their tables of a model file."""
    tables = {}
    for actuator, written in tomlkit.parse(text).unwrap().get("actuators", {}).items():
        on = mechanism.actuators[actuator].on
        if not isinstance(on, AlongJoint) and on not in mechanism.coordinates.values():
            keys = (f"{key(one)} = {_inline(value)}" for one, value in written["on"].items())
            name = f"{actuator}_{on.kind}"
            tables[name] = "\n".join([f"[coordinates.{key(name)}]", *keys])
    return tables


def _undriven(mechanism: Mechanism, home: Assembly) -> tuple[str, ...]:
    """Joints to drive besides the actuators that there are."""
    driven: list[Coordinate] = [actuator.on for actuator in mechanism.actuators.values()]
    candidates = single_joints(mechanism)
    chosen = independent(mechanism, home, [*driven, *candidates.values()], len(driven))
    return tuple(list(candidates)[k - len(driven)] for k in chosen if k >= len(driven))


def _moved(mechanism: Mechanism, home: Assembly, lengths: Collection[str]) -> tuple[str, ...]:
    """Named coordinates that prescribe a motion: those of the actuators, as far as they are independent.

    `lengths` are the names that coordinates of actuators got here.
    """
    driven = [actuator.on for actuator in mechanism.actuators.values()]
    named = {name: c for name, c in mechanism.coordinates.items() if c in driven or name in lengths}
    joints = [c for c in driven if isinstance(c, AlongJoint) and c not in named.values()]
    named |= {mechanism.coordinates.name_of(c): c for c in joints}
    chosen = independent(mechanism, home, list(named.values()))
    return tuple(list(named)[k] for k in sorted(chosen))


def single_joints(mechanism: Mechanism) -> dict[str, Coordinate]:
    """Coordinates of the joints that turn or slide, by joint."""
    return {
        name: AlongJoint(name, 0, joint.coordinates[0].unit)
        for name, joint in mechanism.joints.items()
        if len(joint.coordinates) == 1
    }


def _inline(value: Any) -> str:
    """A value of a model file on one line of TOML."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key(name)} = {_inline(one)}' for name, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return quoted(value) if isinstance(value, str) else tomlkit.item(value).as_string()


def key(name: str) -> str:
    """A name as a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def quoted(name: str) -> str:
    """A name as a text of TOML."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
