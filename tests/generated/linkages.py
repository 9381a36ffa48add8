"""Classical linkages that move although they have too many joints, and some whose motion bifurcates.

Every builder takes lengths in units of `size` and returns a machine whose input is the named coordinate q; those of
machines with three freedoms are q1, q2, q3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from tests.generated.machine import GROUND, Body, Coordinate, Machine
from tests.generated.sketch import Sketch, about, with_z

DOWN = np.array([0.0, 0.0, -9.81])
THIN = 0.02  # radius of a rod by its length


def drawing(size: float, planar: bool = False, seed: int = 0) -> Sketch:
    """A sketch to draw a linkage into; only inertias and the axes of the file are random."""
    return Sketch(np.random.default_rng(seed), size=size, planar=planar)


def finished(s: Sketch, name: str, inputs: Sequence[str], bodies=None, gravity: np.ndarray = DOWN) -> Machine:
    """The machine with its inputs named and actuated."""
    which = {joint.name: "displacement" if joint.kind == "prismatic" else "angle" for joint in s.joints}
    names = ["q"] if len(inputs) == 1 else [f"q{k + 1}" for k in range(len(inputs))]
    coordinates = {q: Coordinate("joint", joint, which[joint]) for q, joint in zip(names, inputs)}
    moving = bodies or [s.inertia(b, float(s.rng.uniform(0.5, 2.0))) for b in s.poses if b != GROUND]
    gravity = np.array([0.0, -9.81, 0.0]) if s.planar else gravity
    actuators = {f"{q}_motor": c for q, c in coordinates.items()}
    joints = tuple(s.joints)
    return Machine(name, s.planar, s.size, gravity, tuple(moving), joints, (), (), actuators, coordinates)


def rod(s: Sketch, name: str, ends: np.ndarray, mass: float) -> Body:
    """A slender rod between two points of the world."""
    R, p = s.poses[name]
    middle, along = (ends[0] + ends[1]) / 2, ends[1] - ends[0]
    length = np.linalg.norm(along)
    e = R.T @ along / length
    across, spin = mass * length**2 * (1 / 12 + THIN**2 / 4), mass * (THIN * length) ** 2 / 2
    J = across * (np.eye(3) - np.outer(e, e)) + spin * np.outer(e, e)
    return Body(name, mass, R.T @ (middle - p), J, R, p)


def loop(s: Sketch, points: np.ndarray, axes: np.ndarray, turns: Sequence[float] | None = None) -> list[str]:
    """Bodies hinged one to the next from the ground back to it; points and axes in the world."""
    n = len(points)
    names = [GROUND, *(s.body(f"link{i}", at=points[i - 1]) for i in range(1, n)), GROUND]
    for i in range(n):
        turn = 0.3 * i if turns is None else turns[i]
        s.join("revolute", names[i], names[i + 1], points[i], with_z(axes[i]), [turn], name=f"h{i}")
    return names[1:-1]


def bennett(size: float = 1.0, alpha: float = 35.0, beta: float = 80.0, start: float = 70.0) -> Machine:
    """Bennett's linkage, a sin β = b sin α [deg]: the input makes full turns."""
    s = drawing(size)
    al, be, first = np.radians([alpha, beta, start])
    a, b = size, size * np.sin(be) / np.sin(al)
    second = 2 * np.arctan(np.sin((be + al) / 2) / np.sin((be - al) / 2) / np.tan(first / 2))
    R, p, points, axes = np.eye(3), np.zeros(3), [], []
    for length, twist, turn in zip((a, b, a, b), (al, be, al, be), (first, second, -first, -second)):
        points.append(p)
        axes.append(R[:, 2])
        R = R @ about("z", turn)
        p = p + length * R[:, 0]
        R = R @ about("x", twist)
    loop(s, np.array(points), np.array(axes))
    return finished(s, "bennett", ["h0"])


def sarrus(size: float = 1.0, half: float = 0.4, height: float = 0.6, chains: int = 2) -> Machine:
    """A plate on chains of three parallel hinges each, in different directions: it moves straight up and down."""
    s = drawing(size)
    s.body("plate", at=[0.0, 0.0, size * height])
    for k in range(chains):
        R = about("z", 2.0 * k)
        foot, knee, head = (
            size * R @ np.array(x) for x in ([0.3, 0, 0], [0.3 + half, 0, height / 2], [0.3, 0, height])
        )
        low, up = s.body(f"low{k}", at=foot), s.body(f"up{k}", at=knee)
        axis = with_z(R[:, 1])
        s.join("revolute", GROUND, low, foot, axis, [0.5], name=f"A{k}")
        s.join("revolute", low, up, knee, axis, [-0.4], name=f"B{k}")
        s.join("revolute", up, "plate", head, axis, [0.2], name=f"C{k}")
    return finished(s, "sarrus", ["A0"])


def bricard_line(size: float = 1.0, seed: int = 5) -> Machine:
    """Line-symmetric 6R: three hinges anywhere, three more half a turn about a line away from them."""
    s = drawing(size, seed=seed)
    points = size * np.array([[0.6, 0.1, -0.5], [0.7, 0.6, 0.2], [0.1, 0.8, 0.5]])
    axes = np.array([[0.2, 0.9, 0.4], [-0.7, 0.3, 0.7], [0.5, -0.3, 0.8]])
    half_turn = np.diag([-1.0, -1.0, 1.0])  # about z
    loop(s, np.vstack([points, points @ half_turn]), np.vstack([axes, axes @ half_turn]))
    return finished(s, "line_symmetric_6R", ["h0"])


def bricard(size: float = 1.0, mass: float = 1.0) -> Machine:
    """The benchmark: five rods and the ground along edges of a cube, hinges along the edges between; gravity −y."""
    s = drawing(size)
    steps = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, 0, -1]], float)
    corners = size * np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    axes = np.array([np.cross(steps[i - 1], steps[i]) for i in range(6)])
    names = loop(s, corners[:6], axes)
    rods = [rod(s, name, corners[i : i + 2], mass) for i, name in enumerate(names)]
    return finished(s, "bricard", ["h0"], rods, np.array([0.0, -9.81, 0.0]))


def spherical_four_bar(size: float = 1.0, arcs: Sequence[float] = (30.0, 90.0, 70.0, 80.0)) -> Machine:
    """Four hinges that meet in a point, with arcs [deg] of input, coupler, output and ground: the input turns."""
    s = drawing(size)
    one, two, three, base = np.radians(arcs)
    z1, z4 = np.array([0, 0, 1.0]), np.array([np.sin(base), 0, np.cos(base)])
    z2 = about("z", 1.0) @ np.array([np.sin(one), 0, np.cos(one)])
    x, y = np.linalg.solve([[1, z2 @ z4], [z2 @ z4, 1]], [np.cos(two), np.cos(three)])
    plane = x * z2 + y * z4
    normal = np.cross(z2, z4)
    z3 = plane + normal * np.sqrt((1 - plane @ plane) / (normal @ normal))
    axes = np.array([z1, z2, z3, z4])
    loop(s, size * np.array([0.1, -0.2, 0.3]) + size * axes * np.array([[0.5], [0.6], [0.4], [0.5]]), axes)
    return finished(s, "spherical_four_bar", ["h0"])


def delta(size: float = 1.0, arm: float = 0.5, fore: float = 1.0, bar: float = 0.2) -> Machine:
    """Delta robot whose forearms are parallelograms of four hinges: the platform only translates."""
    s = drawing(size)
    base, top, lift = 0.4, 0.15, 0.4
    knee_x, knee_z = base + arm * np.cos(lift), arm * np.sin(lift)
    drop = np.sqrt(fore**2 - (knee_x - top) ** 2)
    s.body("platform", at=size * np.array([0, 0, knee_z - drop]))
    for k in range(3):
        R = about("z", 2 * np.pi / 3 * k)
        at = {"foot": [base, 0, 0], "knee": [knee_x, 0, knee_z], "head": [top, 0, knee_z - drop]}
        foot, knee, head = (size * R @ np.array(x) for x in at.values())
        tangent, along = R[:, 1], (head - knee) / np.linalg.norm(head - knee)
        hinge, pin = with_z(tangent), with_z(np.cross(tangent, along))
        names = [s.body(f"{part}{k}", at=x) for part, x in (("arm", foot), ("upper", knee), ("lower", head))]
        s.join("revolute", GROUND, names[0], foot, hinge, [0.3], name=f"A{k}")
        s.join("revolute", names[0], names[1], knee, hinge, [-0.2], name=f"B{k}")
        s.join("revolute", "platform", names[2], head, hinge, [0.1], name=f"C{k}")
        for side in (-1, 1):
            off = size * bar * side * tangent
            name = s.body(f"rod{k}{'ab'[side > 0]}", at=knee + off)
            s.join("revolute", names[1], name, knee + off, pin, [0.4], name=f"U{k}{'ab'[side > 0]}")
            s.join("revolute", name, names[2], head + off, pin, [-0.3], name=f"L{k}{'ab'[side > 0]}")
    return finished(s, "delta", ["A0", "A1", "A2"])


def agile_eye(size: float = 1.0) -> Machine:
    """Three legs of three hinges that all meet in one point, right angles between them: the platform turns."""
    s = drawing(size)
    s.body("platform", at=[0.0, 0.0, 0.0])
    E = np.eye(3)
    for k in range(3):
        u, v = E[k], E[(k + 1) % 3]
        w = np.cross(u, v)
        near, far = s.body(f"near{k}", at=size * 0.6 * u), s.body(f"far{k}", at=size * 0.5 * w)
        s.join("revolute", GROUND, near, size * 0.6 * u, with_z(u), [0.2], name=f"A{k}")
        s.join("revolute", near, far, size * 0.5 * w, with_z(w), [0.3], name=f"B{k}")
        s.join("revolute", far, "platform", size * 0.4 * v, with_z(v), [-0.1], name=f"C{k}")
    return finished(s, "agile_eye", ["A0", "A1", "A2"])


def three_crank(size: float = 1.0, planar: bool = False, crank: float = 0.3, start: float = 0.6) -> Machine:
    """Three parallel cranks, their feet not in line, carry one coupler over their dead centres: it never turns."""
    s = drawing(size, planar)
    R = np.eye(3) if planar else Rotation.from_rotvec([0.4, -0.7, 0.3]).as_matrix()
    feet = size * np.array([[0, 0, 0], [0.8, 0.1, 0], [0.4, 0.3, 0]]) @ R.T
    arm = size * crank * R @ about("z", start)[:, 0]
    s.body("coupler", at=feet[0] + arm)
    for k, foot in enumerate(feet):
        s.body(f"crank{k}", at=foot)
        s.join("revolute", GROUND, f"crank{k}", foot, R, [start], name=f"O{k}")
        s.join("revolute", f"crank{k}", "coupler", foot + arm, R, [-start], name=f"B{k}")
    return finished(s, "three_crank", ["O0"])


def locomotive(size: float = 1.0, planar: bool = False, axles: int = 2, start: float = 0.5) -> Machine:
    """Wheel sets coupled by a rod on either side, the cranks of the two sides a quarter of a turn apart."""
    s = drawing(size, planar)
    R = np.eye(3) if planar else Rotation.from_rotvec([0.2, 0.5, -0.4]).as_matrix()
    centres = size * np.array([[0.7 * k, 0, 0] for k in range(axles)]) @ R.T
    for k, centre in enumerate(centres):
        s.body(f"axle{k}", at=centre)
        s.join("revolute", GROUND, f"axle{k}", centre, R, [start], name=f"W{k}")
    for side in range(2):
        pin = (
            size * R @ (0.25 * about("z", start + side * np.pi / 2)[:, 0] + [0, 0, 0 if planar else 0.4 * side - 0.2])
        )
        s.body(f"rod{side}", at=centres[0] + pin)
        for k, centre in enumerate(centres):
            s.join("revolute", f"axle{k}", f"rod{side}", centre + pin, R, [0.3], name=f"P{k}{'lr'[side]}")
    return finished(s, "locomotive", ["W0"])


def cardan(size: float = 1.0, bends: Sequence[float] = (35.0,)) -> Machine:
    """Shafts in bearings, joined by crosses; every bend [deg] turns the line of shafts in another plane.

    Between two crosses a shaft is held by them alone: its centres lie on the axes of the outer shafts.
    """
    s = drawing(size)
    d, at, arm = np.array([1.0, 0, 0]), np.zeros(3), np.array([0, 0.8, 0.6])
    s.body("shaft0", at=at)
    s.join("revolute", GROUND, "shaft0", at, with_z(d), [0.2], name="in")
    for k, bend in enumerate(np.radians(bends)):
        at = at + size * d
        side = np.cross(d, [0.0, 0, 1] if k % 2 else [0, 1.0, 0])
        d_next = np.cos(bend) * d + np.sin(bend) * side / np.linalg.norm(side)
        x = arm - (arm @ d) * d  # arm of the cross on the shaft before: perpendicular to it
        x /= np.linalg.norm(x)
        y = np.cross(d_next, x)  # and on the shaft behind: perpendicular to that and to the first
        y /= np.linalg.norm(y)
        s.body(f"shaft{k + 1}", at=at)
        s.join("universal", f"shaft{k}", f"shaft{k + 1}", at, np.column_stack([x, y, np.cross(x, y)]), name=f"U{k}")
        d, arm = d_next, x
    at = at + size * d
    s.join("revolute", GROUND, f"shaft{len(bends)}", at, with_z(d), [-0.3], name="out")
    return finished(s, "cardan", ["in"])


def n_four_bar(
    n: int = 2,
    size: float = 1.0,
    mass: float = 1.0,
    spans: Sequence[float] | None = None,
    start: float = np.pi / 2,
    planar: bool = True,
) -> Machine:
    """n four-bars side by side, posts alike: a parallelogram that can fold otherwise wherever it lies flat.

    `spans` are the lengths of the beams by that of the posts; in space the plane of motion is turned.
    """
    s = drawing(size, planar)
    R = np.eye(3) if planar else Rotation.from_rotvec([0.5, -0.3, 0.8]).as_matrix()
    feet = size * np.outer(np.append(0.0, np.cumsum(spans or np.ones(n))), R[:, 0])
    heads = feet + size * R @ about("z", start)[:, 0]
    rods = []
    for k in range(n + 1):
        s.body(f"post{k}", at=feet[k])
        s.join("revolute", GROUND, f"post{k}", feet[k], R, [0.0], name=f"A{k}")
        rods.append(rod(s, f"post{k}", np.array([feet[k], heads[k]]), mass))
    for k in range(n):
        s.body(f"beam{k}", at=heads[k])
        s.join("revolute", f"post{k}", f"beam{k}", heads[k], R, [0.0], name=f"B{k}")
        s.join("revolute", f"beam{k}", f"post{k + 1}", heads[k + 1], R, [0.0], name=f"C{k}")
        rods.append(rod(s, f"beam{k}", heads[k : k + 2], mass))
    return finished(s, "n_four_bar", ["A0"], rods)


def straight(machine: Machine) -> Machine:
    """The same linkage as most people write it: no frame is turned, axes are given in the world, home is zero."""
    bodies, joints, home = [], [], machine.home
    for body in machine.bodies:
        R = body.R
        bodies.append(replace(body, R=np.eye(3), com=R @ body.com, J=R @ body.J @ R.T))
    for joint in machine.joints:
        (R_A, _), (R_B, _) = home[joint.a], home[joint.b]
        axes = np.eye(3) if machine.planar else R_A @ joint.R_A
        joints.append(replace(joint, R_A=axes, R_B=axes, turn=axes, p_A=R_A @ joint.p_A, p_B=R_B @ joint.p_B))
    return replace(machine, name=f"{machine.name}_straight", bodies=tuple(bodies), joints=tuple(joints))


TURNING = {  # the input makes full turns
    "bennett": bennett,
    "spherical four-bar": spherical_four_bar,
    "three-crank": three_crank,
    "three-crank in the plane": lambda: three_crank(planar=True),
    "locomotive": locomotive,
    "locomotive in the plane": lambda: locomotive(planar=True),
    "cardan": cardan,
    "double cardan": lambda: cardan(bends=(30.0, 40.0)),
    "n-four-bar": n_four_bar,
}
SWINGING = {
    "sarrus": sarrus,
    "line-symmetric 6R": bricard_line,
    "delta": delta,
    "agile eye": agile_eye,
    "bricard": bricard,
}
for _name, _make in list(TURNING.items()):
    TURNING[f"{_name}, straight"] = lambda make=_make: straight(make())
for _name, _make in list(SWINGING.items()):
    SWINGING[f"{_name}, straight"] = lambda make=_make: straight(make())
LINKAGES = TURNING | SWINGING
