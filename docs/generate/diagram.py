"""Flowcharts as SVG: layers by the longest path, places in a layer by the mean of those below.

An arrow over several layers has a narrow place of its own in each of them, so that it passes between the boxes.
"""

from __future__ import annotations

import re
from itertools import pairwise

WIDTH, HEIGHT, GAP_X, GAP_Y, NARROW = 112, 30, 14, 26, 12  # of a box, between boxes, of a passing arrow  [px]
STYLE = "fill:none;stroke:var(--md-default-fg-color--light,#666);stroke-width:1.2"
BOX = "fill:var(--md-code-bg-color,#f5f5f5);stroke:var(--md-primary-fg-color,#446);stroke-width:1.2"
TEXT = "fill:var(--md-default-fg-color,#222);font-size:13px;text-anchor:middle;dominant-baseline:central"
MARKER = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" style="fill:var(--md-default-fg-color--light,#666)"/></marker></defs>'
)


def arrows(flowchart: str) -> list[tuple[str, str]]:
    """Pairs (from, to) of lines such as "a --> b --> c".

    >>> arrows("flowchart BT\\n a --> b --> c")
    [('a', 'b'), ('b', 'c')]
    """
    chains = [re.split(r"\s*-->\s*", line.strip()) for line in flowchart.splitlines() if "-->" in line]
    return [pair for chain in chains for pair in pairwise(chain)]


def levels(pairs: list[tuple[str, str]]) -> dict[str, int]:
    """Layer of every name, from 0 at the bottom; what nothing leads to stands just below what it leads to.

    >>> levels([("a", "b"), ("b", "c"), ("d", "c")])
    {'a': 0, 'b': 1, 'c': 2, 'd': 1}
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in pairs:
            depth[b] = max(depth[b], depth[a] + 1)
    for name in names:
        if not any(b == name for _, b in pairs):
            depth[name] = min(depth[b] for a, b in pairs if a == name) - 1
    return depth


def routes(pairs: list[tuple[str, str]], depth: dict[str, int]) -> list[list[str]]:
    """Names along every arrow, with those of its places in the layers between, which are added to the depths."""
    found = []
    for a, b in pairs:
        passed = [f"{a}>{b}>{level}" for level in range(depth[a] + 1, depth[b])]
        depth |= {name: depth[a] + 1 + k for k, name in enumerate(passed)}
        found.append([a, *passed, b])
    return found


def placed(depth: dict[str, int], steps: list[tuple[str, str]]) -> dict[str, float]:
    """Horizontal place of every name: ordered by the mean of its neighbours, a few times up and down."""
    top = max(depth.values())
    rows = [[name for name in depth if depth[name] == level] for level in range(top + 1)]
    places: dict[str, float] = {}
    for turn in range(8):
        for row in rows if turn % 2 == 0 else rows[::-1]:
            near = {n: [places[m] for s in steps if n in s for m in s if m != n and m in places] for n in row}
            row.sort(key=lambda n: sum(near[n]) / len(near[n]) if near[n] else 0.0)
            widths = [NARROW if ">" in n else WIDTH for n in row]
            at = -(sum(widths) + GAP_X * (len(row) - 1)) / 2
            for name, width in zip(row, widths):
                places[name], at = at + width / 2, at + width + GAP_X
    return places


def svg(flowchart: str) -> str:
    """The drawing of a flowchart from bottom to top, in the colours of the page."""
    pairs = arrows(flowchart)
    depth = levels(pairs)
    boxes = list(depth)
    ways = routes(pairs, depth)
    places = placed(depth, [step for way in ways for step in pairwise(way)])
    top = max(depth.values())
    y = {name: (top - level) * (HEIGHT + GAP_Y) for name, level in depth.items()}
    parts = [_curve([(places[n], y[n]) for n in way]) for way in ways]
    for name in boxes:
        parts.append(
            f'<rect x="{places[name] - WIDTH / 2:g}" y="{y[name]:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
            f'style="{BOX}"/><text x="{places[name]:g}" y="{y[name] + HEIGHT / 2:g}" style="{TEXT}">{name}</text>'
        )
    left, right = min(places.values()) - WIDTH / 2 - 4, max(places.values()) + WIDTH / 2 + 4
    tall = (top + 1) * (HEIGHT + GAP_Y)
    names = ", ".join(f"{a} to {b}" for a, b in pairs)
    return (
        f'<svg viewBox="{left:g} -4 {right - left:g} {tall:g}" width="{right - left:g}" '
        f'style="max-width:100%;height:auto;display:block;margin:auto" role="img" aria-label="{names}">'
        f"{MARKER}{''.join(parts)}</svg>"
    )


def _curve(points: list[tuple[float, float]]) -> str:
    """A smooth line upwards through places; the middle ones are passed straight."""
    x, y = points[0]
    path = f"M{x:g} {y:g}"
    for k, (x2, y2) in enumerate(points[1:], 1):
        end = y2 + HEIGHT
        bend = (y - end) / 2
        path += f" C{x:g} {y - bend:g} {x2:g} {end + bend:g} {x2:g} {end:g}"
        x, y = x2, y2
        path += f" L{x:g} {y:g}" if k < len(points) - 1 else ""
    return f'<path d="{path}" style="{STYLE}" marker-end="url(#head)"/>'
