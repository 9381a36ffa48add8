"""Forward dynamics of the hexapod in joint coordinates: in batch and one by one, against Pinocchio and MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np

import poinsot
from poinsot.system.functions import observe

from .hexapods import Case, moving, with_balls
from .measure import Table, interleave

SAMPLES, CALLS = 4000, 200  # in a batch; in a loop of Python


def run() -> Table:
    """Measure the hexapod as it is, and with balls, which suits the peers better."""
    hexapod = poinsot.load("hexapod")
    cases = {"crosses": moving(hexapod, SAMPLES), "balls": moving(with_balls(hexapod), SAMPLES)}
    candidates = {}
    for label, case in cases.items():
        candidates |= _candidates(label, case)
    times = interleave(candidates, repeats=25)
    micro = {name: 1e6 * t.best / (SAMPLES if "batch" in name else CALLS) for name, t in times.items()}
    kinds = ("Poinsot, batch", "Poinsot, one by one", "Pinocchio, loop", "MuJoCo, loop")
    rows = [(kind, *(micro[f"{kind}, {label}"] for label in cases)) for kind in kinds]
    sizes = [case.forward.function.n_instructions() for case in cases.values()]
    best = {kind: min(micro[f"{kind}, {label}"] for label in cases) for kind in kinds}
    alike = micro["Pinocchio, loop, crosses"] / micro["Poinsot, batch, crosses"]
    strict = best["Pinocchio, loop"] / micro["Poinsot, batch, crosses"]
    balls = micro["Pinocchio, loop, balls"] / micro["Poinsot, batch, balls"]
    single = {peer: best[f"{peer}, loop"] / micro["Poinsot, one by one, crosses"] for peer in ("Pinocchio", "MuJoCo")}
    return Table(
        "forward dynamics of the hexapod, one thread, µs each",
        ("what", "a cross at each end", "balls at the platform"),
        (*rows, ("instructions of Poinsot's kernel", *sizes)),
        (
            (f"in batch at least 15 × Pinocchio's loop, both with crosses: {alike:.1f}", alike >= 15),
            (f"in batch at least 15 × Pinocchio's loop, both with balls: {balls:.1f}", balls >= 15),
            (f"the same, Poinsot with crosses, Pinocchio with balls: {strict:.1f}", strict >= 15),
            (f"one call at least 1 × Pinocchio, its best model: {single['Pinocchio']:.2f}", single["Pinocchio"] >= 1),
            (f"one call at least 1 × MuJoCo, its best model: {single['MuJoCo']:.2f}", single["MuJoCo"] >= 1),
        ),
        {**micro, "ratio, crosses": alike, "ratio, balls": balls, "ratio, crosses to balls": strict},
    )


def _candidates(label: str, case: Case) -> dict:
    """Functions to time, after a check that Pinocchio computes the same."""
    forward = case.forward
    peer, states = case.pinocchio(CALLS)
    peer.solve_once()
    _require_agreement(case, peer, states[0])
    ours = [(case.q[k].copy(), case.v[k].copy(), case.u[k].copy()) for k in range(CALLS)]
    world = case.mujoco(0)

    return {
        f"Poinsot, batch, {label}": lambda: forward(case.q, case.v, case.u, case.p, threads=1),
        f"Poinsot, one by one, {label}": lambda: [forward(q, v, u, case.p) for q, v, u in ours],
        f"Pinocchio, loop, {label}": lambda: [peer.acceleration(q, v, tau) for q, v, tau in states],
        f"MuJoCo, loop, {label}": lambda: [mujoco.mj_forward(world.model, world.data) for _ in range(CALLS)],
    }


def _require_agreement(case: Case, peer, state) -> None:
    """The platform accelerates alike."""
    q, v, tau = state
    theirs = peer.body_accelerations(q, v, peer.acceleration(q, v, tau))["platform"]
    vdot, lam, _ = case.forward(case.q[0], case.v[0], case.u[0], case.p)
    ours = observe(case.system, case.q[0], case.v[0], vdot, lam, case.u[0], case.p).rates["platform"]
    assert np.max(np.abs(ours - theirs)) < 1e-9 * np.max(np.abs(ours)), (ours, theirs)
