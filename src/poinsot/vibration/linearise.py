"""Linearisation: M, D, K in independent coordinates about a pose at rest.

x = B x_i,    M_i = Bᵀ M B,    D_i = Bᵀ D B,    K_i = Bᵀ K B,    C B = 0        (theory/vibration, eq. 4)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, list_of_names, listing, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.results import Panel, Result
from poinsot.results.pictures import matrix_panel
from poinsot.vibration.eigenmodes import general_poles, reduced
from poinsot.vibration.linear_model.model import linear_model
from poinsot.vibration.linear_model.record import LinearModel, MatrixDerivatives, dense

UNITS = {  # of an entry whose coordinates are turns, one of them, or none
    "M": ("kg·m²", "kg·m", "kg"),
    "D": ("N·m·s/rad", "N·s", "N·s/m"),
    "K": ("N·m/rad", "N", "N/m"),
}


@dataclass(frozen=True, eq=False)
class Linear(Result):
    """M ẍ + D ẋ + K x = 0 in k independent coordinates about a pose at rest; SI units."""

    linear: LinearModel
    names: tuple[str, ...]  # k, displacements or named coordinates
    basis: np.ndarray  # (n, k), all displacements per independent one
    M: np.ndarray  # (k, k)
    D: np.ndarray  # (k, k)
    K: np.ndarray  # (k, k)
    rows: np.ndarray  # (k, n), the independent coordinates per displacement

    _over, _hidden = ("coordinate", "names"), ("linear",)
    _extra = {name: f"linear.{name}" for name in ("formulation", "locked", "forces")} | {
        "mechanism": "linear.mechanism.name"
    }
    _columns = {
        m: (lambda linear, m=m: [f"{m}.{name}" for name in linear.names], lambda linear, m=m: linear.column_units(m))
        for m in "MDK"
    }

    def panels(self) -> tuple[Panel, ...]:
        """The matrices."""
        told = {"M": "mass", "D": "damping", "K": "stiffness"}
        labels = {m: f"{word} {m} [{' or '.join(self._units_in(m))}]" for m, word in told.items()}
        return tuple(
            matrix_panel(self.names, self.names, getattr(self, m), label, title=label) for m, label in labels.items()
        )

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the k coordinates."""
        known, names = self.linear.mechanism.elements.coordinates, self.linear.names
        return tuple(self.linear.units[names.index(n)] if n in names else known[n].unit for n in self.names)

    def column_units(self, matrix: str) -> list[str]:
        """Unit of each column (k,) of M, D or K: "SI" where its rows differ."""
        kinds = [{(a == "m") + (b == "m") for b in self.units} for a in self.units]
        return [UNITS[matrix][kind.pop()] if len(kind) == 1 else "SI" for kind in kinds]

    def _units_in(self, matrix: str) -> list[str]:
        """Units that occur in M, D or K."""
        found = {(a == "m") + (b == "m") for a in self.units for b in self.units}
        return [UNITS[matrix][kind] for kind in sorted(found, reverse=True)] or ["-"]

    @property
    def A(self) -> np.ndarray:
        """Matrix of the first-order form (2k, 2k): d/dt (x, ẋ) = A (x, ẋ)."""
        k = len(self.names)
        size = np.sqrt(np.diag(self.M))
        if not size.all() or np.linalg.cond(self.M / size / size[:, None]) > 1e13:
            raise PoinsotError(f"something that {listing(self.names)} move has no mass: M⁻¹ does not exist")
        return np.block([[np.zeros((k, k)), np.eye(k)], [-np.linalg.solve(self.M, np.hstack([self.K, self.D]))]])

    @property
    def poles(self) -> np.ndarray:
        """Roots s of det(s² M + s D + K), each conjugate pair once, by their modulus  [1/s]."""
        return general_poles(*reduced(self.linear))[0]

    def derivatives(self, wrt: Sequence[str] | None = None) -> MatrixDerivatives:
        """dM, dD, dK (p, k, k) with respect to parameters, by default all; the basis follows the constraints."""
        if not set(self.names) <= set(self.linear.names):
            raise PoinsotError(
                f"derivatives need independent displacements of the formulation: {listing(self.linear.names)}"
            )
        names = tuple(self.linear.mechanism.parameters if wrt is None else wrt)
        d, B, C = self.linear.derivatives(names), self.basis, dense(self.linear.C)
        found: list[list[np.ndarray]] = []
        kept = np.vstack([C, self.rows])
        for j in range(len(names)):
            moved = np.vstack([-(d.dC[j] @ B), np.zeros((len(self.names), len(self.names)))])
            dB = np.linalg.lstsq(kept, moved, rcond=1e-12)[0]
            pairs = ((d.dM[j], self.linear.M), (d.dD[j], self.linear.D), (d.dK[j], self.linear.K))
            found.append([B.T @ (dm @ B) + dB.T @ (m @ B) + B.T @ (m @ dB) for dm, m in pairs])
        dM, dD, dK = (np.array([x[i] for x in found]) for i in range(3))
        return MatrixDerivatives(names, dM, dD, dK, np.zeros((len(names), 0, len(self.names))))

    def __str__(self) -> str:
        locked = f", locked: {listing(self.linear.locked)}" if self.linear.locked else ""
        names = listing(f"{name} [{unit}]" for name, unit in zip(self.names, self.units))
        lines = [f"{self.linear.mechanism.name} about a pose at rest, in {names}{locked}"]
        for name in ("M", "D", "K"):
            text = np.array2string(getattr(self, name), precision=6, suppress_small=False, threshold=100)
            lines += [f"{name} [{', '.join(self._units_in(name))}] =", *(f"  {line}" for line in text.splitlines())]
        return "\n".join(lines)


@one_blas_thread()
def linearise(
    mechanism: Mechanism,
    pose: GivenPose = None,
    *,
    formulation: str | None = None,
    locked: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    independent: Sequence[str] | None = None,
) -> Linear:
    """M, D and K about a pose at rest, in independent coordinates: displacements chosen by pivoting, or those named.

    `mechanism`, `pose`, `formulation` and `forces` as for `modes`; M [kg, kg·m, kg·m²], D, K (k, k).

    `independent` names displacements of the formulation (`Linear.linear.names`) or coordinates of the model file. K
    keeps the stiffness of reactions and of forces that follow a body; `locked` as for `modes`.

    >>> import poinsot
    >>> linear = poinsot.linearise(poinsot.load("pendulum"))
    >>> linear.names, linear.M.round(4).tolist(), linear.K.round(4).tolist()
    (('hinge',), [[0.0825]], [[2.4525]])
    """
    linear = linear_model(mechanism, pose, formulation=formulation, locked=locked, forces=forces)
    Z = linear.free
    names = _pivoted(linear) if independent is None else list_of_names(independent, "independent coordinates")
    if len(names) != Z.shape[1]:
        raise PoinsotError(
            f"{mechanism.name} has {Z.shape[1]} free motions here and {len(names)} were named: {listing(names)}"
        )
    rows = np.array([_row(linear, name) for name in names]).reshape(len(names), len(linear.names))
    chosen = rows @ Z
    units = np.array([_size(linear, name) for name in names]).reshape(-1, 1)
    if len(names) and np.linalg.cond(chosen / units) > 1e10:
        raise PoinsotError(f"{listing(names)} are not independent of each other in this pose")
    B = Z @ np.linalg.inv(chosen) if len(names) else Z
    M, D, K = (np.asarray(B.T @ (m @ B)) for m in (linear.M, linear.D, linear.K))
    return Linear(linear, names, B, M, D, K, rows)


def _pivoted(linear: LinearModel) -> tuple[str, ...]:
    """Displacements that describe all others best."""
    from scipy.linalg import qr

    k = linear.free.shape[1]
    Z = np.linalg.qr(linear.free / linear.sizes[:, None])[0]
    if k == 0:
        return ()
    *_, pivots = qr(Z.T, pivoting=True, mode="r")
    return tuple(linear.names[i] for i in sorted(pivots[:k]))


def _size(linear: LinearModel, name: str) -> float:
    """What a displacement or a named coordinate is measured by: a length [m], or 1."""
    if name in linear.names:
        return float(linear.sizes[linear.names.index(name)])
    return float(np.max(linear.sizes)) if linear.mechanism.elements.coordinate(name).unit == "m" else 1.0


def _row(linear: LinearModel, name: str) -> np.ndarray:
    """A displacement or a named coordinate per displacement (n,)."""
    if name in linear.names:
        return np.eye(len(linear.names))[linear.names.index(name)]
    if name in linear.mechanism.elements.coordinates:
        return linear.row(name)
    raise PoinsotError(unknown("displacement", name, [*linear.mechanism.elements.coordinates, *linear.names]))
