"""Random mechanisms by seed: trees and loops, planar and spatial, of every joint, size and ratio of masses.

>>> from tests.generated.mechanisms import random_machine
>>> random_machine(3).toml == random_machine(3).toml
True
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import poinsot
from tests.generated import families
from tests.generated.closure import freedoms, independent, opening, turns, value
from tests.generated.machine import GROUND, Coordinate, Law, Load, Machine
from tests.generated.sketch import Sketch

CONDITION = 300.0  # of the constraints in natural scales: machines nearer to a singular pose are drawn anew
SPREADS = (0.0, 0.0, 1.0, 3.0, 6.0, 9.0)  # decades between the heaviest and the lightest body


def random_mechanism(seed: int, **wanted) -> poinsot.Mechanism:
    """The mechanism of a seed; its TOML is `random_machine(seed).toml`."""
    return random_machine(seed, **wanted).mechanism


def random_machine(
    seed: int,
    *,
    planar: bool | None = None,
    loops: int | None = None,
    overconstrained: bool | None = None,
    exact: bool | None = None,
    spread: float | None = None,
    size: float | None = None,
    bodies: int = 4,
    plain: bool = False,
    small: bool = False,
) -> Machine:
    """A machine of a seed; what is not wanted in particular is drawn.

    `loops` of general machines, 0 to 4; `exact`: frames turned by right angles; `spread`: decades of mass;
    `size` [m]; `bodies`: about as many; `plain`: no springs, dampers, loads or actuators;
    `small`: two or three bodies and at most two loops where the family allows it.
    """
    for attempt in range(200):
        rng = np.random.default_rng([seed, attempt])
        over = rng.random() < 0.4 if overconstrained is None else overconstrained
        s = Sketch(
            rng,
            size=float(10.0 ** rng.uniform(-4, 4)) if size is None else size,
            exact=bool(rng.random() < 0.4) if exact is None else exact,
            planar=bool(rng.random() < 0.25) if planar is None else planar,
            small=small,
        )
        decades = float(rng.choice(SPREADS)) if spread is None else spread
        most = 2 if small else 4
        _draw(s, over, int(rng.integers(0, most + 1)) if loops is None else loops, 3 if small else bodies)
        machine = _machine(s, f"seed{seed}", decades, plain)
        if machine is not None:
            return machine
    raise ValueError(f"seed {seed}: no machine of this kind is far enough from a singular pose")


def _draw(s: Sketch, over: bool, loops: int, bodies: int) -> None:
    """Bodies and joints."""
    if not over:
        count = int(s.rng.integers(max(1, (loops + 1) // 2), bodies + 1)) if loops < 2 else max(bodies, loops)
        families.general(s, max(count, 2 if loops else 1), loops)
        return
    chosen = families.parallelogram if s.planar else families.OVERCONSTRAINED[s.rng.integers(8)][0]
    root = GROUND
    if s.rng.random() < (0.1 if s.small else 0.3):  # on a body that moves
        root = families.tree(s, 1, [str(s.rng.choice(["revolute", "prismatic"]))])[0]
    names = chosen(s, root)
    if s.rng.random() < (0.1 if s.small else 0.4) and len(names) < 5:
        kind = "revolute" if s.planar else str(s.rng.choice(["revolute", "spherical", "universal", "prismatic"]))
        families.tree(s, 1, [kind], names[-1])


def _machine(s: Sketch, name: str, decades: float, plain: bool) -> Machine | None:
    """The finished machine; none where its pose is (nearly) singular or its freedoms cannot be named."""
    rng, moving = s.rng, [b for b in s.poses if b != GROUND]
    share = rng.uniform(0, 1, len(moving))
    share[rng.integers(len(moving))] = 0.0
    share[rng.integers(len(moving))] = 1.0
    heaviest = 10.0 ** rng.uniform(-2, 4)
    bodies = tuple(s.inertia(b, float(heaviest * 10.0 ** (-decades * x))) for b, x in zip(moving, share))
    down = (
        np.array([0, -1.0, 0]) if s.planar else (s.attitude()[:, 2] if rng.random() < 0.5 else np.array([0, 0, -1.0]))
    )
    machine = Machine(name, s.planar, s.size, 9.81 * down, bodies, tuple(s.joints))
    home = machine.home
    free = freedoms(machine, home)
    if free.mobility < 1 or free.condition > CONDITION or free.gap < 1e8 or opening(machine, home) > 1e-13:
        return None
    candidates = s.named()
    chosen = independent(machine, home, candidates, free)
    if len(chosen) < free.mobility:
        for b in moving:
            candidates |= s.of_body(b)
        chosen = independent(machine, home, candidates, free)
    if len(chosen) < free.mobility:
        return None
    if not plain:
        _act(s, machine)
    return Machine(
        name,
        s.planar,
        s.size,
        9.81 * down,
        bodies,
        tuple(s.joints),
        tuple(s.laws),
        tuple(s.loads),
        s.actuators,
        {c: candidates[c] for c in chosen},
    )


def _act(s: Sketch, machine: Machine) -> None:
    """Springs, dampers, friction, drive inertias, loads and actuators, of forces that suit the bodies they act on."""
    rng, masses = s.rng, {b.name: b.mass for b in machine.bodies}
    for name, c in s.named().items():
        joint = machine.by_name[c.joint]
        weight = 9.81 * min(masses[b] for b in (joint.a, joint.b) if b != GROUND)
        unit = s.size if turns(machine, c) else 1.0  # of a force along the coordinate, by weight
        reach = 1.0 if turns(machine, c) else s.size
        rate = np.sqrt(9.81 / s.size) * reach
        rest = value(machine, c, machine.home) + reach * float(rng.uniform(-0.4, 0.4))
        numbers = {
            "spring": {"stiffness": weight * unit / reach, "rest": rest},
            "damper": {"damping": weight * unit / rate},
            "friction": {"viscous": 0.2 * weight * unit / rate, "coulomb": 0.3 * weight * unit, "smooth": rate},
            "drive-inertia": {"inertia": weight / 9.81 * unit * s.size / reach},
        }
        for kind, given in numbers.items():
            if rng.random() < 0.15:
                s.laws.append(Law(f"{name}_{kind.replace('-', '_')}", kind, c, given))
        if rng.random() < 0.4:
            s.actuators[f"{name}_drive"] = c
    body = machine.bodies[rng.integers(len(machine.bodies))]
    weight = 9.81 * body.mass
    if rng.random() < 0.3:
        force, moment = weight * rng.uniform(-1, 1, 3), weight * s.size * rng.uniform(-1, 1, 3)
        if s.planar:
            force[2] = moment[0] = moment[1] = 0.0
        s.loads.append(Load("push", body.name, s.point(reach=0.4), force, moment, bool(rng.random() < 0.5)))
    if rng.random() < 0.3:
        c = Coordinate("length", places=((GROUND, s.point(reach=2.0)), (body.name, s.point(reach=0.3))))
        long = value(machine, c, machine.home)
        if long > 0.2 * s.size:
            s.laws.append(Law("line", "spring", c, {"stiffness": weight / s.size, "rest": 0.7 * long}))


def varied(machine: Machine, seed: int) -> Machine:
    """The same machine with other masses and another direction of gravity: the library need not compile anew."""
    rng = np.random.default_rng([seed, 3])
    bodies = tuple(replace(body, mass=float(body.mass * rng.uniform(0.7, 1.4))) for body in machine.bodies)
    down = rng.normal(size=3) * ([1, 1, 0] if machine.planar else [1, 1, 1])
    gravity = 9.81 * down / np.linalg.norm(down)
    numbers = {f"{body.name}.mass": body.mass for body in bodies}
    numbers |= {f"gravity.{axis}": float(g) for axis, g in zip("xy" if machine.planar else "xyz", gravity)}
    return replace(machine, bodies=bodies, gravity=gravity, made=machine.mechanism.with_parameters(numbers))
