"""An elimination order for KKT systems from the graph of a mechanism.

Bodies are eliminated by minimum degree on the graph of bodies (legs before the platform they carry). The
multipliers of a joint follow the last body that the joint touches: then every eliminated row of C lies
within eliminated columns, independent rows stay independent, and no pivot vanishes. With a sample of the
Jacobian, multipliers may go earlier, as soon as their rows are independent on the eliminated columns: less
fill, the same safety as long as the mechanism stays away from poses where that ceases to hold. A link waits as
long as its rows depend on those that went before it, on the columns eliminated so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.errors import PoinsotError


@dataclass(frozen=True)
class Block:
    """Unknown accelerations that belong together: a body, or a joint of a tree."""

    name: str
    columns: tuple[int, ...]  # numbers among the accelerations


@dataclass(frozen=True)
class Link:
    """Constraint rows between blocks; the ground is not a block."""

    name: str
    rows: tuple[int, ...]  # numbers among the constraints
    blocks: tuple[str, ...]  # names of the blocks it touches, one or more


def elimination_order(
    blocks: Sequence[Block],
    links: Sequence[Link],
    couplings: Sequence[tuple[str, str]] = (),
    jacobian: np.ndarray | None = None,
    tolerance: float = 1e-3,
) -> list[int]:
    """Order n accelerations (0 …) and m multipliers (n …) for an LDLᵀ without pivoting.

    `couplings` are pairs of blocks that the mass matrix couples. `jacobian` (m, n), a sample of C at an
    ordinary pose, lets multipliers go before their last body when their rows have a smallest singular
    value above `tolerance` (relative) on the eliminated columns.

    >>> blocks = [Block("leg", (2,)), Block("other leg", (1,)), Block("platform", (0,))]
    >>> links = [Link("hip", (0,), ("leg", "platform")), Link("knee", (1,), ("other leg", "platform"))]
    >>> elimination_order(blocks, links)
    [2, 1, 0, 3, 4]
    """
    names = {block.name: block for block in blocks}
    for link in links:
        for name in link.blocks:
            if name not in names:
                raise PoinsotError(f"link '{link.name}' touches '{name}', which is not a block")
    n = sum(len(block.columns) for block in blocks)
    order: list[int] = []
    gone: set[str] = set()
    waiting = list(links)
    for name in _minimum_degree(blocks, links, couplings):
        order += names[name].columns
        gone.add(name)
        # Links whose blocks are all gone first: an early link must not use up the columns that they need.
        for link in sorted(waiting, key=lambda link: not gone.issuperset(link.blocks)):
            if _ready(link, gone, order, n, jacobian, tolerance):
                order += [n + row for row in link.rows]
                waiting.remove(link)
    for link in waiting:
        order += [n + row for row in link.rows]
    return order


def _minimum_degree(
    blocks: Sequence[Block], links: Sequence[Link], couplings: Sequence[tuple[str, str]]
) -> list[str]:
    """Order blocks by the unknowns, then by the blocks, that each elimination couples; ties as given."""
    size = {block.name: len(block.columns) for block in blocks}
    neighbours: dict[str, set[str]] = {block.name: set() for block in blocks}
    for group in [*(link.blocks for link in links), *couplings]:
        for a in group:
            neighbours[a] |= set(group) - {a}
    order: list[str] = []
    while neighbours:
        name = min(neighbours, key=lambda a: (sum(size[b] for b in neighbours[a]), len(neighbours[a])))
        around = neighbours.pop(name)
        for a in around:
            neighbours[a] = (neighbours[a] | around) - {a, name}
        order.append(name)
    return order


def _ready(
    link: Link, gone: set[str], order: list[int], n: int, jacobian: np.ndarray | None, tolerance: float
) -> bool:
    """Tell whether a link's multipliers have safe pivots now; a link without rows has none to be unsafe."""
    if not link.rows:
        return True
    if jacobian is None:
        return gone.issuperset(link.blocks)
    if not gone.intersection(link.blocks):
        return False
    columns = [i for i in order if i < n]
    rows = [i - n for i in order if i >= n]
    part = jacobian[np.ix_([*rows, *link.rows], columns)]
    if part.shape[0] > part.shape[1]:
        return False
    scale = np.abs(jacobian[[*rows, *link.rows]]).max(axis=1, keepdims=True)
    sigma = np.linalg.svd(part / np.where(scale > 0, scale, 1.0), compute_uv=False)
    return bool(sigma[-1] > tolerance * max(sigma[0], 1.0))  # the largest entry of a whole row is 1
