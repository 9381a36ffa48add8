"""Bodies that a prescribed motion leaves to spin about a line of their own, such as rods between two balls.

A spin moves nothing else but by its inertia. A body whose mass is symmetric about that line does not take one up:
along the line e, fixed in the body, ω·e = 0 (theory/dynamics, eq. 22).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.elements.coordinates import Angle
from poinsot.elements.frame import Frame
from poinsot.errors import listing
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.assembly.mobility import idle_spins, mobility, spin_axis
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.orientation import Quaternion, along
from poinsot.store import Bounded
from poinsot.system.home import start

ROUNDED = 2  # decimals of the attitude from which a spin is counted: one of a few degrees off is as good
_FOUND: Bounded = Bounded(32)


@dataclass(frozen=True, eq=False)
class OpenSpins:
    """Spins that nothing but they leave open in a motion."""

    mechanism: Mechanism  # with a coordinate for each of them
    names: dict[str, str]  # of these coordinates, by body
    axes: dict[str, np.ndarray]  # e, in the body (3,), by body  [-]
    joints: dict[str, tuple[str, ...]]  # that leave it open, by body
    free: bool = False  # whether they are as the equations of motion have them, from rest

    @property
    def held(self) -> dict[str, float]:
        """All of them at their values in the file's pose, by name  [rad]."""
        home, known = start(self.mechanism, None), self.mechanism.elements
        return {n: float(known.coordinates[n].value(home.poses, known.joints)) for n in self.names.values()}

    @property
    def prevented(self) -> str:
        """How a file prevents them, as a sentence."""
        idle = listing(f"'{body}' in {', '.join(joints)}" for body, joints in self.joints.items())
        why = "a universal joint at one end prevents it"
        return f"what is left open is the spin about a line of its own of {idle}: {why}"

    @property
    def told(self) -> str:
        """What is assumed, as a sentence."""
        idle = listing(f"'{body}' ({', '.join(joints)})" for body, joints in self.joints.items())
        if self.free:
            return f"spins about a line of its own as its mass makes it, from rest: {idle}"
        return f"kept from spinning about a line of its own, which moves nothing else: {idle}"


def open_spins(mechanism: Mechanism, names: Iterable[str]) -> OpenSpins | None:
    """Spins of bodies that a motion of named coordinates leaves open; None where it leaves more open, or less."""
    names = tuple(names)
    key = (id(mechanism), *names)
    return _FOUND.get_or_make(key, lambda: (mechanism, _found(mechanism, names)))[1]  # its id stays its own


def _found(mechanism: Mechanism, names: tuple[str, ...]) -> OpenSpins | None:
    elements, home = mechanism.elements, start(mechanism, None)
    if elements.planar or not all(name in elements.coordinates for name in names):
        return None
    held = tuple(elements.coordinates[name] for name in names)
    if mobility(Constraints(elements), home) == len(names):
        return None
    joints = idle_spins(elements, home)
    axes = {body: axis for body in joints if (axis := spin_axis(elements, home, body)) is not None}
    if not axes:
        return None
    spins = {f"spin of {body}": _angle(body, home.poses[body].R, axis) for body, axis in axes.items()}
    open_before = mobility(Constraints(elements, held), home)
    if open_before != len(spins) or mobility(Constraints(elements, (*held, *spins.values())), home):
        return None
    named = mechanism.with_coordinates(spins)
    return OpenSpins(named, dict(zip(axes, spins)), axes, {body: joints[body] for body in axes})


def _angle(body: str, R: np.ndarray, axis: np.ndarray) -> Angle:
    """The angle of a body about an axis of its own, seen from about its attitude R in the file's pose."""
    from scipy.spatial.transform import Rotation

    own = along(tuple(map(float, axis)), axis)
    x, y, z, w = np.round(Rotation.from_matrix(np.asarray(R) @ own.matrix()).as_quat(), ROUNDED)
    reference = Frame(GROUND, "", orientation=Quaternion((float(w), float(x), float(y), float(z))))
    return Angle(Frame(body, "", orientation=own), reference, "XYZ", 2)
