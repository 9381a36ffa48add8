"""Reactions as the user wants to see them: on either body, in any axes, with the moment about any point.

    f' = ± R f,        m' = ± R (m + (p_M − p_O) × f)        (theory/dynamics, eq. 14)

Components that redundant constraints leave undetermined are NaN, and so is every component that they enter.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from poinsot.elements import GROUND
from poinsot.errors import PoinsotError, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.results import Result
from poinsot.spatial.algebra import skew

SEEN = 1e-9  # of a rotation matrix: components smaller than this do not carry an undetermined one over


class JointReactions(Result):
    """A result with joint reactions, and the poses at the same times."""

    mechanism: Mechanism
    reactions: dict[str, np.ndarray]  # by joint (…, 6)
    position: dict[str, np.ndarray]  # by body (…, 3)  [m]
    rotation: dict[str, np.ndarray]  # by body (…, 3, 3)

    def _unit(self, unit: str, key: str) -> str:
        return _coupled(self.mechanism)[key][2] if unit == "coupling" else super()._unit(unit, key)

    def reaction(self, joint: str, *, axes: str = "joint", about: str = "joint", on: str | None = None) -> np.ndarray:
        """Force and moment (…, 6) [N, N·m] that a joint exerts on one of its bodies.

        `on` is that body (default: the second one). `axes` are those of the "joint" (its frame on the second body),
        the "world" or a body; the moment is about the place of the "joint" (on the second body), the origin of the
        "world" or that of a body.

        >>> import poinsot
        >>> hanging = poinsot.accelerations(poinsot.load("pendulum"))
        >>> hanging.reaction("hinge", axes="world").round(6).tolist()
        [0.0, 9.81, 0.0, 0.0, 0.0, 0.0]
        """
        if joint not in self.reactions:
            raise PoinsotError(unknown("joint", joint, self.reactions))
        law = self.mechanism.joints[joint]
        first, second = law.a.body, law.b.body
        if on not in (None, first, second):
            raise PoinsotError(f"joint '{joint}' is between '{first}' and '{second}': it does not act on '{on}'")
        p_WB, R_WB = self._place(second)
        X_BM = law.frame_on_b()
        R_WM = R_WB @ np.asarray(X_BM.R, float)
        p_WM = p_WB + R_WB @ np.asarray(X_BM.p, float)
        R = R_WM if axes == "joint" else self._place(axes)[1]
        origin = p_WM if about == "joint" else self._place(about)[0]
        sign = -1.0 if on == first and first != second else 1.0
        return sign * _carried(self.reactions[joint], np.swapaxes(R, -1, -2) @ R_WM, R_WM, p_WM - origin)

    def _place(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        if name in self.position:
            return self.position[name], self.rotation[name]
        if name not in ("world", GROUND):
            raise PoinsotError(unknown("frame", name, ["joint", "world", GROUND, *self.position]))
        return np.zeros(3), np.eye(3)


def _carried(wrench: np.ndarray, R: np.ndarray, R_WM: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """A wrench (…, 6) at M in the axes of M, for axes with R = R_OM and a point from which M is seen along `arm`."""
    arm_M = np.einsum("...ji,...j->...i", R_WM, np.broadcast_to(arm, R_WM.shape[:-1]))
    T = np.zeros((*wrench.shape, 6))
    T[..., :3, :3] = T[..., 3:, 3:] = R
    T[..., 3:, :3] = R @ skew(arm_M)
    missing = np.isnan(wrench)
    found = np.einsum("...ij,...j->...i", T, np.where(missing, 0.0, wrench))
    enters = np.abs(T) > SEEN * (1.0 + np.abs(arm_M).max(initial=0.0))
    found[np.einsum("...ij,...j->...i", enters * 1.0, missing * 1.0) > 0] = np.nan
    return found


def by_joint(flat: np.ndarray, names: list[str], missing: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Reactions (…, 6) by joint from columns (…, 6 j), NaN where they are not determined."""
    found = {name: flat[..., 6 * k : 6 * k + 6].copy() for k, name in enumerate(names)}
    for name, parts in missing.items():
        found[name][..., parts] = np.nan
    return found


def by_coupling(flat: np.ndarray, mechanism: Mechanism, missing: Collection[str]) -> dict[str, np.ndarray]:
    """What couplings exert on each of their coordinates (…,), from columns (…, c); NaN where it is not determined.

    A coupling Σ w_k q_k = c with the force f along its sum pushes q_k by w_k f; "gear.out" is what the coupling
    "gear" exerts on the joint "out".
    """
    columns = dict(zip(mechanism.elements.couplings, np.moveaxis(flat, -1, 0)))
    forces = {name: np.nan * f if name in missing else f for name, f in columns.items()}
    return {key: weight * forces[name] for key, (name, weight, _) in _coupled(mechanism).items()}


def _coupled(mechanism: Mechanism) -> dict[str, tuple[str, float, str]]:
    """Coupling, weight and unit of the force, by the names of coordinates that are coupled."""
    elements, found = mechanism.elements, {}
    for name, coupling in elements.couplings.items():
        on = coupling.on
        for part, weight in zip(on.parts, on.factors):
            key = name if len(on.parts) == 1 else f"{name}.{elements.coordinates.name_of(part)}"
            found[key] = name, float(weight), "N" if part.unit == "m" else "N·m"
    return found
