"""What a mechanism can be: values within their bounds, bodies that can exist. Asked for one set of values or many.

Negative masses, stiffnesses and moments of inertia are refused wherever they are given. The numbers of an inertia
may be changed one after the other: together they are judged where motions are computed, and by `check`, which also
tells when they break the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.errors import PoinsotError
from poinsot.model.quantities.expressions import Expression, evaluate, names
from poinsot.spatial.algebra import vector
from poinsot.spatial.inertia import inertia_defect, inertia_matrix

if TYPE_CHECKING:
    from poinsot.elements.bodies import RigidBody
    from poinsot.model.parts import Elements
    from poinsot.model.quantities.parameters import Parameters


SIGN = 1e-9  # how far a principal moment may be below zero by round-off, of the largest


def require_elements(template: Elements, parameters: Parameters, given: Mapping[str, Any]) -> None:
    """Raise when the given parameters make an element that cannot be, whatever bounds each of them keeps."""
    moved = set(given)
    for name, expression in parameters.derived.items():
        if moved.intersection(names(expression)):
            moved.add(name)

    if not moved & template.judged:
        return

    def depends(*parts: Any) -> bool:
        return any(moved.intersection(names(part)) for part in parts)

    with np.errstate(all="ignore"):
        values = parameters.environment(given)
        for body in template.bodies.values():
            if depends(*body.inertia):
                _require_signs(body.name, [_numbers(part, values) for part in body.inertia])
        for law in (*template.joints.values(), *template.forces.values()):
            for option in law.nonzero:
                if depends(part := getattr(law, option)) and np.any(_numbers(part, values) == 0):
                    raise PoinsotError(f"{law.name}.{option}: expected a number that is not zero")
        for force in (*template.forces.values(), *template.actuators.values()):
            ends = [getattr(force, end, 0.0) for end in ("lower", "upper")]
            if depends(*ends) and np.any(np.greater(*(_numbers(end, values) for end in ends))):
                raise PoinsotError(f"{force.name}: the lower limit is above the upper")


def _numbers(part: Any, values: Mapping[str, Any]) -> np.ndarray:
    """Values (N,) of an expression or number."""
    return np.asarray(evaluate(part, values) if isinstance(part, Expression) else part, float).ravel()


def _require_signs(body: str, six: Sequence[np.ndarray]) -> None:
    """Raise when an inertia xx, xy, xz, yy, yz, zz, each (N,), cannot be that of a body in one of the samples.

    One set of values may have products of inertia that are not possible yet: others may be changed after it.
    """
    six = np.broadcast_arrays(*six)
    if len(six[0]) == 1:
        for axes, moment in zip(("xx", "yy", "zz"), (six[0], six[3], six[5])):
            if moment[0] < 0:
                raise PoinsotError(f"{body}.inertia.{axes} = {moment[0]:g} kg·m² is negative, which no body can have")
        return
    J = inertia_matrix(vector(*six))
    defects = _negative(np.where(np.isfinite(J).all(axis=(1, 2), keepdims=True), J, 0.0))
    if defects.any():
        first = int(np.argmax(defects))
        raise PoinsotError(_words(body, J[first], f" in sample {first + 1}"))


def _negative(J: np.ndarray) -> np.ndarray:
    """Which of the inertias (N, 3, 3) have a negative principal moment."""
    moments = np.linalg.eigvalsh(J)
    return moments[:, 0] < -SIGN * np.abs(moments).max(axis=1)


def _words(body: str, J: np.ndarray, which: str = "") -> str:
    moments = ", ".join(f"{moment:.6g}" for moment in np.linalg.eigvalsh(J))
    reason = f"it is not positive definite (principal moments {moments} kg·m²)"
    return f"no body can have the inertia of '{body}'{which}: {reason}"


def negative_inertia(elements: Elements) -> str | None:
    """Say which body has a negative principal moment; None when none has."""
    bodies = list(elements.bodies.values())
    if not bodies:
        return None
    J = np.array([np.asarray(body.inertia_about_centre(), float) for body in bodies])
    bad = _negative(J)
    return _words(bodies[int(np.argmax(bad))].name, J[int(np.argmax(bad))]) if bad.any() else None


def require_moments(elements: Elements) -> None:
    """Raise when a body of a mechanism that was read has a negative moment of inertia about an axis."""
    for body in elements.bodies.values():
        _require_signs(body.name, [np.atleast_1d(moment) for moment in body.inertia])


def body_defect(body: RigidBody, planar: bool) -> str | None:
    """Say why a body cannot exist; None when it can. In the plane it has one moment, whose sign is judged earlier."""
    return None if planar else inertia_defect(body.mass, body.inertia_about_centre())
