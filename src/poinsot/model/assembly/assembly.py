"""Assembly: poses of all bodies that satisfy every joint, from a first guess."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, counted, listing
from poinsot.model.assembly.along_lines import guesses_along_lines
from poinsot.model.assembly.branches import branch_hint, is_flipped, one_branch
from poinsot.model.assembly.constraints import Constraints, Row, row_scales, twist_scales
from poinsot.model.assembly.contradictions import not_kept
from poinsot.model.assembly.degrees import ask_about_degrees
from poinsot.model.assembly.first_guess import first_guess
from poinsot.model.assembly.open_loops import widest_loop
from poinsot.model.assembly.size import machine_size
from poinsot.model.assembly.staying import staying
from poinsot.model.assembly.topology import topology
from poinsot.model.assembly.turns import (
    continued,
    hinges_of_screws,
    known_angles,
    require_turns,
    turned_value,
    winds,
    wound,
)
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.quantities.parameters import as_value
from poinsot.model.state import GivenPose, named_pose
from poinsot.results.placed import PlacedBodies
from poinsot.spatial.pose import Pose
from poinsot.store import Bounded

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate
    from poinsot.elements.joints import Joint
    from poinsot.model.parts import Elements

ALIKE, SAME = 3, 1e-6  # guesses that may end in the same failure as the best, and what is the same
RESTARTS = 12  # guesses tried, the later ones shaken at random with a fixed seed
TOLERANCE = 1e-12  # of the machine's size
STALLED = 15, 0.9  # a trial ends that leaves nine tenths of its error after so many iterations
QR_CONDITION = 1e7  # up to here independent rows are solved by QR, beyond by singular values
_STAYING = Bounded(64)  # coordinates that nobody gives, by home and names of those given
_progress = logging.getLogger("poinsot.progress")
REACH = 0.5  # longest step towards a given pose  [rad or of the machine's size]
CONTRACTION = 0.25  # largest ratio of a Newton step to the one before on one branch
DEPENDENT = 1e-9  # of the largest singular value: what counts as zero
CLOSE = 1e-5  # natural size of a Newton step that may be left out on the way
SHORTEST = 2.0**-40  # of the way to a given pose: where no shorter step is on the branch it ends


@dataclass(frozen=True)
class Assembly(PlacedBodies):
    """The outcome of an assembly: poses, and how well they satisfy the joints."""

    poses: dict[str, Pose]  # X_WB of every body, the ground included
    residual: float  # largest violation, as a fraction of the machine's size or in radians
    worst: Row | None  # the equation with that violation: of a joint, a coupling or the given pose
    size: float  # of the machine  [m]
    converged: bool
    flipped: tuple[str, ...] = ()  # joints that closed with an axis the wrong way round
    lost: str = ""  # coordinates of a singular pose beyond which the assembly mode is not known
    asked: str = ""  # coordinates of a given pose that is not reached
    nearest: str = ""  # the same where the way to it ends
    angles: Mapping[Coordinate, float] = field(default_factory=dict)  # whose whole turns are known  [rad]
    error: float = 0.0  # root of the sum of all violations squared
    at_joint: bool = True  # whether the worst equation is a joint's
    not_kept: str = ""  # that couplings cannot be kept, with their equations
    opening: float = 0.0  # of the loop that the worst equation closes, its tree put together  [m or -]

    _hidden = ("angles",)

    def value(self, coordinate: Coordinate, joints: Mapping[str, Joint]) -> float:
        """A coordinate [m or rad], angles with the turns that are known."""
        return turned_value(coordinate, self.angles, self.poses, joints)

    @property
    def quality(self) -> tuple[bool, bool, float]:
        """What to prefer among several outcomes: closed, the right way round, closest."""
        return self.converged, not self.flipped, -self.residual

    def __str__(self) -> str:
        try:
            self.require()
        except PoinsotError as error:
            return str(error)
        return f"{counted(len(self.poses) - 1, 'body')} assembled, residual {self.residual:.1e} of the machine's size"

    def require(self) -> Assembly:
        """Itself, or an error that names the joint that cannot be closed."""
        if self.flipped:
            raise PoinsotError(
                f"from the places that the file gives, joint '{self.flipped[0]}' closed only with its axis the wrong "
                "way round: give position and rotation of its bodies so that their axes nearly agree (`along` leaves "
                "the turn about the line open), or reverse the axis if it is meant the other way"
            )
        if self.lost:
            raise PoinsotError(
                f"the assembly mode is not known: straight from the file's pose the way passes a singular pose at "
                f"{self.lost}; give a pose on the way as that of the file"
            )
        if not self.converged:
            said = "; ".join(filter(None, (self._gap if self.at_joint or self.opening else "", self.not_kept)))
            if self.asked:
                beyond = f"; beyond, {said}" if said else ""
                raise PoinsotError(
                    f"the mechanism cannot be assembled at {self.asked}: on the way from the file's pose its joints "
                    f"close up to {self.nearest}{beyond}"
                )
            raise PoinsotError(f"the mechanism cannot be assembled: {said or self._gap}")
        return self

    @property
    def _gap(self) -> str:
        """How far the worst equation is open."""
        if self.opening and self.worst is not None:
            unit = " m" * self.worst.is_length
            return f"the loop that joint {self.worst} closes stays open by {self.opening:.3g}{unit}"
        return f"{self.worst} stays open by {self.residual:.2e} of the machine's size ({self.size:.3g} m)"


def assemble(mechanism: Mechanism, pose: GivenPose = None, *, home: Assembly | None = None) -> Assembly:
    """Put a mechanism together in the pose of its file, then bring named coordinates to the values of `pose`.

    `mechanism` as `load` or `build` gave it; `pose` by coordinate [m or rad], or a state of such;
    `home` is the assembly of the file's pose, where it is known already.

    Coordinates that are not given stay as they are in the file's pose, as far as they are free to. The assembly mode
    is the one that is reached when the named coordinates go straight from there to their values, angles the shortest
    way; where a singular pose lies on that way it is not known, which is an error. A
    mechanism that cannot be closed there is an error that names the joint.
    """
    found = attempt_assembly(mechanism, pose, home=home)
    if home is None:
        ask_about_degrees(mechanism, pose)
    try:
        return found.require()
    except PoinsotError as error:
        given = named_pose(pose) or {}
        hint = (unit_hint(mechanism, given, home) or branch_hint(mechanism.elements, given)) if found.asked else ""
        raise PoinsotError(f"{error}{hint}") from None


def unit_hint(mechanism: Mechanism, pose: Mapping[str, Any], home: Assembly | None = None) -> str:
    """What to say where numbers that are out of reach in rad and m can be reached in degrees or millimetres."""
    bare = {name: float(value) for name, value in pose.items() if not isinstance(value, str)}
    home, coordinates = home or attempt_assembly(mechanism), mechanism.elements.coordinates
    size, smaller = {"rad": np.pi, "m": home.size}, {"rad": (np.pi / 180, "degrees"), "m": (1e-3, "millimetres")}
    given = {unit: [n for n in bare if coordinates[n].unit == unit] for unit in size}
    large = [unit for unit, names in given.items() if any(abs(bare[name]) > size[unit] for name in names)]
    for units in dict.fromkeys((*((unit,) for unit in large), tuple(large))):
        changed = {n: bare[n] * smaller[unit][0] for unit in units for n in given[unit]}
        if units and attempt_assembly(mechanism, {**pose, **changed}, home=home).converged:
            words = " and ".join(f"{smaller[unit][1]} ({listing(given[unit])})" for unit in units)
            return f" (numbers are in rad and m; these would fit as {words}: were those meant?)"
    return ""


@one_blas_thread()
def attempt_assembly(mechanism: Mechanism, pose: GivenPose = None, *, home: Assembly | None = None) -> Assembly:
    """The same, as far as it goes: the result tells whether the joints are closed.

    Newton with least-norm steps and a line search. When the first guess fails it is shaken, with a fixed seed;
    from the file's pose to a given one the coordinates go in as many steps as it takes to stay on one branch.
    `home` is the outcome for the file's pose, if it is known.
    """
    elements = require_mechanism(mechanism).elements
    given = named_pose(pose) or {}
    pose = {name: as_value(value, elements.coordinate(name).unit, name) for name, value in given.items()}
    if not isinstance(home, Assembly | None):
        raise PoinsotError(f"home must be what `assemble` gave, not {type(home).__name__}")
    found = home or _wound(elements, _from_guesses(elements), {})
    return found if not pose or not found.converged else _wound(elements, _at_pose(elements, pose, found), pose)


def _wound(elements: Elements, found: Assembly, pose: Mapping[str, float]) -> Assembly:
    """An outcome with the turns that are known of it."""
    return (
        replace(found, angles=known_angles(elements, found.poses, pose, found.angles)) if found.converged else found
    )


def _at_pose(elements: Elements, pose: Mapping[str, float], start: Assembly) -> Assembly:
    """Bring named coordinates to their values; others stay where they are, if the mechanism can be closed there."""
    given, targets = _holding(elements, pose)
    require_turns(given.held, targets, elements)
    key = (id(start), id(elements), *pose)
    _, _, held = _STAYING.get_or_make(key, lambda: (start, elements, _staying(given, start)))  # ids stay their own
    if held:
        more = Constraints(elements, (*given.held, *held))
        there = [start.value(c, elements.joints) for c in held]
        found = _brought_to(more, np.array([*targets, *there]), start, tuple(pose))
        if found.converged and not found.flipped:
            return found
    return _brought_to(given, targets, start, tuple(pose))


def _staying(given: Constraints, start: Assembly) -> tuple[Coordinate, ...]:
    def slopes(held: tuple[Coordinate, ...]) -> np.ndarray:
        constraints = Constraints(given.elements, held)
        return _scaled(constraints, start.poses, np.zeros(len(held)), start.size)[1]

    return staying(given.elements, given.held, slopes)


def _from_guesses(elements: Elements) -> Assembly:
    """The pose of the file; where turns count, or teeth of gears, on the way from joints at zero."""
    constraints, targets = _holding(elements, elements.pose)
    angles = [abs(x) for c, x in zip(constraints.held, targets) if c.unit == "rad"]
    if winds(elements) and max(angles, default=0.0) > (0.0 if elements.couplings else np.pi):
        require_turns(constraints.held, targets, elements)
        straight = _from_guesses(replace(elements, pose={}))
        if straight.converged and (found := _brought_to(constraints, targets, straight, ())).converged:
            return found
    tree = topology(elements)
    guess = first_guess(elements, tree.branches, elements.pose)
    size = machine_size(elements, guess)
    scales, rng = twist_scales(constraints, size), np.random.default_rng(0)

    def tried(trial: int) -> Assembly:
        shake = rng.normal(size=len(scales)) * scales * 2 * (trial / RESTARTS) ** 2  # half turns in the end
        return _newton(constraints, constraints.displaced(first, shake), targets, size)

    first, *others = [*guesses_along_lines(elements, tree.branches, elements.pose, guess, size), guess]
    best, alike = tried(0), 0
    for other in others:
        if best.flipped or not best.converged:
            best = max(best, _newton(constraints, other, targets, size), key=lambda found: found.quality)
    for trial in range(1, RESTARTS):
        if (best.converged and not best.flipped) or alike == ALIKE:
            break
        _progress.info("guess %d of %d, %s open by %.1e", trial + 1, RESTARTS, best.worst, best.residual)
        found = tried(trial)
        alike += not found.converged and abs(found.error - best.error) < SAME * best.error
        best = found if found.quality > best.quality else best
    loop = ("", "", 0.0) if best.converged else widest_loop(elements, tree, best.poses, size)
    return replace(best, worst=Row(*loop[:2]), opening=loop[2]) if loop[0] else best


def _brought_to(constraints: Constraints, targets: np.ndarray, start: Assembly, names: tuple[str, ...]) -> Assembly:
    """Follow the branch of the start while held coordinates go straight to their targets, angles the shortest way."""
    now = np.array([float(c.value(start.poses, constraints.elements.joints)) for c in constraints.held])
    way = targets - now
    turns = np.array([c.unit == "rad" for c in constraints.held])
    if winds(constraints.elements):
        way = targets - wound(start.angles, constraints.held, now)
    else:
        way = np.where(turns, np.remainder(way + np.pi, 2 * np.pi) - np.pi, way)
    longest = REACH / max(float(np.max(np.abs(way) / np.where(turns, 1.0, start.size))), REACH)
    done, step, poses = 0.0, longest, start.poses
    hinges = Constraints(constraints.elements, hinges_of_screws(constraints.elements))
    angles: Mapping[Coordinate, float] = {c: start.value(c, constraints.elements.joints) for c in hinges.held}
    while done < 1.0:
        goal = 1.0 if done + 1.01 * step >= 1.0 else done + step
        steps = _near(constraints, poses, now + goal * way, start.size)
        if steps is not None:
            angles = _counted(hinges, angles, steps)
            poses, done, step = steps[-1][0], goal, min(2 * step, longest)
        elif step > SHORTEST:
            step = (goal - done) / 2
        else:
            said = (_said(names, constraints, values) for values in (targets, now + done * way))
            return _left(constraints, poses, targets, start, *said)
    found = _newton(constraints, poses, targets, start.size)
    return replace(found, angles=continued(angles, constraints.elements, found.poses))


def _counted(
    hinges: Constraints, angles: Mapping[Coordinate, float], steps: list[tuple[dict[str, Pose], np.ndarray]]
) -> Mapping[Coordinate, float]:
    """Angles of held hinges after steps: poses, and the twists of all bodies from there on  [rad]."""
    if not angles:
        return angles
    moved = sum(hinges.evaluate(poses)[1][-len(angles) :] @ twist for poses, twist in steps)
    return continued(dict(zip(angles, np.array([*angles.values()]) + moved)), hinges.elements, steps[-1][0])


def _near(
    constraints: Constraints, poses: dict[str, Pose], targets: np.ndarray, size: float
) -> list[tuple[dict[str, Pose], np.ndarray]] | None:
    """Steps to poses on the branch of others that are near, closed to what a next step needs: poses, and the twists
    of all bodies from there on, none at last. None if it may be another branch.

    With |δ₂| ≤ ¼ |δ₁| for Newton's steps δ Kantorovich's number is at most ½; with Jacobians that are alike no
    singular pose lies between.
    """
    before, first, steps = np.inf, None, []
    for _ in range(8):
        error, jacobian = _scaled(constraints, poses, targets, size)
        first = jacobian if first is None else first
        step = np.linalg.lstsq(jacobian, -error, rcond=DEPENDENT)[0]
        length = float(np.max(np.abs(step), initial=0.0))
        if length < CLOSE and float(np.max(np.abs(error), initial=0.0)) < CLOSE:
            steps.append((poses, 0 * step))
            return steps if one_branch(first, jacobian, DEPENDENT) else None
        if not length < CONTRACTION * before:
            return None
        steps.append((poses, step * twist_scales(constraints, size)))
        poses, before = constraints.displaced(*steps[-1]), length
    return None


def _said(names: tuple[str, ...], constraints: Constraints, values: np.ndarray) -> str:
    """Values of held coordinates as a person writes them."""
    return ", ".join(f"{name} = {x:.6g} {c.unit}" for name, c, x in zip(names, constraints.held, values))


def _left(
    constraints: Constraints, poses: dict[str, Pose], targets: np.ndarray, start: Assembly, asked: str, reached: str
) -> Assembly:
    """Why a branch ends on the way: the pose is out of reach, or the way passes a singular pose."""
    found = _newton(constraints, poses, targets, start.size)
    if not found.converged or found.flipped:
        return replace(found, asked=asked, nearest=reached)
    return replace(found, converged=False, lost=reached)


def _holding(elements: Elements, values: Mapping[str, float]) -> tuple[Constraints, np.ndarray]:
    held = tuple(elements.coordinates[name] for name in values)
    return Constraints(elements, held), np.array([float(v) for v in values.values()])


def _scaled(
    constraints: Constraints, poses: Mapping[str, Pose], targets: np.ndarray, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """What is open, and its Jacobian, in natural sizes."""
    columns, rows = twist_scales(constraints, size), row_scales(constraints, size)
    phi, jacobian = constraints.evaluate(poses)
    first = len(constraints.rows)
    error = np.concatenate([phi[:first], phi[first:] - targets])
    turns = np.array([False] * first + [c.unit == "rad" for c in constraints.held])
    error = np.where(turns, np.remainder(error + np.pi, 2 * np.pi) - np.pi, error)
    return error / rows, jacobian * columns / rows[:, None] if len(rows) else jacobian


def _newton(constraints: Constraints, poses: dict[str, Pose], targets: np.ndarray, size: float) -> Assembly:
    columns = twist_scales(constraints, size)
    error, jacobian = _scaled(constraints, poses, targets, size)
    sizes: list[float] = []  # of the error, one an iteration
    for _ in range(60):
        norm = float(np.max(np.abs(error), initial=0.0))
        sizes.append(float(np.linalg.norm(error)))
        stalled = len(sizes) > STALLED[0] and sizes[-1] > STALLED[1] * sizes[-1 - STALLED[0]]
        if norm < TOLERANCE * 1e-2 or not np.isfinite(norm) or stalled or not np.isfinite(jacobian).all():
            break
        step = _shortest_step(jacobian, error)
        step *= min(1.0, 0.6 / max(np.max(np.abs(step)), 1e-300))
        fraction = 1.0
        while True:
            moved = constraints.displaced(poses, fraction * step * columns)
            new_error, new_jacobian = _scaled(constraints, moved, targets, size)
            if np.linalg.norm(new_error) < np.linalg.norm(error) * (1 - 1e-3 * fraction) or fraction < 1e-3:
                break
            fraction /= 2
        if np.linalg.norm(new_error) >= np.linalg.norm(error):
            break
        poses, error, jacobian = moved, new_error, new_jacobian
    norm = float(np.max(np.abs(error), initial=0.0))
    worst = int(np.argmax(np.abs(error))) if len(error) else None
    row = None
    if worst is not None:
        row = constraints.rows[worst] if worst < len(constraints.rows) else Row("pose", "given coordinates")
    converged = norm < TOLERANCE
    flipped = tuple(j.name for j in constraints.elements.joints.values() if converged and is_flipped(j, poses))
    found = Assembly(poses, norm, row, size, converged, flipped, error=float(np.linalg.norm(error)))
    if converged:
        return found
    at_joint = worst is not None and worst < len(constraints.rows) - len(constraints.elements.couplings)
    return replace(found, at_joint=at_joint, not_kept=not_kept(constraints, error))


def _shortest_step(jacobian: np.ndarray, error: np.ndarray) -> np.ndarray:
    """The shortest x (n,) with J x = −e, or that comes nearest to it.

    Where all rows are independent it is x = −Q R⁻ᵀ e with Jᵀ = Q R, in a fraction of the time that singular values
    take; these decide only where rows are nearly dependent.
    """
    if 0 < jacobian.shape[0] <= jacobian.shape[1]:
        Q, R = np.linalg.qr(jacobian.T)
        pivots = np.abs(np.diag(R))
        if pivots.min() * QR_CONDITION > pivots.max():
            inverse = np.linalg.inv(R)
            if np.linalg.norm(inverse) * np.linalg.norm(R) < QR_CONDITION:
                return -Q @ (inverse.T @ error)
    return np.linalg.lstsq(jacobian, -error, rcond=1e-9)[0]


@one_blas_thread()
def close(constraints: Constraints, start: Assembly, xi: np.ndarray) -> Assembly:
    """Displace an assembled mechanism by a twist of every body and put it together again; angles go on."""
    held = np.array([float(c.value(start.poses, constraints.elements.joints)) for c in constraints.held])
    found = _newton(constraints, constraints.displaced(start.poses, xi), held, start.size)
    return replace(found, angles=continued(start.angles, constraints.elements, found.poses))
