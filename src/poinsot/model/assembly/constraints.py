"""Constraint equations of a mechanism at a pose: residuals and Jacobian with respect to the bodies' twists.

Each body B is displaced by a small twist, X_WB (1 + [ξ]), with ξ = (δp, δθ) in the body's own axes; in the plane
ξ = (δx, δy, δθ). The Jacobian ∂Φ/∂ξ at ξ = 0 is what rank, mobility and assembly need.
Numbers of the geometry are inputs: mechanisms of one structure share one function.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from poinsot.elements import GROUND
from poinsot.lazy import casadi
from poinsot.model.parts import Elements, foreign, substitute
from poinsot.spatial.algebra import skew
from poinsot.spatial.pose import Pose
from poinsot.spatial.rotation import rotation_exponential
from poinsot.store import Bounded, content_key, read_entry, write_entry

if TYPE_CHECKING:
    from poinsot.elements.coordinates import Coordinate


_WRITTEN: Bounded = Bounded(64)  # functions by structure
IN_PLANE = (0, 1, 5)  # twist components of a planar body


@dataclass(frozen=True)
class Row:
    """One constraint equation: the joint that owns it and what it keeps."""

    joint: str
    label: str

    def __str__(self) -> str:
        return f"{self.joint} ({self.label})"

    @property
    def is_length(self) -> bool:
        """Whether it is measured in metres; otherwise it is the sine of an angle, or a number."""
        return self.label.startswith(("position", "distance"))


@dataclass(frozen=True)
class Constraints:
    """All constraint equations of a mechanism with numbers in it, and coordinates held at given values."""

    elements: Elements
    held: tuple[Coordinate, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Moving bodies, in the order of the columns."""
        return tuple(self.elements.bodies)

    @property
    def freedom(self) -> int:
        """Motions of one body: 6, or 3 in the plane."""
        return 3 if self.elements.planar else 6

    def kept(self, joint: str) -> tuple[int, ...]:
        """Rows of a joint that count: all in space, those of the plane in a planar mechanism."""
        return self.elements.joints[joint].kept(self.elements.planar)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The constraint equations in the order of the joints, then those of couplings."""
        own = tuple(Row(n, j.rows[i]) for n, j in self.elements.joints.items() for i in self.kept(n))
        return own + tuple(Row(c.owner, c.label) for c in self.elements.couplings.values())

    @cached_property
    def _numbers(self) -> tuple[str, np.ndarray]:
        """The structure of the equations as text, and the numbers of the geometry in them."""
        numbers: list[float] = []

        def take(number: float) -> str:
            numbers.append(float(number))
            return "#"

        structure = substitute(self._laws, take, (float,))
        parts = (self.elements.planar, self.names, structure, *self._foreign)
        return repr(parts), np.array(numbers)

    @property
    def _laws(self) -> tuple[Any, ...]:
        return self.elements.joints, tuple(self.elements.couplings.values()), self.held

    @cached_property
    def _foreign(self) -> tuple[str, ...]:
        joints, couplings, held = self._laws
        return foreign([*joints.values(), *couplings, *held])

    @cached_property
    def _function(self) -> Any:
        structure = self._numbers[0]
        return _WRITTEN.get_or_make(
            structure, self._write if self._foreign else lambda: _kept(structure, self._write)
        )

    def _write(self) -> Any:
        """(poses (12, n), numbers of the geometry) -> Φ, ∂Φ/∂ξ at ξ = 0."""
        n = len(self.names)
        given = casadi.SX.sym("X", 12, n)
        geometry = casadi.SX.sym("g", len(self._numbers[1]))
        symbols = iter(casadi.vertsplit(geometry)) if geometry.numel() else iter(())
        joints, couplings, held = substitute(self._laws, lambda _: next(symbols), (float,))
        twist = casadi.SX.sym("xi", self.freedom, n)
        poses = {GROUND: Pose.identity()}
        for k, name in enumerate(self.names):
            xi = casadi.SX.zeros(6)
            for row, component in enumerate(IN_PLANE if self.elements.planar else range(6)):
                xi[component] = twist[row, k]
            R = casadi.reshape(given[:9, k], 3, 3)
            poses[name] = Pose(R @ (np.eye(3) + skew(xi[3:])), given[9:, k] + R @ xi[:3])
        equations = []
        for name, joint in joints.items():
            if kept := self.kept(name):
                residual = casadi.SX(joint.residual(joint.relative(poses[joint.a.body], poses[joint.b.body])))
                equations.append(residual[list(kept)])
        equations += [casadi.SX(c.residual(casadi.SX(c.on.value(poses, joints)))) for c in couplings]
        equations += [casadi.SX(c.value(poses, joints)) for c in held]
        phi = casadi.vertcat(*equations) if equations else casadi.SX(0, 1)
        flat = casadi.vec(twist)
        both = casadi.substitute([phi, casadi.jacobian(phi, flat)], [flat], [casadi.SX.zeros(flat.shape)])
        return casadi.Function("constraints", [given, geometry], both, {"cse": True})

    def evaluate(self, poses: Mapping[str, Pose]) -> tuple[np.ndarray, np.ndarray]:
        """Residuals (m,) and Jacobian (m, 6 n or 3 n) at given poses."""
        if not self.names:
            return np.zeros(0), np.zeros((0, 0))
        columns = [np.concatenate([poses[n].R.T.ravel(), poses[n].p]) for n in self.names]
        residual, jacobian = _evaluated(self._function, np.concatenate(columns), self._numbers[1])
        return residual, jacobian

    def displaced(self, poses: Mapping[str, Pose], xi: np.ndarray) -> dict[str, Pose]:
        """Poses after a finite twist (6 n or 3 n,) of every body, rotations exact."""
        moved = {GROUND: Pose.identity()}
        full = np.zeros((len(self.names), 6))
        full[:, IN_PLANE if self.elements.planar else slice(None)] = xi.reshape(len(self.names), self.freedom)
        for name, twist, turn in zip(self.names, full, rotation_exponential(full[:, 3:])):
            X = poses[name]
            moved[name] = Pose(X.R @ turn, X.p + X.R @ twist[:3])
        return moved


def _evaluated(function: Any, *inputs: Any) -> tuple[np.ndarray, ...]:
    """Outputs of a function of dense inputs, given column by column; a column of one output is a vector.

    CasADi makes lists of Python numbers when it is called; here it writes into NumPy's memory.
    """
    buffer, run = function.buffer()
    given = [np.ascontiguousarray(x, float).ravel() for x in inputs]
    sparsities = [function.sparsity_out(k) for k in range(function.n_out())]
    entries = [np.zeros(sparsity.nnz()) for sparsity in sparsities]
    for k, x in enumerate(given):
        buffer.set_arg(k, x.data)
    for k, x in enumerate(entries):
        buffer.set_res(k, x.data)
    run()
    found = []
    for sparsity, x in zip(sparsities, entries):
        whole = np.zeros(sparsity.shape)
        whole[sparsity.get_triplet()] = x
        found.append(whole[:, 0] if sparsity.shape[1] == 1 else whole)
    return tuple(found)


def _kept(structure: str, write: Callable[[], Any]) -> Any:
    """The function of a structure from disk, or written now."""
    key = content_key("constraints", structure)
    entry = read_entry(key, "kept") or ({}, b"")
    try:
        return casadi.Function.deserialize(zlib.decompress(entry[1]).decode())
    except (TypeError, ValueError, RuntimeError, zlib.error):  # there is none, or none that can be read
        function = write()
        write_entry(key, {}, zlib.compress(function.serialize().encode(), 1), "kept")
        return function


def twist_scales(constraints: Constraints, size: float) -> np.ndarray:
    """Typical size of every twist component: the machine's size for translations, 1 for rotations."""
    one = [size] * 2 + [1.0] if constraints.freedom == 3 else [size] * 3 + [1.0] * 3
    return np.tile(one, len(constraints.names))


def row_scales(constraints: Constraints, size: float) -> np.ndarray:
    """Typical size of every residual: lengths are measured by the machine's size."""
    held = [size if c.unit == "m" else 1.0 for c in constraints.held]
    return np.concatenate([row_lengths(constraints.rows, size), held])


def row_lengths(rows: Sequence[Row], size: float) -> np.ndarray:
    """What rows are measured by (m,): the machine's size for those in metres, else 1."""
    return np.array([size if row.is_length else 1.0 for row in rows])
