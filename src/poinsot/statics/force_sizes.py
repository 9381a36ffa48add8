"""How large the terms are that are summed up in each generalised force of a mechanism at rest.

    T_i = Σ m|g| |∂p/∂x_i| + Σ (|V'| + |V''| ℓ + |F| + |u|) |∂s/∂x_i| + Σ |f| |∂p/∂x_i| + |n| |∂θ/∂x_i|

over bodies with mass centres p, laws along coordinates s with natural sizes ℓ, and loads. A generalised force far
below T is round-off, whatever the units and however light the part of the machine that it moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.formulations.generalised_forces import curvature, slope
from poinsot.lazy import casadi
from poinsot.spatial.algebra import vector
from poinsot.spatial.motion import carry_twist
from poinsot.spatial.pose import Pose

if TYPE_CHECKING:
    from poinsot.formulations.equations import Equations


def force_sizes(e: Equations, size: float, rests: Mapping[str, Any]) -> Any:
    """T (nv, 1) as symbols [N or N·m] for a machine of a size [m]; `rests` of clamped springs by their names."""
    elements = e.symbols.elements
    total = casadi.SX(e.v.size1(), 1)
    weight = _length(vector(*elements.gravity))
    for name, body in elements.bodies.items():
        V = carry_twist(Pose(np.eye(3), vector(*body.com)), e.kinematics.twists[name])
        total += casadi.fabs(body.mass) * weight * _columns(V.v, e)
    for k, part in enumerate(e.balance.acting):
        total += casadi.fabs(casadi.jacobian(part[2], e.v)).T * _law_size(e, k, size, rests)
    for load in elements.loads.values():
        V = load.twist(e.kinematics.twists[load.at.body])
        total += _length(vector(*load.force)) * _columns(V.v, e) + _length(vector(*load.moment)) * _columns(V.w, e)
    return casadi.densify(casadi.substitute(total, e.v, casadi.SX.zeros(e.v.shape)))


def _law_size(e: Equations, k: int, size: float, rests: Mapping[str, Any]) -> Any:
    """Modulus of the force of a law along its coordinate, and of what a displacement of natural size adds to it."""
    law, s, s_dot = e.balance.acting[k]
    first = len(e.balance.acting) - e.u.size1()
    if k >= first:
        return casadi.fabs(e.u[k - first])
    relaxed = law.relaxed_at(rests[law.name]) if law.name in rests else law
    length = size if law.on.unit == "m" else 1.0
    own = casadi.fabs(slope(relaxed, s)) + casadi.fabs(curvature(relaxed, s)) * length
    return own + casadi.fabs(casadi.SX(law.force(s, s_dot)))


def _length(x: Any) -> Any:
    return casadi.norm_2(casadi.SX(x))


def _columns(rate: Any, e: Equations) -> Any:
    """Euclidean length (nv, 1) of every column of ∂rate/∂v."""
    J = casadi.jacobian(casadi.SX(rate), e.v)
    return casadi.sqrt(casadi.sum1(J**2)).T
