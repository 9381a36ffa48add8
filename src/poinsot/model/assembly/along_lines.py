"""Bodies that a file places along a line: the turn about it is the one that their joints need.

Bodies are put in their places one after the other, those first whose turn hangs most on joints with bodies that are
in place already. With X_FM(φ) across a joint at the turn φ the sum of all squares Φ(X_FM(φ))², lengths by the
machine's size, has two least values at most where rows are linear in cos φ and sin φ; they are told apart by what is
left when the joint moves as far as it can. Guesses with either are followed side by side, and those that leave the
smallest gaps in all come out. A universal joint fits with its body turned either way: the one nearer to zero counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.model.assembly.branches import not_bridged
from poinsot.model.assembly.first_guess import carried, needed, placed
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import axis_rotation

if TYPE_CHECKING:
    from poinsot.elements.joints import Joint
    from poinsot.model.assembly.topology import Branch
    from poinsot.model.parts import Elements

ALIKE = 1e-6  # gaps, and turns [rad], that differ by less are alike
CARRIED = 0.1  # weight of a joint of a body that is only carried along, with joints at zero
KEPT = 8  # guesses that are followed side by side
GIVEN = 3  # of these that are given back
TRIED = np.arange(8) * np.pi / 4  # turns at which gaps are taken; five tell all harmonics up to the second  [rad]
FINE = np.arange(48) * np.pi / 24  # turns among which the least are looked for  [rad]
NEWTON = 4  # steps from there
OFF = np.pi / 3  # angle from its line beyond which a body is in another assembly than its file tells  [rad]


def guesses_along_lines(
    elements: Elements,
    branches: Sequence[Branch],
    values: Mapping[str, float],
    guess: Mapping[str, Pose],
    size: float,
) -> list[dict[str, Pose]]:
    """Poses before assembly in which bodies along lines are turned as their joints need, the best first.

    `guess` as the file places all bodies, without such turns; `size` of the machine [m]. None where no body is only
    placed along a line, or where no turn makes a difference.
    """
    lines = {name: p.along for name, p in elements.placements.items() if p.along is not None and not p.flat}
    ends = {name: [np.asarray(guess[f.body].point(f.pose().p), float) for f in line] for name, line in lines.items()}
    turning = frozenset(name for name, (a, b) in ends.items() if np.any(a != b))
    if not turning:
        return []
    best = sorted(_Search(elements, tuple(branches), values, turning, size).run(), key=lambda g: g.order)[:GIVEN]
    whole = [{name: g.poses.get(name, X) for name, X in guess.items()} for g in best]
    return whole if any(g.turned for g in best) else []


def off_lines(elements: Elements, poses: Mapping[str, Pose]) -> dict[str, float]:
    """Bodies placed along lines that do not lie along them once all is assembled, with the angle [rad]."""
    lines = {n: p.along for n, p in elements.placements.items() if p.along is not None and not p.flat}
    found = {}
    for name, line in lines.items():
        a, b = (np.asarray(poses[f.body].point(f.pose().p), float) for f in line)
        z = np.asarray(poses[name].R, float)[:, 2]
        angle = float(np.arctan2(np.linalg.norm(np.cross(z, b - a)), z @ (b - a)))
        found |= {name: angle} if angle > OFF else {}
    return found


@dataclass(frozen=True)
class _Guess:
    """Bodies that are in place, and how well their joints fit."""

    poses: dict[str, Pose]
    gap: float = 0.0  # sum of squares of all joints  [-]
    distance: float = 0.0  # of the joints of turned bodies from their zeros  [rad²]
    turned: bool = False  # whether a body is turned from what its placement alone gives
    loose: frozenset[str] = frozenset()  # bodies that are only carried along

    @property
    def order(self) -> tuple[int, float]:
        """What to sort by: the gap where it differs, then the distance from zero."""
        return round(self.gap / ALIKE), self.distance


@dataclass(frozen=True)
class _Turn:
    """A body turned about its line."""

    angle: float  # from its placement  [rad]
    X: Pose
    gap: float  # of its joints  [-]
    distance: float  # of these from their zeros  [rad²]


@dataclass(frozen=True)
class _Search:
    elements: Elements
    branches: tuple[Branch, ...]
    values: Mapping[str, float]
    turning: frozenset[str]  # bodies whose turn is looked for
    size: float  # of the machine  [m]
    known: dict[Any, Any] = field(default_factory=dict)  # what was computed already, by all that it hangs on

    def run(self) -> list[_Guess]:
        """Guesses with all bodies in place that can be."""
        guesses = [_Guess({GROUND: Pose.identity()})]
        while True:
            for name, pose, held in self._settled(guesses[0].poses):
                guesses = [self._settle(g, name, pose(g.poses), held) for g in guesses]
            ready = [n for n in self._ready(guesses[0].poses) if n in self.turning]
            if not ready:
                return guesses
            name = max(ready, key=lambda n: self._least(guesses[0], n)[1])
            found = [self._turned(g, name, turn) for g in guesses for turn in self._turns(g, name)]
            guesses = sorted(found, key=lambda g: g.order)[:KEPT]

    def _ready(self, poses: Mapping[str, Pose]) -> list[str]:
        """Bodies with a placement that can be put in place now."""
        waiting = (name for name in self.elements.placements if name not in poses)
        return [n for n in waiting if all(f.body in poses for f in needed(self.elements.placements[n]))]

    def _settled(self, poses: dict[str, Pose]) -> Iterator[tuple[str, Callable[[Mapping[str, Pose]], Pose], bool]]:
        """Bodies without an open turn as they come: name, pose from others, and whether the file says where it is."""
        there, placements = dict(poses), self.elements.placements
        while True:
            ready = [n for n in self._ready(there) if n not in self.turning]
            ahead = [b for b in self.branches if b.parent in there and b.child not in {**there, **placements}]
            if ready:
                name = ready[0]
                yield name, lambda at, p=placements[name]: placed(p, at), True
            elif ahead:
                name = ahead[0].child
                yield name, lambda at, b=ahead[0]: carried(self.elements, b, at[b.parent], self.values), False
            else:
                return
            there[name] = Pose.identity()

    def _settle(self, guess: _Guess, name: str, X: Pose, held: bool) -> _Guess:
        """A guess with one more body whose turn is not open."""
        more = replace(guess, poses={**guess.poses, name: X}, loose=guess.loose if held else guess.loose | {name})
        return replace(more, gap=guess.gap + self._fit(more, name)[0])

    def _turned(self, guess: _Guess, name: str, turn: _Turn) -> _Guess:
        """A guess with one more body, turned about its line."""
        turned = guess.turned or abs(turn.angle) > ALIKE
        poses, gap, distance = {**guess.poses, name: turn.X}, guess.gap + turn.gap, guess.distance + turn.distance
        return replace(guess, poses=poses, gap=gap, distance=distance, turned=turned)

    def _joints(self, guess: _Guess, name: str) -> list[tuple[Joint, float]]:
        """Joints between a body and others in place, with their weights."""
        own = ((j, {j.a.body, j.b.body}) for j in self.elements.joints.values() if name in (j.a.body, j.b.body))
        there = {*guess.poses, name}
        return [(j, CARRIED if bodies & guess.loose else 1.0) for j, bodies in own if bodies <= there]

    def _open(self, joint: Joint, X_FM: Pose) -> float:
        """What the equations of a joint leave open: the sum of their squares."""
        phi = np.asarray(joint.residual(X_FM), float) / np.where(_are_lengths(joint), self.size, 1.0)
        return float(phi @ phi)

    def _fit(self, guess: _Guess, name: str) -> tuple[float, float]:
        """Gap of the joints of a body in place, and their distance from zero [rad²]."""

        def fit() -> tuple[float, float]:
            gap = distance = 0.0
            for joint, weight in self._joints(guess, name):
                X_FM = joint.relative(guess.poses[joint.a.body], guess.poses[joint.b.body])
                turns = joint.carries and not all(_are_lengths(joint))
                left = not_bridged(joint, guess.poses) if turns else 0.0
                gap += weight * (self._open(joint, X_FM) + left**2)
                q = np.asarray(joint.measure(X_FM), float) if turns else ()
                distance += sum(float(x) ** 2 for x, c in zip(q, joint.coordinates) if c.unit == "rad")
            return gap, distance

        return self._remembered("fit", guess, name, fit)

    def _least(self, guess: _Guess, name: str) -> tuple[list[float], float]:
        """Turns with the least gaps nearby [rad], none where all are alike; and how much hangs on the turn."""

        def least() -> tuple[list[float], float]:
            gaps = np.zeros(len(TRIED))
            X = placed(self.elements.placements[name], guess.poses)
            for joint, weight in self._joints(guess, name):
                across = _across(joint, name, X, guess.poses)
                gaps += weight * np.array([self._open(joint, across(angle)) for angle in TRIED])
            return _least(gaps)

        return self._remembered("least", guess, name, least)

    def _turns(self, guess: _Guess, name: str) -> list[_Turn]:
        """The body at its turns with the least gaps.

        Where none makes a difference its hinges are brought nearest to zero, or it stays as its placement has it.
        """
        X = placed(self.elements.placements[name], guess.poses)

        def turned(angle: float) -> _Turn:
            there = Pose(X.R @ axis_rotation("Z", angle), X.p) if abs(angle) > ALIKE else X
            return _Turn(angle, there, *self._fit(replace(guess, poses={**guess.poses, name: there}), name))

        def turns() -> list[_Turn]:
            if least := self._least(guess, name)[0]:
                return [turned(angle) for angle in least]
            here = turned(0.0)
            away = np.sqrt(here.distance)
            return [min((here, turned(away), turned(-away)), key=lambda t: t.distance + ALIKE * (t is not here))]

        return self._remembered("turns", guess, name, turns)

    def _remembered(self, what: str, guess: _Guess, name: str, compute: Callable[[], Any]) -> Any:
        """A value that hangs on the poses of a body, of those beside it, and of those that its placement needs."""
        frames = needed(self.elements.placements[name]) if name in self.elements.placements else []
        beside = {b for joint, _ in self._joints(guess, name) for b in (joint.a.body, joint.b.body)}
        poses = [guess.poses.get(b) for b in sorted(beside | {f.body for f in frames} | {name})]
        numbers = (np.asarray(x, float).tobytes() for X in poses if X is not None for x in (X.R, X.p))
        key = (what, name, *numbers)
        if key not in self.known:
            self.known[key] = compute()
        return self.known[key]


def _are_lengths(joint: Joint) -> list[bool]:
    return [label.startswith(("position", "distance")) for label in joint.rows]


def _across(joint: Joint, name: str, X: Pose, poses: Mapping[str, Pose]) -> Callable[[float], Pose]:
    """X_FM of a joint as one of its bodies, at X, is turned about its z axis by an angle [rad]."""
    X_AF, X_BM = joint.frames
    if name == joint.b.body:
        X_FB = (poses[joint.a.body] @ X_AF).inverse() @ X
        return lambda angle: Pose(X_FB.R @ axis_rotation("Z", angle), X_FB.p) @ X_BM
    X_FA, X_AM = X_AF.inverse(), X.inverse() @ (poses[joint.b.body] @ X_BM)
    return lambda angle: Pose(X_FA.R @ axis_rotation("Z", -angle), X_FA.p) @ X_AM


def _least(gaps: np.ndarray) -> tuple[list[float], float]:
    """Angles [rad] at which gaps (8,), harmonics up to the second in the turn, are least; and their range."""
    k = np.array([0, 1, 2])
    c = np.exp(-1j * np.outer(k, TRIED)) @ gaps / len(TRIED) * np.array([1, 2, 2])  # gap(φ) = Re Σ c_k exp(i k φ)

    def derivative(order: int, angles: np.ndarray) -> np.ndarray:
        return ((1j * k) ** order * c @ np.exp(1j * np.outer(k, angles))).real

    fine = derivative(0, FINE)
    span = float(np.ptp(fine))
    if span < ALIKE:
        return [], span
    least = FINE[(fine <= np.roll(fine, 1)) & (fine < np.roll(fine, -1))]
    for _ in range(NEWTON):
        slope, bend = derivative(1, least), derivative(2, least)
        steep = np.abs(slope) < np.abs(bend) * FINE[1]
        least = least - np.where(steep, slope, 0.0) / np.where(steep, bend, 1.0)
    return [float(np.remainder(x + np.pi, 2 * np.pi) - np.pi) for x in least], span
