"""Families of mechanisms: trees and loops in general position, and over-constrained ones that move all the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.generated.machine import GROUND
from tests.generated.sketch import FREEDOMS, IN_PLANE, Sketch, about, with_z

TREE = ("revolute", "prismatic", "cylindrical", "helical", "universal", "spherical", "planar", "point-on-line")
CHORDS = (*TREE, "distance", "fixed", "free")


def coordinates_of(s: Sketch, kind: str) -> np.ndarray:
    """Random coordinates of a joint, some of them zero."""
    q = np.array([s.angle() for _ in range(6)]) * (s.rng.random() < 0.7)
    lengths = {"prismatic": (0,), "cylindrical": (0,), "planar": (0, 1), "point-on-line": (0,), "free": (0, 1, 2)}
    for i in lengths.get(kind, ()):
        q[i] = s.point(reach=0.5)[0]
    if s.planar and kind == "free":
        q[2:5] = 0.0
    if s.planar and kind == "point-on-line":
        q[2:4] = 0.0
    if s.planar and kind == "spherical":
        q[:3] = 0.0, 0.0, q[2]
    return q


def joint_of(s: Sketch, kind: str, a: str, b: str, closing: bool = False) -> str:
    """A joint of a kind in general position between two bodies that are where they are."""
    at = s.point(s.poses[b][1], 0.5)
    if kind == "distance":
        q = np.concatenate([s.point(s.poses[a][1], 0.5), np.zeros(3)])
        return s.join(kind, b, a, at, q=q, closing=closing)
    lead = s.size * float(s.rng.choice([-0.3, 0.1, 0.25]))
    return s.join(kind, a, b, at, q=coordinates_of(s, kind), lead=lead, closing=closing)


def tree(s: Sketch, count: int, kinds: list[str], root: str = GROUND) -> list[str]:
    """Bodies on joints of given kinds, each on one that is already there."""
    there, found = [root], []
    for kind in map(str, kinds[:count]):
        parent = there[s.rng.integers(max(0, len(there) - 2), len(there))]
        name = s.body(at=s.point(s.poses[parent][1], 0.7))
        joint_of(s, kind, parent, name)
        there.append(name)
        found.append(name)
    return found


def general(s: Sketch, count: int, loops: int, root: str = GROUND) -> list[str]:
    """A tree with chords: mobility Σ f − 6 loops (3 in the plane) between 1 and 6, as the kinds are drawn."""
    table = IN_PLANE if s.planar else FREEDOMS
    tree_kinds = [k for k in TREE if k in table] if s.planar else list(TREE)
    chords = [k for k in CHORDS if k in table and k != "free"]
    for _ in range(200):
        kinds = list(s.rng.choice([*tree_kinds, "revolute", "revolute"], count))
        if s.rng.random() < 0.15:
            kinds[-1] = str(s.rng.choice(["free", "fixed"]))
        closing = list(s.rng.choice(chords, loops))
        freedom = sum(table[k] for k in kinds + closing) - (3 if s.planar else 6) * loops
        if 1 <= freedom <= (3 if loops else 8):
            break
    names = tree(s, count, kinds, root)
    for kind in closing:
        a, b = s.rng.choice([root, *names], 2, replace=False)
        joint_of(s, str(kind), str(a), str(b), closing=bool(s.rng.random() < 0.7))
    return names


def hinges(s: Sketch, points: np.ndarray, axes: np.ndarray, root: str, kinds: list[str] | None = None) -> list[str]:
    """A loop from body to body, with a joint at every point along a given axis; the last one closes it."""
    n = len(points)
    names = [root, *(s.body(at=s.point(points[i], 0.2)) for i in range(1, n)), root]
    for i in range(n):
        kind = kinds[i] if kinds else "revolute"
        R = with_z(axes[i], s.angle())
        q = np.zeros(6)
        q[0] = 0.3 * s.size if kind == "prismatic" else s.angle()
        s.join(kind, names[i], names[i + 1], points[i], R, q, lead=0.2 * s.size, closing=i == n - 1)
    return names[1:-1]


def door(s: Sketch, root: str = GROUND) -> list[str]:
    """A body on several hinges, slides or balls in line."""
    R, start = s.attitude(), s.point(s.poses[root][1], 0.5)
    name = s.body(at=s.point(start, 0.4))
    kinds = [["revolute"] * 2, ["revolute"] * 3, ["revolute", "cylindrical"], ["spherical"] * 2, ["prismatic"] * 2]
    kinds = [*kinds, ["cylindrical"] * 2, ["helical"] * 2, ["planar"] * 2][s.rng.integers(8)]
    turn = s.angle()
    slide = 0.25 * s.size
    for i, kind in enumerate(kinds):
        sideways = R[:, 0] * (kind in ("prismatic", "planar"))
        at = start + 0.5 * i * s.size * (sideways if np.any(sideways) else R[:, 2])
        q = {"prismatic": [slide], "cylindrical": [slide, turn], "spherical": [0, 0, turn], "planar": [0, 0, 0]}
        s.join(kind, root, name, at, R, [*q.get(kind, [turn]), 0, 0, 0], lead=0.2 * s.size, closing=i > 0)
    return [name]


def flat_bars(s: Sketch, root: str = GROUND) -> list[str]:
    """A planar four-, five- or six-bar in space: all hinges parallel, at different heights."""
    n = 4 if s.small else int(s.rng.integers(4, 7))
    R, origin = s.attitude(), s.point(s.poses[root][1], 0.5)
    corners = np.array([[0, 0], [0.3, 0.7], [1.1, 1.0], [1.5, 0.4], [1.3, -0.3], [0.6, -0.6]])[[0, 1, 2, 4, 3, 5][:n]]
    corners = corners[np.argsort(np.arctan2(*(corners - corners.mean(0)).T))]
    corners += 0.1 * s.rng.uniform(-1, 1, corners.shape) * (not s.exact)
    heights = s.rng.integers(-1, 2, n) * 0.25
    points = origin + s.size * np.column_stack([corners, heights]) @ R.T
    return hinges(s, points, np.tile(R[:, 2], (n, 1)), root)


def parallelogram(s: Sketch, root: str = GROUND) -> list[str]:
    """Two to four equal parallel cranks that carry one bar: over-constrained in the plane already for three."""
    n = int(s.rng.integers(2, 4 if s.planar else 3)) if s.small else int(s.rng.integers(2, 5))
    R, origin = (np.eye(3) if s.planar else s.attitude()), s.point(s.poses[root][1], 0.3)
    feet = np.column_stack([np.arange(n) * 0.5, 0.3 * np.arange(n) ** 2 % 0.4, np.zeros(n)])
    crank = about("z", float(s.rng.uniform(0.5, 1.2))) @ [0.4, 0.0, 0.0]
    bar = s.body(at=s.point(origin, 0.3))
    found = [bar]
    for i in range(n):
        foot, head = (origin + s.size * R @ x for x in (feet[i], feet[i] + crank))
        leg = s.body(at=foot)
        s.join("revolute", root, leg, foot, about("z", s.angle()) if s.planar else R)
        s.join("revolute", leg, bar, head, about("z", s.angle()) if s.planar else R, [s.angle()], closing=i > 0)
        found.append(leg)
    return found


def spherical_bars(s: Sketch, root: str = GROUND) -> list[str]:
    """Four or five hinges whose axes meet in one point."""
    n = 4 if s.small else int(s.rng.integers(4, 6))
    centre = s.point(s.poses[root][1], 0.5)
    R = s.attitude()
    around = np.cumsum(s.rng.uniform(0.8, 1.4, n))
    tilt = s.rng.uniform(0.5, 1.0, n)
    local = np.column_stack([np.cos(around) * np.sin(tilt), np.sin(around) * np.sin(tilt), np.cos(tilt)])
    axes = local @ R.T
    return hinges(s, centre + 0.5 * s.size * axes, axes, root)


def slides(s: Sketch, root: str = GROUND) -> list[str]:
    """Three or four slides in one plane in space: they only translate there."""
    n = 3 if s.small else int(s.rng.integers(3, 5))
    R, origin = s.attitude(), s.point(s.poses[root][1], 0.3)
    angles = np.arange(n) * 2.0 + s.rng.uniform(-0.3, 0.3, n)
    axes = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(n)]) @ R.T
    return hinges(s, np.array([s.point(origin, 0.5) for _ in range(n)]), axes, root, ["prismatic"] * n)


def parallel_axes(s: Sketch, root: str = GROUND) -> list[str]:
    """Five or six joints that leave one direction parallel (Schoenflies' motions): hinges along it, any slides."""
    n = 5 if s.small else int(s.rng.integers(5, 7))
    R, origin = s.attitude(), s.point(s.poses[root][1], 0.3)
    kinds = ["revolute", "prismatic", "revolute", "prismatic", "revolute", "revolute"][:n]
    any_axis = [with_z(s.rng.normal(size=3))[:, 2] for _ in range(n)]
    axes = np.array([R[:, 2] if kind == "revolute" else axis for kind, axis in zip(kinds, any_axis)])
    return hinges(s, np.array([s.point(origin, 0.6) for _ in range(n)]), axes, root, kinds)


def screws(s: Sketch, root: str = GROUND) -> list[str]:
    """A differential screw: two threads of different lead and a guide, all on one axis."""
    R, at = s.attitude(), s.point(s.poses[root][1], 0.5)
    screw, nut = s.body(at=s.point(at, 0.2)), s.body(at=s.point(at, 0.2))
    q = [s.angle(), 0, 0, 0, 0, 0]
    s.join("helical", root, screw, at, R, q, lead=0.2 * s.size)
    s.join("helical", screw, nut, at + 0.3 * s.size * R[:, 2], R, [0.4, 0, 0, 0, 0, 0], lead=-0.1 * s.size)
    s.join("prismatic", root, nut, at + 0.1 * s.size * R[:, 2], R, [0.2 * s.size, 0, 0, 0, 0, 0], closing=True)
    return [screw, nut]


def welded(s: Sketch, root: str = GROUND) -> list[str]:
    """A hinged body that carries another one welded to it twice."""
    first = s.body(at=s.point(s.poses[root][1], 0.5))
    joint_of(s, "revolute", root, first)
    second = s.body(at=s.point(s.poses[first][1], 0.5))
    joint_of(s, "fixed", first, second)
    joint_of(s, "fixed", first, second, closing=True)
    return [first, second]


Family = Callable[..., list[str]]
OVERCONSTRAINED: tuple[tuple[Family, int], ...] = (  # and how many loops they have at most
    (door, 2),
    (flat_bars, 1),
    (parallelogram, 3),
    (spherical_bars, 1),
    (slides, 1),
    (parallel_axes, 1),
    (screws, 1),
    (welded, 1),
)
