"""Singular poses: which kind, how near, and what moves there.

With the motions N that the constraints C leave, the rates of the actuated coordinates J_a N and of the output
coordinates J_x N, all at natural sizes (lengths measured by the machine, angles by the radian):

    C loses rank            the mechanism gains a freedom that the count does not show (constraint singularity)
    J_a N loses rank        it can move with its actuators locked (direct or parallel singularity)
    J_x N loses rank        its output cannot move in some direction (inverse or serial singularity)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poinsot.blas import one_blas_thread
from poinsot.elements.coordinates import Coordinate
from poinsot.errors import list_of_names
from poinsot.formulations.tree import speed_scales
from poinsot.model.assembly.constraints import Constraints, row_lengths
from poinsot.model.assembly.mobility import generic_assembly
from poinsot.model.mechanism import Mechanism
from poinsot.model.state import GivenPose
from poinsot.motion.equations import jacobians
from poinsot.motion.kinematics import Kinematics
from poinsot.results import BarPanel, Panel, Result
from poinsot.system.given_state import given_pose
from poinsot.system.initial_state import state
from poinsot.system.scaled_rank import rank_of
from poinsot.system.system import System, start, system

NEAR = 1e4  # condition number from which a pose is called singular
SINGULAR = 1e-14  # of the largest singular value, at which another is nothing but round-off


@dataclass(frozen=True)
class Singularity(Result):
    """How near a pose is to being singular: condition numbers, infinite at the singular pose itself."""

    constraints: float  # of C
    actuators: float | None  # of J_a N; None with fewer actuators than freedoms
    outputs: float | None  # of J_x N; None without output coordinates
    free: dict[str, float]  # rates of the named coordinates in the motion that is nearest to being free
    mechanism: Mechanism = field(repr=False)

    _extra = {"kinds": "kinds"}
    _columns = {
        **{name: (name, "-") for name in ("constraints", "actuators", "outputs")},
        "free": ("rate", "coordinate/s"),
    }

    def panels(self) -> tuple[Panel, ...]:
        """Condition numbers, and the motion that is nearest to being free."""
        told = {"constraints": self.constraints, "actuators": self.actuators, "outputs": self.outputs}
        known = {name: value for name, value in told.items() if value is not None}
        sizes = BarPanel(
            names=tuple(known),
            x="condition number [-]",
            series={"condition number": np.array([*known.values()])},
            levels={"singular from here": NEAR},
            log=True,
        )
        return (sizes, *self.traces(free="rates of the freest motion"))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of singularity at this pose; empty at an ordinary one."""
        found = {"constraint": self.constraints, "direct": self.actuators, "inverse": self.outputs}
        return tuple(kind for kind, condition in found.items() if condition is not None and not condition < NEAR)

    def __str__(self) -> str:
        found = {"constraints": self.constraints, "actuators": self.actuators, "outputs": self.outputs}
        shown = ", ".join(f"{name} {value:.3g}" for name, value in found.items() if value is not None)
        kind = " and ".join(self.kinds)
        return f"{kind + ' singularity' if kind else 'ordinary pose'}; condition numbers: {shown}"


@one_blas_thread()
def singularity(mechanism: Mechanism, pose: GivenPose = None, outputs: Sequence[str] | None = None) -> Singularity:
    """Look for singularities at a pose; outputs are named coordinates, by default those of the file's pose.

    `mechanism` in a `pose` of named coordinates [m or rad].

    >>> import poinsot
    >>> poinsot.singularity(poinsot.load("ex800")).kinds
    ()
    """
    begin = start(mechanism, given_pose(mechanism, pose) or None)
    compiled = system(mechanism, "joint", home=begin)
    p = compiled.parameters(mechanism, begin.poses)
    q, _ = state(compiled, begin, p, None)
    names = tuple(mechanism.elements.pose) if outputs is None else list_of_names(outputs, "output coordinates")
    rank = _rank(compiled, mechanism)
    return _at(mechanism, compiled, jacobians(compiled, names), names, rank, begin.size, q, p)


@one_blas_thread()
def drive_conditions(moving: Kinematics, every: int = 1) -> np.ndarray:
    """Condition numbers of J_a N at every so many samples of a motion; empty with fewer actuators than freedoms."""
    mechanism, path = moving.mechanism, moving.path
    compiled, size = path.system, start(mechanism, None).size
    found, rank = jacobians(compiled, ()), _rank(compiled, mechanism)
    poses = range(0, len(moving.t), every)
    at = (_at(mechanism, compiled, found, (), rank, size, path.q[k], path.constants(k)) for k in poses)
    return np.array([one.actuators for one in at if one.actuators is not None])


def _at(
    mechanism: Mechanism,
    compiled: System,
    function: Callable[..., Any],
    names: tuple[str, ...],
    rank: int,
    size: float,
    q: np.ndarray,
    p: np.ndarray,
) -> Singularity:
    """Condition numbers of the Jacobians at coordinates q, with outputs by their names."""
    e, elements = compiled.equations, compiled.elements
    speeds = speed_scales(e.graph.branches, size)
    C, J_a, J_x, J_all = (np.asarray(x).reshape(x.shape) * speeds for x in function(q, p))
    C = C / row_lengths(e.kinematics.rows, size)[:, None]
    J_a = J_a / _rate_scales([a.on for a in elements.actuators.values()], size)
    J_x = J_x / _rate_scales([elements.coordinates[name] for name in names], size)
    free = np.linalg.svd(C)[2][rank:].T if len(C) else np.eye(len(speeds))
    A = J_a @ free
    direction = np.linalg.svd(A)[2][-1] if len(A) >= free.shape[1] and A.size else np.zeros(free.shape[1])
    return Singularity(
        constraints=_condition(C, rank, 0.0),
        actuators=_condition(A, free.shape[1]) if len(A) >= free.shape[1] else None,
        outputs=_condition(J_x @ free, min(len(J_x), free.shape[1])) if len(J_x) else None,
        free=dict(zip(elements.coordinates, (J_all @ (free @ direction)).tolist())),
        mechanism=mechanism,
    )


def _rank(compiled: System, mechanism: Mechanism) -> int:
    """Rank of the constraints in an ordinary pose near the model's own: redundant equations do not count."""
    e = compiled.equations
    if not e.kinematics.rows:
        return 0
    home = generic_assembly(Constraints(mechanism.elements), start(mechanism, None))
    p = compiled.parameters(mechanism, home.poses)
    function = compiled.dynamics.function("C", [e.kinematics.C])
    C = np.asarray(function(compiled.coordinates(home, p), 0, 0, p)).reshape(e.kinematics.C.shape)
    return rank_of(C * speed_scales(e.graph.branches, home.size) / row_lengths(e.kinematics.rows, home.size)[:, None])


def _rate_scales(coordinates: Sequence[Coordinate], size: float) -> np.ndarray:
    return np.array([[size if c.unit == "m" else 1.0] for c in coordinates]).reshape(-1, 1)


def _condition(matrix: np.ndarray, rank: int, natural: float = 1.0) -> float:
    """Largest singular value, or the natural size if that is larger, over the smallest that should not vanish.

    Against its natural size a single output is singular too where it comes to rest.
    """
    if not matrix.size or rank == 0:
        return 1.0
    s = np.linalg.svd(matrix, compute_uv=False)
    largest = max(s[0], natural)
    return float(largest / s[rank - 1]) if len(s) >= rank and s[rank - 1] > SINGULAR * largest else float("inf")
