"""Linearisation: M, D, K in independent coordinates about a pose at rest.

x = B x_i,    M_i = Bᵀ M B,    D_i = Bᵀ D B,    K_i = Bᵀ K B,    C B = 0        (theory/vibration, eq. 4)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.analysis.eigenmodes import general_poles, reduced
from poinsot.analysis.small import Slopes, SmallMotion, dense, small_motion
from poinsot.blas import one_blas_thread
from poinsot.errors import PoinsotError, list_of_names, listing, unknown
from poinsot.model.mechanism import Mechanism

__all__ = ["Linear", "linearise"]


@dataclass(frozen=True, eq=False)
class Linear:
    """M ẍ + D ẋ + K x = 0 in k independent coordinates about a pose at rest; SI units."""

    small: SmallMotion
    names: tuple[str, ...]  # k, displacements or named coordinates
    basis: np.ndarray  # (n, k), all displacements per independent one
    M: np.ndarray  # (k, k)
    D: np.ndarray  # (k, k)
    K: np.ndarray  # (k, k)
    rows: np.ndarray  # (k, n), the independent coordinates per displacement

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
        return general_poles(*reduced(self.small))[0]

    def derivatives(self, parameters: Sequence[str] | None = None) -> Slopes:
        """dM, dD, dK (p, k, k) along parameters, by default all; the basis follows the constraints."""
        if not set(self.names) <= set(self.small.names):
            raise PoinsotError(
                f"derivatives need independent displacements of the formulation: {listing(self.small.names)}"
            )
        names = tuple(self.small.mechanism.parameters if parameters is None else parameters)
        slopes, B, C = self.small.slopes(names), self.basis, dense(self.small.C)
        found: list[list[np.ndarray]] = []
        kept = np.vstack([C, self.rows])
        for j in range(len(names)):
            moved = np.vstack([-(slopes.dC[j] @ B), np.zeros((len(self.names), len(self.names)))])
            dB = np.linalg.lstsq(kept, moved, rcond=1e-12)[0]
            pairs = ((slopes.dM[j], self.small.M), (slopes.dD[j], self.small.D), (slopes.dK[j], self.small.K))
            found.append([B.T @ (d @ B) + dB.T @ (m @ B) + B.T @ (m @ dB) for d, m in pairs])
        dM, dD, dK = (np.array([x[i] for x in found]) for i in range(3))
        return Slopes(names, dM, dD, dK, np.zeros((len(names), 0, len(self.names))))

    def __str__(self) -> str:
        locked = f", locked: {listing(self.small.locked)}" if self.small.locked else ""
        lines = [f"{self.small.mechanism.name} about a pose at rest, in {listing(self.names)}{locked}"]
        for name in ("M", "D", "K"):
            text = np.array2string(getattr(self, name), precision=6, suppress_small=False, threshold=100)
            lines += [f"{name} =", *(f"  {line}" for line in text.splitlines())]
        return "\n".join(lines)


@one_blas_thread()
def linearise(
    mechanism: Mechanism,
    pose: Mapping[str, float] | None = None,
    *,
    formulation: str | None = None,
    actuators: str | Sequence[str] | None = None,
    forces: Mapping[str, float] | None = None,
    independent: Sequence[str] | None = None,
) -> Linear:
    """M, D and K about a pose at rest, in independent coordinates: displacements chosen by pivoting, or those named.

    `independent` names displacements of the formulation (`Linear.small.names`) or coordinates of the model file. K
    keeps the stiffness of reactions and of forces that follow a body; what `actuators` mean is told at `modes`.

    >>> import poinsot
    >>> linear = poinsot.linearise(poinsot.load("pendulum"))
    >>> linear.names, linear.M.round(4).tolist(), linear.K.round(4).tolist()
    (('hinge',), [[0.0825]], [[2.4525]])
    """
    small = small_motion(mechanism, pose, formulation=formulation, actuators=actuators, forces=forces)
    Z = small.free
    names = _pivoted(small) if independent is None else list_of_names(independent, "independent coordinates")
    if len(names) != Z.shape[1]:
        raise PoinsotError(
            f"{mechanism.name} has {Z.shape[1]} free motions here and {len(names)} were named: {listing(names)}"
        )
    rows = np.array([_row(small, name) for name in names]).reshape(len(names), len(small.names))
    chosen = rows @ Z
    units = np.array([_size(small, name) for name in names]).reshape(-1, 1)
    if len(names) and np.linalg.cond(chosen / units) > 1e10:
        raise PoinsotError(f"{listing(names)} are not independent of each other in this pose")
    B = Z @ np.linalg.inv(chosen) if len(names) else Z
    return Linear(small, names, B, *(np.asarray(B.T @ (m @ B)) for m in (small.M, small.D, small.K)), rows)


def _pivoted(small: SmallMotion) -> tuple[str, ...]:
    """Displacements that describe all others best."""
    from scipy.linalg import qr

    k = small.free.shape[1]
    Z = np.linalg.qr(small.free / small.sizes[:, None])[0]
    pivots = qr(Z.T, pivoting=True, mode="r")[1][:k] if k else []
    return tuple(small.names[i] for i in sorted(pivots))


def _size(small: SmallMotion, name: str) -> float:
    """What a displacement or a named coordinate is measured by: a length [m], or 1."""
    if name in small.names:
        return float(small.sizes[small.names.index(name)])
    return float(np.max(small.sizes)) if small.mechanism.elements.coordinate(name).unit == "m" else 1.0


def _row(small: SmallMotion, name: str) -> np.ndarray:
    """A displacement or a named coordinate per displacement (n,)."""
    if name in small.names:
        return np.eye(len(small.names))[small.names.index(name)]
    if name in small.mechanism.elements.coordinates:
        return small.row(name)
    raise PoinsotError(unknown("displacement", name, [*small.mechanism.elements.coordinates, *small.names]))
