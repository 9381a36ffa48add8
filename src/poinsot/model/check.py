"""Check: what a mechanism is, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.bodies import RigidBody
from poinsot.elements.joints import JOINTS
from poinsot.errors import PoinsotError, counted, listing
from poinsot.model.admissible import body_defect
from poinsot.model.assembly.along_lines import off_lines
from poinsot.model.assembly.assembly import Assembly, attempt_assembly
from poinsot.model.assembly.constraints import Constraints, Row
from poinsot.model.assembly.end_stops import passed_stops
from poinsot.model.assembly.mobility import (
    generic_assembly,
    held_drives,
    idle_spins,
    loose_bodies,
    mobility,
    redundant_rows,
    stressed_joints,
    weightless_bodies,
    weightless_spins,
)
from poinsot.model.assembly.topology import idle_closing, topology
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.meshes import missing_meshes
from poinsot.model.parts import Elements, substitute
from poinsot.model.plausible import implausible_bodies
from poinsot.model.quantities.expressions import names
from poinsot.model.quantities.units import beyond_two_turns
from poinsot.results import BarPanel, Panel, Result, TextPanel


class Level(StrEnum):
    """How much a finding matters."""

    ERROR = "error"  # the mechanism cannot be used
    WARNING = "warning"  # it can, but probably is not what was meant
    NOTE = "note"  # good to know


@dataclass(frozen=True)
class Diagnostic:
    """One thing worth saying about a mechanism."""

    severity: Level
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.text}"


@dataclass(frozen=True)
class Report(Result):
    """The outcome of a check; prints as what a person wants to read."""

    name: str
    planar: bool
    bodies: int  # moving bodies
    joints: dict[str, int]  # number of joints by kind
    constraints: int  # equations
    loops: int  # independent ones of the topology
    couplings: dict[str, str]  # equations by name
    mobility_counted: int  # 6 n − constraints, or 3 n − constraints in the plane
    mobility: int | None  # from the rank of the constraint Jacobian at a generic pose
    mobility_given: int | None  # the same at the given pose
    redundant: tuple[Row, ...]  # equations that follow from the others
    residual: float  # of the assembly, relative to the machine's size
    size: float  # largest distance of a joint or frame from the origin of its body, by which lengths are judged  [m]
    actuators: int
    findings: tuple[Diagnostic, ...]

    _over, _extra, _columns = ("finding", "#findings"), {"ok": "ok"}, {"findings": ("", "")}

    def panels(self) -> tuple[Panel, ...]:
        """Counts, and what was found."""
        told = {
            "moving bodies": self.bodies,
            "joints": sum(self.joints.values()),
            "loops": self.loops,
            "couplings": len(self.couplings) or None,
            "constraint equations": self.constraints,
            "mobility, counted": self.mobility_counted,
            "mobility": self.mobility,
            "actuators": self.actuators,
        }
        known = {name: value for name, value in told.items() if value is not None}
        counts = BarPanel(names=tuple(known), x="count [-]", series={"count": [*known.values()]}, title=self.name)
        said = tuple(map(str, self.findings)) or ("no findings",)
        return counts, TextPanel(title="findings", lines=said)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong that prevents use."""
        return all(f.severity != Level.ERROR for f in self.findings)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.joints.items())
        unknown = "not known (cannot be assembled)"
        lines = [
            f"{self.name}: {'planar' if self.planar else 'spatial'} mechanism",
            f"  size                  {self.size:.3g} m  (farthest joint in its body, or body in the world)",
            f"  moving bodies         {self.bodies}",
            f"  joints                {sum(self.joints.values())}  ({kinds or 'none'})",
            f"  loops                 {self.loops}",
            *([f"  couplings             {len(self.couplings)}"] if self.couplings else []),
            *(f"    {name}: {equation}" for name, equation in self.couplings.items()),
            f"  constraint equations  {self.constraints}",
            f"  mobility, counted     {self.mobility_counted}",
            f"  mobility              {unknown if self.mobility is None else self.mobility}",
        ]
        if self.mobility_given is not None and self.mobility_given != self.mobility:
            lines.append(f"  … in the given pose   {self.mobility_given}")
        lines.append(f"  actuators             {self.actuators}")
        if self.mobility is not None:
            lines.append(f"  assembly residual     {self.residual:.1e} of the machine's size")
        return "\n".join([*lines, *(f"  {finding}" for finding in self.findings)])


@one_blas_thread()
def check(mechanism: Mechanism) -> Report:
    """Check a mechanism: assembly, mobility, redundant constraints, inertias, bodies that nothing holds.

    >>> import poinsot
    >>> poinsot.check(poinsot.load("four_bar")).mobility
    1
    """
    elements = require_mechanism(mechanism).elements
    tree = topology(elements)
    constraints = Constraints(elements)
    assembly = attempt_assembly(mechanism)
    findings = [*_body_findings(elements, tree.floating), *_unused_findings(mechanism), *_assembly_findings(assembly)]
    findings += _angle_findings(mechanism) + [_idle_finding(name) for name in idle_closing(elements)]
    notes = [missing_meshes(mechanism), *(joint.remark() for joint in elements.joints.values())]
    findings += [Diagnostic(Level.NOTE, said) for said in notes if said]
    findings += [Diagnostic(Level.WARNING, said) for said in implausible_bodies(elements, assembly.poses)]
    findings += [
        Diagnostic(Level.WARNING, f"sensor '{name}' has a gain of 0: it reads 0 whatever the force is")
        for name, sensor in elements.sensors.items()
        if getattr(sensor, "gain", 1.0) == 0
    ]
    generic = given = None
    redundant: tuple[Row, ...] = ()
    if assembly.converged:
        findings += [_line_finding(name, angle) for name, angle in off_lines(elements, assembly.poses).items()]
        order = [b.joint for b in tree.branches] + list(tree.closing) + [c.owner for c in elements.couplings.values()]
        away = generic_assembly(constraints, assembly)
        given, generic = mobility(constraints, assembly), mobility(constraints, away)
        redundant = redundant_rows(constraints, away, order)
        shared = stressed_joints(constraints, away) if redundant else ()
        moving = loose_bodies(elements, away) if 0 < len(elements.actuators) < generic else ()
        spins = idle_spins(elements, away) if moving else {}
        findings += _inertia_findings(weightless_bodies(elements, away), weightless_spins(elements, away))
        beyond = passed_stops(mechanism, assembly, {})
        findings += [Diagnostic(Level.WARNING, f"the pose of the model file is beyond {stop}") for stop in beyond]
        why = "joints and couplings let nothing move along it"
        idle = held_drives(elements, away) if elements.actuators else ()
        findings += [Diagnostic(Level.WARNING, f"actuator '{name}' can do nothing: {why}") for name in idle]
        counts = len(elements.actuators), moving, spins
        findings += _mobility_findings(constraints, generic, given, redundant, shared, *counts)
    counts = Counter(joint.kind for joint in elements.joints.values())
    return Report(
        name=mechanism.name,
        planar=elements.planar,
        bodies=len(elements.bodies),
        joints={kind: counts[kind] for kind in JOINTS if counts[kind]},
        constraints=len(constraints.rows),
        loops=tree.loops,
        couplings=elements.equations,
        mobility_counted=constraints.freedom * len(elements.bodies) - len(constraints.rows),
        mobility=generic,
        mobility_given=given,
        redundant=redundant,
        residual=assembly.residual,
        size=assembly.size,
        actuators=len(elements.actuators),
        findings=tuple(findings),
    )


def _body_findings(elements: Elements, floating: tuple[str, ...]) -> list[Diagnostic]:
    why = "no joint connects it to the ground (a body that floats has a free joint)"
    found = [Diagnostic(Level.ERROR, f"nothing holds body '{name}': {why}") for name in floating]
    for name, body in elements.bodies.items():
        if defect := body_defect(body, elements.planar):
            found.append(Diagnostic(Level.ERROR, f"no body can have the inertia of '{name}': {defect}"))
    massless = [name for name, body in elements.bodies.items() if body.mass == 0]
    if massless:
        found.append(Diagnostic(Level.NOTE, f"bodies without mass: {listing(massless)}"))
    return found + [_reflected(elements.bodies[name]) for name in massless if np.any(elements.bodies[name].inertia)]


def _reflected(body: RigidBody) -> Diagnostic:
    """On a body with inertia and without mass: right for a rotor, whose centre is its origin."""
    if np.any(np.asarray(body.com, float)):
        said = f"body '{body.name}' has inertia and a centre of mass, but no mass: is it missing?"
        return Diagnostic(Level.WARNING, said)
    return Diagnostic(Level.NOTE, f"body '{body.name}' has inertia without mass, as rotors seen behind gears have")


def _inertia_findings(weightless: tuple[str, ...], spins: str) -> list[Diagnostic]:
    if not weightless:
        return []
    what = spins or "give them an inertia, or their drives a drive-inertia"
    why = f"such a motion cannot be simulated; {what}"
    return [Diagnostic(Level.WARNING, f"these can move without any inertia: {listing(weightless)}; {why}")]


def _unused_findings(mechanism: Mechanism) -> list[Diagnostic]:
    used: set[str] = set()
    substitute(mechanism.template, lambda expression: used.update(names(expression)))
    for name, expression in reversed(mechanism.parameters.derived.items()):
        used.update(names(expression) if name in used else ())
    unused = [name for name in (*mechanism.parameters, *mechanism.parameters.derived) if name not in used]
    return [Diagnostic(Level.WARNING, f"parameters that nothing uses: {listing(unused)}")] if unused else []


def _angle_findings(mechanism: Mechanism) -> list[Diagnostic]:
    """Angles of more than two turns that the file gives as plain numbers: degrees were probably meant."""
    elements, parameters, document = mechanism.elements, mechanism.parameters, mechanism.nominal
    poses = {
        ("pose", name): value for name, value in elements.pose.items() if elements.coordinates[name].unit == "rad"
    }
    angles = {p.source: p.value for p in parameters.values() if p.unit == "rad" and p.source is not None} | poses
    found = []
    for path, value in angles.items():
        if beyond_two_turns(_written(document, path), "rad"):
            found.append(_asked(path, float(value), mechanism.source))
    return [Diagnostic(Level.WARNING, text) for text in found]


URDF_WORDS = {("limits", 0): "<limit lower>", ("limits", 1): "<limit upper>", ("value",): "<mimic offset>"}


def _asked(path: tuple[str | int, ...], value: float, source: str) -> str:
    """Whether degrees were meant, in the words of the file: those of other programs have no units."""
    number = f"{value:g}"
    if not source:
        where = ".".join(map(str, path))
        return f'{where} = {number}: {number} rad; were degrees meant? write "{number} deg"'
    urdf, radians = source.endswith(".urdf"), f"{np.radians(value):.6g}"
    words = URDF_WORDS.get(path[2:], "") if urdf else ""
    where = f"{source}: joint '{path[1]}': {words}" if words else f"{source}: {'.'.join(map(str, path))}"
    advice = f"angles of a URDF are in radians: write {radians}" if urdf else f"in radians they are {radians}"
    return f"{where} = {number}: {number} rad; were degrees meant? {advice}"


def _idle_finding(joint: str) -> Diagnostic:
    why = "no other chain of joints connects its bodies"
    return Diagnostic(Level.WARNING, f"joint '{joint}' is marked closing but closes no loop: {why}")


def _line_finding(body: str, angle: float) -> Diagnostic:
    which = "this may be another assembly than was meant: give position and rotation"
    said = f"assembled, body '{body}' is {np.degrees(angle):.0f}° off the line that it is placed along; {which}"
    return Diagnostic(Level.WARNING, said)


def _written(document: Any, path: tuple[str | int, ...]) -> Any:
    """What stands at a place in a model file; None if there is no such place."""
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _assembly_findings(assembly: Assembly) -> list[Diagnostic]:
    try:
        assembly.require()
    except PoinsotError as error:
        return [Diagnostic(Level.ERROR, str(error))]
    return []


def _mobility_findings(
    constraints: Constraints,
    generic: int,
    given: int,
    redundant: tuple[Row, ...],
    shared: tuple[str, ...],
    actuators: int,
    moving: tuple[str, ...],
    spins: Mapping[str, tuple[str, ...]],
) -> list[Diagnostic]:
    found = []
    if redundant:
        joints: dict[str, list[str]] = {}
        for row in redundant:
            joints.setdefault(row.joint, []).append(row.label)
        named = "; ".join(f"{joint}: {', '.join(labels)}" for joint, labels in joints.items())
        count = counted(len(redundant), "redundant constraint")
        what = "its reaction is" if len(redundant) == 1 else "their reactions are"
        others = f"; joints that share what is not determined: {listing(shared)}"
        found.append(Diagnostic(Level.WARNING, f"{count}, {what} not determined: {named}{others}"))
    if given != generic:
        where = f"mobility {given} there, {generic} elsewhere"
        found.append(Diagnostic(Level.WARNING, f"the given pose is singular: {where}"))
    if generic == 0 and constraints.elements.bodies:
        severity = Level.WARNING if actuators else Level.NOTE
        found.append(Diagnostic(severity, "this is a structure: it cannot move"))
    drives = f"{counted(actuators, 'actuator')} for mobility {generic}"
    if actuators and actuators < generic and set(moving) <= {*spins} and actuators + len(spins) == generic:
        idle = listing(f"'{body}' ({', '.join(joints)})" for body, joints in spins.items())
        said = f"{drives}: the rest are spins of bodies about lines of their own, which move nothing else: {idle}"
        found.append(Diagnostic(Level.NOTE, said))
    elif actuators and actuators < generic:
        loose = f"; with the actuators locked these can still move: {listing(moving)}" if moving else ""
        found.append(Diagnostic(Level.WARNING, f"{drives}: under-actuated{loose}; is a joint missing?"))
    if actuators > generic:
        found.append(Diagnostic(Level.NOTE, f"{drives}: redundantly actuated"))
    return found
