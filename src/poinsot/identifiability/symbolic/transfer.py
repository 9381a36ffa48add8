"""Inertia that may be moved from one body to another, joint by joint, without a change of any motion or drive force.

At a joint with algebra g, let t be ten inertial parameters about the joint's point, put on body B and taken from
body A. Kinetic and potential energy stay as they are, for every motion, when (theory/symbols, eq. 3 to 5)

    aᵀ I(t) s = 0,    sᵀ I(t) s' = 0,    aᵀ (ad_sᵀ I(t) + I(t) ad_s) a' = 0,    γ · (m v + w × h) = 0

for all s in g, all twists a that A can have, and all directions γ that gravity can have in the bodies' axes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.identifiability.linear import labels
from poinsot.identifiability.symbolic.elimination import Relation
from poinsot.identifiability.symbolic.exact import Exact
from poinsot.identifiability.symbolic.geometry import Geometry, Site
from poinsot.identifiability.symbolic.screws import bracket, closed, closed_directions, cross, seen_from

_SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def momenta(V: np.ndarray) -> np.ndarray:
    """(10, 6): momentum (m v + w × h, I w + h × v) of every unit parameter at a twist V."""
    v, w, zero = V[:3], V[3:], V[0] * 0
    units = np.eye(3, dtype=int)
    rows = [[*v, zero, zero, zero]]
    rows += [[*cross(w, e), *cross(e, v)] for e in units]
    for i, j in _SIX:
        rows.append([zero, zero, zero, *(units[i] * w[j] + units[j] * w[i] * (i != j))])
    return np.array(rows, dtype=object)


@dataclass(frozen=True, eq=False)
class Reach:
    """How a body can move: its twists and the directions of gravity, both in its own axes."""

    twists: np.ndarray  # (k, 6), a Lie algebra
    gravity: np.ndarray  # (g, 3)


def reaches(exact: Exact, geometry: Geometry) -> dict[str, Reach]:
    """Bounds on how every body can move: along each joint, the twists of the one body and of the joint close."""
    everything = exact.array(np.eye(6, dtype=int)[_twists(geometry)])
    directions = exact.array(np.eye(3, dtype=int)[: 2 if geometry.planar else 3])
    g = exact.array(np.array(geometry.gravity)[None]) if any(geometry.gravity) else directions[:0]
    found = {name: Reach(everything, directions if any(geometry.gravity) else g) for name in geometry.bodies}
    found[GROUND] = Reach(everything[:0], g)
    links = [link for site in geometry.sites for link in _links(exact, geometry, site)]
    changed = True
    while changed:
        changed = False
        for link in links:
            narrow = _narrowed(exact, link, found[link.a], found[link.b])
            if len(narrow.twists) < len(found[link.b].twists) or len(narrow.gravity) < len(found[link.b].gravity):
                found[link.b], changed = narrow, True
    return found


def _narrowed(exact: Exact, link: Site, of_a: Reach, of_b: Reach) -> Reach:
    """The reach of body B of a joint, given that of A."""
    here = closed(exact, np.concatenate([seen_from(link.R_a, link.p_a, of_a.twists), link.algebra]))
    twists = exact.span(seen_from(link.R_b.T, -(link.R_b.T @ link.p_b), here))
    gravity = closed_directions(exact, of_a.gravity @ link.R_a, link.algebra) @ link.R_b.T
    return Reach(exact.meet(of_b.twists, twists), exact.meet(of_b.gravity, exact.span(gravity)))


def _links(exact: Exact, geometry: Geometry, site: Site) -> list[Site]:
    """A joint read both ways, where it leads to a moving body, with elements of the field."""
    R_a, R_b, p_a, p_b, algebra = (exact.array(x) for x in (site.R_a, site.R_b, site.p_a, site.p_b, site.algebra))
    plane = exact.array(np.eye(6, dtype=int)[_twists(geometry)])
    if len(exact.span(plane, algebra)) > len(plane):
        algebra = exact.meet(plane, exact.span(algebra))
    links = [
        Site(site.joint, site.a, site.b, p_a, R_a, p_b, R_b, algebra, site.drives),
        Site(site.joint, site.b, site.a, p_b, R_b, p_a, R_a, algebra, site.drives),
    ]
    return [link for link in links if link.b != GROUND]


def _twists(geometry: Geometry) -> list[int]:
    return [0, 1, 5] if geometry.planar else list(range(6))


def transfers(
    exact: Exact, geometry: Geometry, progress: Callable[[str, float], None] | None = None
) -> list[Relation]:
    """All transfers at joints and to the ground: the amount by which each changes the parameters, by name."""
    reach = reaches(exact, geometry)
    rows: list[Relation] = []
    ways = [_links(exact, geometry, site) for site in geometry.sites]  # read from the body that can move less
    links = [min(both, key=lambda link: len(reach[link.a].twists)) for both in ways]
    for k, link in enumerate(links):
        if progress:
            progress(f"joint {link.joint}", k / len(links))
        for t in _at_joint(exact, geometry, link, reach):
            row = _amounts(geometry, link.b, carried(link.R_b, link.p_b, t[:10]))
            if link.a != GROUND:
                row |= _amounts(geometry, link.a, -carried(link.R_a, link.p_a, t[:10]))
            rows.append(row | {name: x for name, x in zip(link.drives.values(), t[10:]) if x})
    hung = {link.b for link in links if link.a == GROUND and len(link.algebra) == len(reach[link.b].twists)}
    for name in geometry.bodies:
        if name not in hung:  # the joint to the ground has given all
            rows += [_amounts(geometry, name, t) for t in _of_body(exact, geometry, reach[name])]
    return rows


def _of_body(exact: Exact, geometry: Geometry, own: Reach) -> np.ndarray:
    """Parameters (k, 10) of a body that its motion never shows: a transfer to the ground."""

    def question(twists: np.ndarray, gravity: np.ndarray) -> np.ndarray:
        return _solutions(exact, geometry, twists, twists[:0], gravity)

    return exact.generic(question, own.twists, own.gravity)


def _at_joint(exact: Exact, geometry: Geometry, link: Site, reach: Mapping[str, Reach]) -> np.ndarray:
    """All transfers (k, 10 + drives) at a joint, about its point and in its axes; numbers, where that is possible."""

    def question(g: np.ndarray, of_a: np.ndarray, of_b: np.ndarray, down_a: np.ndarray, down_b: np.ndarray):
        base = exact.meet(closed(exact, of_a, under=g), closed(exact, np.concatenate([of_b, g]), under=g))
        gravity = exact.meet(closed_directions(exact, down_a, g), closed_directions(exact, down_b, g))
        return _solutions(exact, geometry, g, base, gravity, link.drives)

    a, b = reach[link.a], reach[link.b]
    twists = seen_from(link.R_a, link.p_a, a.twists), seen_from(link.R_b, link.p_b, b.twists)
    return exact.generic(question, link.algebra, *twists, a.gravity @ link.R_a, b.gravity @ link.R_b)


def _solutions(
    exact: Exact,
    geometry: Geometry,
    g: np.ndarray,
    base: np.ndarray,
    gravity: np.ndarray,
    drives: Collection[int] = (),
) -> np.ndarray:
    """All t (k, 10 + drives) that satisfy the conditions of the module's docstring.

    A drive of inertia j along s adds j to sᵀ I s.
    """
    kept, rows = list(labels(geometry.planar).values()), []
    for k, s in enumerate(g):
        momentum = momenta(s)[kept]
        conditions = [momentum @ a for a in base]
        conditions += [momentum @ other for other in g[k + 1 :]]
        conditions += [momentum[:, :3] @ direction for direction in gravity]
        turned = [momenta(bracket(s, a))[kept] for a in base]
        for i, a in enumerate(base):
            conditions += [turned[j] @ a + turned[i] @ base[j] for j in range(i, len(base))]
        rows += [[*condition, *(0 for _ in drives)] for condition in conditions]
        rows.append([*(momentum @ s), *(int(k == drive) for drive in drives)])
    found = exact.null_space(np.array(rows, dtype=object).reshape(-1, len(kept) + len(drives)))
    full = np.full((len(found), 10 + len(drives)), exact.zero, dtype=object)
    full[:, [*kept, *range(10, 10 + len(drives))]] = found
    return full


def _amounts(geometry: Geometry, body: str, t: np.ndarray) -> Relation:
    return {f"{body}.{label}": t[k] for label, k in labels(geometry.planar).items() if t[k]}


def carried(R: np.ndarray, p: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Parameters (10,) of what is given about a point p in axes turned by R  (theory/symbols, eq. 1)."""
    m, h = t[0], R @ t[1:4]
    I = np.zeros((3, 3), dtype=object)
    for x, (i, j) in zip(t[4:], _SIX):
        I[i, j] = I[j, i] = x
    one = np.eye(3, dtype=int).astype(object)
    about_p = one * (2 * (h @ p)) - np.outer(h, p) - np.outer(p, h)
    moved = R @ I @ R.T + about_p + (one * (p @ p) - np.outer(p, p)) * m  # the field's elements come second
    return np.array([m, *(h + p * m), *(moved[i, j] for i, j in _SIX)], dtype=object)
