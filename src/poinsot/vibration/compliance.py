"""Static compliance and stiffness of a body or frame: its displacement under a constant wrench.

    δ = T Z (ZᵀKZ)⁻¹ ZᵀTᵀ F        (theory/vibration, eq. 10)

T is the twist of the place per displacement, Z the motions that joints and locked actuators leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError
from poinsot.model.assembly.constraints import IN_PLANE
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.results import DISPLACEMENT, WRENCH, BarPanel, Panel, Result
from poinsot.results.pictures import matrix_panel
from poinsot.results.words import aligned
from poinsot.vibration.eigenmodes import ZERO, growth_of, reduced, said_of
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.linear_model.record import LinearModel

ROUND_OFF = 1e-13  # of the geometric mean of two diagonal entries, below which coupling is printed as 0
UNITS: dict[str, str] = {
    axis: unit
    for axes, units in ((DISPLACEMENT, ("m", "rad")), (WRENCH, ("N", "N·m")))
    for axis, unit in zip(axes.split(), [units[0]] * 3 + [units[1]] * 3)
}


@dataclass(frozen=True, eq=False)
class PlaceMatrix(Result):
    """Compliance or stiffness of a place, world axes: (6, 6), or (3, 3) in the plane; also an array by itself."""

    mechanism: Mechanism
    at: str
    axes: tuple[str, ...]  # of the rows: displacements or a wrench
    per: tuple[str, ...]  # of the columns: a wrench or displacements
    matrix: np.ndarray
    growth: float = 0.0  # of an unstable pose, which is left as exp(growth · t)  [1/s]

    _over = ("axis", "axes")
    _columns = {
        "units": ("unit", ""),
        "matrix": (lambda found: found.per, lambda found: [f"1/({UNITS[axis]}) of the axis" for axis in found.per]),
    }

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the rows' displacements or wrench."""
        return tuple(UNITS[axis] for axis in self.axes)

    def __str__(self) -> str:
        what = "compliance" if self.axes[0] in DISPLACEMENT.split() else "stiffness"
        heads = [("", *(f"per {axis} [{UNITS[axis]}]" for axis in self.per))]
        own = np.sqrt(np.abs(np.diag(self.matrix)))
        told = np.where(np.abs(self.matrix) <= ROUND_OFF * np.outer(own, own), 0.0, self.matrix)
        rows = [(f"{axis} [{UNITS[axis]}]", *(f"{x:.6g}" for x in row)) for axis, row in zip(self.axes, told)]
        head = f"{what} of '{self.at}' of {self.mechanism.name}, world axes"
        return "\n".join([head, *aligned([*heads, *rows]), *said_of(self.growth, f"this {what}")])

    def panels(self) -> tuple[Panel, ...]:
        """The diagonal by unit, and how directions are coupled."""
        own = np.diag(self.matrix)
        with np.errstate(divide="ignore", invalid="ignore"):
            coupled = self.matrix / np.sqrt(np.abs(own)) / np.sqrt(np.abs(own))[:, None]
        softness = self.axes[0] in DISPLACEMENT.split()
        straight, turned = ("m/N", "rad/(N·m)") if softness else ("N/m", "N·m/rad")
        turns = {"rx", "ry", "rz", "tx", "ty", "tz"}
        found: list[Panel] = []
        for unit, rows in (
            (straight, [k for k, axis in enumerate(self.axes) if axis not in turns]),
            (turned, [k for k, axis in enumerate(self.axes) if axis in turns]),
        ):
            names = tuple(f"{self.axes[k]} / {self.per[k]}" for k in rows)
            found.append(BarPanel(names=names, x=f"{'compliance' if softness else 'stiffness'} [{unit}]",
                                  series={"diagonal": own[rows]}, title=self.at))  # fmt: skip
        label = "coupling C_ij / √(C_ii C_jj) [-]"
        return (*found, matrix_panel(self.axes, self.per, coupled, label, limit=1.0))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.matrix, dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        return self.matrix[key]


def axes_of(mechanism: Mechanism) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels of displacements and turns, and of forces and moments, that a mechanism knows."""
    shown = IN_PLANE if mechanism.planar else range(6)
    moved, pulled = (tuple(labels.split()[i] for i in shown) for labels in (DISPLACEMENT, WRENCH))
    return moved, pulled


@one_blas_thread()
def compliance(
    mechanism: Mechanism,
    at: str,
    pose: GivenPose = None,
    *,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
) -> PlaceMatrix:
    """Displacement (x, y, z) [m] and turn (rx, ry, rz) [rad] of a place per force [N] and moment [N·m], world axes.

    `mechanism` at rest in a `pose` of named coordinates [m or rad]; `formulation` and `locked` as for
    `modes`.

    (6, 6), or (3, 3) for x, y, rz of a planar mechanism: blocks [m/N], [m/(N·m)], [rad/N], [rad/(N·m)]. `at` is a
    body ("platform") or one of its frames ("platform.P1"); a wrench acts there.

    >>> import poinsot
    >>> found = poinsot.compliance(poinsot.load("three_link"), "link1")
    >>> bool(abs(found[2, 2] - 1 / 21.10) < 1e-12)
    True
    """
    linear = linear_model(mechanism, pose, formulation=formulation, locked=locked)
    return PlaceMatrix(mechanism, at, *axes_of(mechanism), _compliance(linear, at), growth_of(linear))


@one_blas_thread()
def stiffness(
    mechanism: Mechanism,
    at: str,
    pose: GivenPose = None,
    *,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
) -> PlaceMatrix:
    """Inverse of the compliance: wrench per displacement of a place, [N/m], [N/rad], [N·m/m], [N·m/rad].

    `mechanism`, `at`, `pose`, `formulation` and `locked` as for `compliance`; (6, 6), or (3, 3) in the
    plane.
    """
    yielding = compliance(mechanism, at, pose, formulation=formulation, locked=locked)
    found, scale = yielding.matrix, np.sqrt(np.abs(np.diag(yielding.matrix)))
    if not scale.all() or np.linalg.cond(found / np.outer(scale, scale)) > 1e12:
        raise PoinsotError(
            f"'{at}' cannot yield in every direction: its stiffness is infinite in some; ask for its compliance"
        )
    moved, pulled = axes_of(mechanism)
    return PlaceMatrix(mechanism, at, pulled, moved, np.linalg.inv(found), yielding.growth)


def _compliance(linear: LinearModel, at: str) -> np.ndarray:
    T = np.asarray(linear.twist(linear.mechanism.frame(at)))
    T = (T[list(IN_PLANE)] if linear.mechanism.planar else T) @ linear.free
    K = reduced(linear)[2]
    size = np.max(np.abs(linear.free).T @ (abs(linear.K) @ np.abs(linear.free)), initial=0.0)
    if (K.size and np.linalg.svd(K, compute_uv=False)[-1] <= ZERO * size) or (K.size and size == 0):
        raise PoinsotError(f"{linear.mechanism.name} can move without resistance here: it has no static compliance")
    return T @ np.linalg.solve(K, T.T) if K.size else np.zeros((len(T), len(T)))
