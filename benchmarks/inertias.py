"""A million forward dynamics of the hexapod, each with inertias of its own, against Pinocchio's loop."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import poinsot

from .hexapods import moving, with_balls
from .measure import Table, interleave

TOTAL, CHUNK, CALLS = 1_000_000, 100_000, 200


def run() -> Table:
    """Scale every free parameter of every sample by a factor of its own."""
    rng = np.random.default_rng(0)
    case = moving(poinsot.load("hexapod"), 1000)
    forward, repeats = case.forward, CHUNK // 1000
    q, v, u = (np.tile(x, (repeats, 1)) for x in (case.q, case.v, case.u))
    p = case.p * rng.uniform(0.8, 1.2, (TOTAL, len(case.p)))
    balls = moving(with_balls(case.mechanism), CALLS)
    peer, states = balls.pinocchio(CALLS)
    peer.solve_once()
    nominal = [pin.Inertia(I) for I in peer.model.inertias]
    bodies = [i for i, I in enumerate(nominal) if I.mass > 0]
    given = [[pin.Inertia(I.mass * f, I.lever, I.inertia * f) for I in nominal] for f in rng.uniform(0.8, 1.2, CALLS)]

    def pinocchio_loop() -> None:
        for (a, b, tau), inertias in zip(states, given):
            for i in bodies:
                peer.model.inertias[i] = inertias[i]
            peer.acceleration(a, b, tau)

    def million(threads: int) -> None:
        for k in range(0, TOTAL, CHUNK):
            forward(q, v, u, p[k : k + CHUNK], threads=threads)

    times = interleave(
        {
            "Poinsot, 2 threads": lambda: million(2),
            "Poinsot, 1 thread": lambda: million(1),
            "Pinocchio, loop": pinocchio_loop,
        },
        repeats=4,
    )
    seconds = {n: TOTAL * t.best / (CALLS if "Pinocchio" in n else TOTAL) for n, t in times.items()}
    wall, ratio = seconds["Poinsot, 2 threads"], seconds["Pinocchio, loop"] / seconds["Poinsot, 2 threads"]
    return Table(
        f"10⁶ forward dynamics with different inertias; Pinocchio with balls, from a loop of {CALLS}",
        ("what", "s for 10⁶", "Pinocchio / this"),
        tuple((name, value, seconds["Pinocchio, loop"] / value) for name, value in seconds.items()),
        ((f"below 1 s on two threads: {wall:.2f} s, {ratio:.0f} × Pinocchio's loop", wall < 1.0),),
        {f"{name} [s]": value for name, value in seconds.items()},
    )
