"""The geometry of a mechanism in symbols: where its joints sit in the frames of its bodies.

Coordinates that are zero stay zero and attitudes that exchange axes stay numbers; every other coordinate of a joint
point is a symbol λ, positive at the mechanism's own values, and every other attitude has Rodrigues' vector ρ
(theory/symbols, eq. 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any, ClassVar

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import AlongJoint
from poinsot.elements.forces import Force
from poinsot.elements.joints import Joint
from poinsot.errors import PoinsotError
from poinsot.identifiability.linear import force_name
from poinsot.identifiability.symbolic.exact import load_sympy
from poinsot.identifiability.symbolic.screws import joint_algebra
from poinsot.model.parts import Elements

ZERO = 1e-10  # of the machine's size, or of 1: what is no length and no angle


@dataclass(frozen=True)
class LengthSymbol:
    """A symbol λ: one coordinate of a joint point in the frame of a body."""

    symbol: Any
    joint: str
    side: str  # "a" or "b"
    body: str
    axis: int
    sign: float  # of the coordinate; the symbol is positive
    point: int  # number of the point

    unit: ClassVar[str] = "m"  # of the value

    def value(self, elements: Elements) -> float:
        """λ in a mechanism  [m]."""
        return self.sign * float(elements.joints[self.joint].frame_on(self.side).p[self.axis])

    @property
    def meaning(self) -> str:
        """What the symbol stands for, for a legend."""
        return f"{'−' if self.sign < 0 else ''}{'xyz'[self.axis]} of joint {self.joint} in {self.body}"


@dataclass(frozen=True)
class Tilt:
    """A symbol ρ: one component of the Rodrigues vector, tan(angle/2) · axis, of a joint's frame in a body."""

    symbol: Any
    joint: str
    side: str
    body: str
    axis: int
    nearest: np.ndarray = field(compare=False)  # rotation that only exchanges axes, from which ρ turns
    about_z: bool  # whether only the direction of the joint's axis counts

    unit: ClassVar[str] = "-"  # of the value

    def value(self, elements: Elements) -> float:
        """ρ in a mechanism  [-]."""
        R = np.asarray(elements.joints[self.joint].frame_on(self.side).R, float)
        return float(_rodrigues(R, self.nearest, self.about_z)[self.axis])

    @property
    def meaning(self) -> str:
        """What the symbol stands for, for a legend."""
        return f"{'xyz'[self.axis]} of tan(angle/2)·axis by which joint {self.joint} is turned in {self.body}"


@dataclass(frozen=True)
class Pitch:
    """A symbol κ: a number in a joint's own law, such as the lead of a screw."""

    symbol: Any
    joint: str
    entry: tuple[int, int]  # in the reduced basis of the joint's algebra

    unit: ClassVar[str] = "m/rad"  # of the value

    def value(self, elements: Elements) -> float:
        """κ in a mechanism  [m/rad]."""
        return float(joint_algebra(elements.joints[self.joint])[self.entry])

    @property
    def meaning(self) -> str:
        """What the symbol stands for, for a legend."""
        return f"advance per radian of joint {self.joint}"


Unknown = LengthSymbol | Tilt | Pitch


@dataclass(frozen=True, eq=False)
class Site:
    """A joint in symbols: its place on both bodies and its algebra.

    Its axes are those of body B, turned by ρ alone, so that the algebra has numbers in it.
    """

    joint: str
    a: str
    b: str
    p_a: np.ndarray  # (3,) SymPy expressions, in the frame of body A
    R_a: np.ndarray  # (3, 3)
    p_b: np.ndarray
    R_b: np.ndarray
    algebra: np.ndarray  # (k, 6) about the joint's point
    drives: dict[int, str]  # parameter of the drive's inertia, by the row of the algebra along which it moves


@dataclass(frozen=True, eq=False)
class Geometry:
    """All joints of a mechanism in symbols."""

    planar: bool
    bodies: tuple[str, ...]
    gravity: tuple[float, ...]  # [m/s²]
    sites: tuple[Site, ...]
    unknowns: tuple[Unknown, ...]

    @property
    def symbols(self) -> tuple[Any, ...]:
        """All symbols, points in the order of bodies and joints."""
        return tuple(u.symbol for u in self.unknowns)

    def values(self, elements: Elements) -> dict[Any, float]:
        """Values of the symbols in a mechanism of the same structure  [m, -]."""
        found = {u.symbol: u.value(elements) for u in self.unknowns}
        for site in self.sites:
            joint = elements.joints[site.joint]
            for side, body, p in (("a", site.a, site.p_a), ("b", site.b, site.p_b)):
                here = np.array([float(load_sympy().sympify(x).subs(found)) for x in p])
                there = np.asarray(joint.frame_on(side).p, float)
                near = np.allclose(here, there, rtol=1e-9, atol=1e-12 + 1e-9 * np.abs(there).max())
                if body != GROUND and not near:
                    raise PoinsotError(
                        f"joint '{site.joint}' sits at {there} in '{body}', where the symbols have {list(p)}: a "
                        "coordinate that was zero is not, or two joints at one point are not; symbolise this one"
                    )
        return found


def geometry(elements: Elements) -> Geometry:
    """Write the places of all joints of a mechanism in symbols."""
    naming = _Naming(elements)
    for body in elements.bodies:
        for joint in elements.joints.values():
            for side in ("a", "b"):
                if joint.end(side).body == body:
                    naming.point(joint, side)
    sites = tuple(naming.site(joint) for joint in elements.joints.values())
    gravity = tuple(float(g) for g in elements.gravity)
    return Geometry(elements.planar, tuple(elements.bodies), gravity, sites, tuple(naming.unknowns))


class _Naming:
    """Gives symbols to the geometry, each new number once."""

    def __init__(self, elements: Elements):
        self.unknowns: list[Unknown] = []
        self._points: list[tuple[str, np.ndarray, list[Any]]] = []
        self._tilts, self._forces = 0, elements.forces
        lengths = [np.abs(j.frame_on(s).p).max() for j in elements.joints.values() for s in "ab"]
        self._zero = ZERO * max([float(length) for length in lengths], default=1.0)

    def point(self, joint: Joint, side: str) -> list[Any]:
        """A joint's point in the frame of its body, as numbers zero and symbols."""
        body, p = joint.end(side).body, np.asarray(joint.frame_on(side).p, float)
        if body == GROUND:
            return [0, 0, 0]
        for owner, known, expressions in self._points:
            if owner == body and np.all(np.abs(known - p) <= self._zero):
                return expressions
        number = 1 + len({u.point for u in self.unknowns if isinstance(u, LengthSymbol)})
        expressions: list[Any] = [0, 0, 0]
        for axis, coordinate in enumerate(p):
            if abs(coordinate) > self._zero:
                symbol = load_sympy().Symbol(f"l{'xyz'[axis]}{number}", real=True)
                sign = 1 if coordinate > 0 else -1
                self.unknowns.append(LengthSymbol(symbol, joint.name, side, body, axis, sign, number))
                expressions[axis] = sign * symbol
        self._points.append((body, p, expressions))
        return expressions

    def site(self, joint: Joint) -> Site:
        """A joint with its places and its algebra."""
        algebra = joint_algebra(joint)
        (C_a, P_a), (C_b, P_b) = (self._attitude(joint, side, algebra) for side in "ab")
        p_a, p_b = (np.array(self.point(joint, side), dtype=object) for side in "ab")
        S = self._exact(joint, algebra)
        turned = np.concatenate([S[:, :3] @ P_b.T, S[:, 3:] @ P_b.T], axis=1)
        drives = _drives(self._forces, joint, algebra)
        return Site(joint.name, joint.a.body, joint.b.body, p_a, C_a @ P_a @ P_b.T, p_b, C_b, turned, drives)

    def _attitude(self, joint: Joint, side: str, algebra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """R of the joint's axes in the body as Cayley(ρ) · P; any, where the joint may turn to it anyway."""
        if np.linalg.matrix_rank(np.vstack([algebra, np.eye(6)[3:]])) == len(algebra):
            return _identity(), _identity()
        about_z = np.linalg.matrix_rank(np.vstack([algebra, np.eye(6)[5:]])) == len(algebra)
        R = np.asarray(joint.frame_on(side).R, float)
        nearest = _nearest(R, about_z)
        rho = [0, 0, 0]
        self._tilts += 1
        for axis, value in enumerate(_rodrigues(R, nearest, about_z)):
            if abs(value) > ZERO:
                symbol = load_sympy().Symbol(f"r{'xyz'[axis]}{self._tilts}", real=True)
                self.unknowns.append(Tilt(symbol, joint.name, side, joint.end(side).body, axis, nearest, about_z))
                rho[axis] = symbol
        if not any(rho):
            self._tilts -= 1
        return _cayley(rho), np.rint(nearest).astype(int).astype(object)

    def _exact(self, joint: Joint, algebra: np.ndarray) -> np.ndarray:
        found = np.zeros(algebra.shape, dtype=object)
        for entry, value in np.ndenumerate(algebra):
            found[entry] = round(value)
            if abs(value - round(value)) > ZERO:
                number = 1 + sum(isinstance(u, Pitch) for u in self.unknowns)
                self.unknowns.append(Pitch(load_sympy().Symbol(f"k{number}", real=True), joint.name, entry))
                found[entry] = self.unknowns[-1].symbol
        return found


def _drives(forces: Mapping[str, Force], joint: Joint, algebra: np.ndarray) -> dict[int, str]:
    """Names of drive inertias along coordinates whose screw is a row of the joint's algebra."""
    found = {}
    for force in forces.values():
        if isinstance(force.on, AlongJoint) and force.on.joint == joint.name and (inertias := force.inertias):
            name = force_name(force, inertias[0])
            speed = np.eye(joint.freedom)[force.on.index % joint.freedom]
            still = np.zeros(len(joint.coordinates))
            screw = np.concatenate([np.ravel(part) for part in joint.twist(still, speed)])
            same = [k for k, row in enumerate(algebra) if len(algebra) == joint.freedom and np.allclose(row, screw)]
            found.update(dict.fromkeys(same, name))
    return found


def _cube() -> Iterable[np.ndarray]:
    """The 24 rotations that only exchange axes, the identity first."""
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            R = np.eye(3)[:, order] * signs
            if np.linalg.det(R) > 0:
                yield R


def _nearest(R: np.ndarray, about_z: bool) -> np.ndarray:
    """The rotation that exchanges axes and is nearest to R, or whose third axis is nearest to R's."""
    score = (lambda P: P[:, 2] @ R[:, 2]) if about_z else (lambda P: np.trace(P.T @ R))
    return max(_cube(), key=lambda P: round(score(P), 9))


def _rodrigues(R: np.ndarray, nearest: np.ndarray, about_z: bool) -> np.ndarray:
    """ρ with R = Cayley(ρ) · nearest, or with the third columns of both sides equal."""
    if about_z:
        e, d = nearest[:, 2], R[:, 2]
        return np.cross(e, d) / (1 + e @ d)
    C = R @ nearest.T
    return np.array([C[2, 1] - C[1, 2], C[0, 2] - C[2, 0], C[1, 0] - C[0, 1]]) / (1 + np.trace(C))


def _cayley(rho: list[Any]) -> np.ndarray:
    """R = 1 + 2 ([ρ]× + [ρ]×²) / (1 + ρ·ρ)."""
    x, y, z = rho
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)
    square = x * x + y * y + z * z
    return _identity() if square == 0 else _identity() + (S + S @ S) * (2 / (1 + square))


def _identity() -> np.ndarray:
    return np.eye(3, dtype=int).astype(object)
