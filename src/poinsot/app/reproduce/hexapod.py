"""Direct dynamics of a hexapod with full rotation matrices: counts, the static forces, the dynamic test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import poinsot
from poinsot.app.reproduce.rows import Paper, PublishedNumber
from poinsot.spatial.inertia import inertia_matrix, poinsot_matrix
from poinsot.system.system import system

PAPER = Paper("hexapod")
STATIC, PUSHED = "8.5105", 9.5  # [N]
ROUNDING = 2e-4  # [N] of the static force, by that of l₀ = 0.5320 m
RODS = {"lower": (0.7, 0.0071), "upper": (0.3, 0.0031)}  # printed masses [kg] and inertias [kg·m²]


def rows() -> Iterator[PublishedNumber]:
    """Counts of equations, static forces in both readings, what stays zero and what is equal in the dynamic test."""
    machine = poinsot.load("hexapod")
    sizes = system(machine, "rotation-matrix").equations.sizes
    orthogonal = 6 * len(machine.bodies)
    yield PAPER.row("solids", "13", len(machine.bodies))
    yield PAPER.row("differential equations", "156", sizes[0])
    yield PAPER.row("algebraic equations", "150", sizes[2])
    yield PAPER.row("orthogonality constraints", "78", orthogonal)
    yield PAPER.row("joint constraints", "72", sizes[2] - orthogonal)
    yield from _inertias(machine)
    yield from _static()
    yield from _moving(machine)


def _inertias(machine: poinsot.Mechanism) -> Iterator[PublishedNumber]:
    """Poinsot's matrices, which the printed equation of motion inverts."""
    why = "the source inverts K, which has no inverse; motion and constraints together are regular"
    for body, meant in (("leg1.lower", "1"), ("platform", "2")):
        K = poinsot_matrix(inertia_matrix(np.array(machine.bodies[body].inertia)))
        rank = int(np.linalg.matrix_rank(K))
        yield PAPER.row(f"eq. 6, rank of K of {body}", "3", rank, meant=meant, reason=why)


def _static() -> Iterator[PublishedNumber]:
    why = "l₀ is printed to 0.05 mm, which moves the force by as much"
    for k, force in enumerate(_held("hexapod"), 1):
        yield PAPER.row(f"static force F{k}", STATIC, force, "N", within=ROUNDING, reason=why)
    other = _held("hexapod_printed")[0]
    why = f"the rod of the printed mass and inertia is as long; parts of 0.40 m need {other:.4f} N"
    for part, (mass, inertia) in RODS.items():
        length = float(np.sqrt(12 * inertia / mass))  # k = m l²/12
        yield PAPER.row(f"length of the {part} part of a leg", "0.40", length, "m", meant="0.35", reason=why)


def _held(name: str) -> list[float]:
    machine = poinsot.load(name)
    still = poinsot.inverse_dynamics(machine, machine.elements.pose, [0.0])
    return [float(force[0]) for force in still.forces.values()]


def _moving(machine: poinsot.Mechanism) -> Iterator[PublishedNumber]:
    """F₁ = F₂ = 9.5 N, the others hold; 0.5 s."""
    forces = {f"leg{k}": PUSHED if k < 3 else float(STATIC) for k in range(1, 7)}
    run = poinsot.simulate(machine, 0.5, t=np.linspace(0, 0.5, 51), forces=forces, formulation="rotation-matrix")
    R, legs = run.rotation["platform"], run.coordinates
    angles = {  # eq. 18 is (R_x R_y R_z)ᵀ
        "theta1": np.arctan2(-R[:, 2, 1], R[:, 2, 2]),
        "theta2": np.arcsin(np.clip(R[:, 2, 0], -1, 1)),
        "theta3": np.arctan2(-R[:, 1, 0], R[:, 0, 0]),
    }
    turned = max(angles, key=lambda name: float(np.ptp(angles[name])))
    why = "of eq. 18 the first angle turns about x; the text and figure 3 call it the second"
    yield PAPER.row("the angle that varies", "theta2", turned, meant="theta1", reason=why)
    for name in ("theta2", "theta3"):
        yield PAPER.row(f"figure 3, range of {name}", "0", float(np.ptp(angles[name])), "rad", within=1e-9)
    yield PAPER.row("figure 2, range of T_x", "0", float(np.ptp(run.position["platform"][:, 0])), "m", within=1e-9)
    for a, b in ((1, 2), (5, 4), (6, 3)):
        apart = float(np.max(np.abs(legs[f"leg{a}.length"] - legs[f"leg{b}.length"])))
        yield PAPER.row(f"figure 4, l{a} − l{b}", "0", apart, "m", within=1e-9)
