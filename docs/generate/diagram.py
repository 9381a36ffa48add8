"""Flowcharts as SVG: layers by the longest path, names in the order of their neighbours' mean."""

from __future__ import annotations

import re
from itertools import pairwise

WIDTH, HEIGHT, GAP_X, GAP_Y = 118, 34, 16, 34  # of a box and between boxes  [px]
STYLE = "fill:none;stroke:var(--md-default-fg-color--light,#666);stroke-width:1.2"
BOX = "fill:var(--md-code-bg-color,#f5f5f5);stroke:var(--md-primary-fg-color,#446);stroke-width:1.2"
TEXT = "fill:var(--md-default-fg-color,#222);font-size:13px;text-anchor:middle;dominant-baseline:central"


def arrows(flowchart: str) -> list[tuple[str, str]]:
    """Pairs (from, to) of lines such as "a --> b --> c".

    >>> arrows("flowchart BT\\n a --> b --> c")
    [('a', 'b'), ('b', 'c')]
    """
    chains = [re.split(r"\s*-->\s*", line.strip()) for line in flowchart.splitlines() if "-->" in line]
    return [pair for chain in chains for pair in pairwise(chain)]


def layers(pairs: list[tuple[str, str]]) -> list[list[str]]:
    """Names by the longest path that leads to them.

    >>> layers([("a", "b"), ("b", "c"), ("a", "c")])
    [['a'], ['b'], ['c']]
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in pairs:
            depth[b] = max(depth[b], depth[a] + 1)
    for name in names:  # sources stand just below what they lead to
        if not any(b == name for _, b in pairs):
            depth[name] = min(depth[b] for a, b in pairs if a == name) - 1
    rows = [[n for n in names if depth[n] == level] for level in range(max(depth.values()) + 1)]
    return [row for row in rows if row]


def svg(flowchart: str) -> str:
    """The drawing of a flowchart from bottom to top, in the colours of the page."""
    pairs = arrows(flowchart)
    rows = layers(pairs)
    places: dict[str, tuple[float, float]] = {}
    widest = max(map(len, rows))
    for level, row in enumerate(rows):
        mean = {n: [places[a][0] for a, b in pairs if b == n and a in places] for n in row}
        row = sorted(row, key=lambda n: sum(mean[n]) / len(mean[n]) if mean[n] else 0.0)
        left = (widest - len(row)) * (WIDTH + GAP_X) / 2
        for k, name in enumerate(row):
            places[name] = (left + k * (WIDTH + GAP_X) + WIDTH / 2, (len(rows) - 1 - level) * (HEIGHT + GAP_Y))
    parts = [_curve(places[a], places[b]) for a, b in pairs]
    for name, (x, y) in places.items():
        parts.append(
            f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" style="{BOX}"/>'
            f'<text x="{x:g}" y="{y + HEIGHT / 2:g}" style="{TEXT}">{name}</text>'
        )
    size = f"-4 -4 {widest * (WIDTH + GAP_X) + 8:g} {len(rows) * (HEIGHT + GAP_Y):g}"
    marker = (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" style="fill:var(--md-default-fg-color--light,#666)"/></marker></defs>'
    )
    names = ", ".join(f"{a} to {b}" for a, b in pairs)
    return (
        f'<svg viewBox="{size}" style="max-width:100%;height:auto" role="img" aria-label="{names}">'
        f"{marker}{''.join(parts)}</svg>"
    )


def _curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, (end[0], end[1] + HEIGHT)
    bend = max(20.0, (y1 - y2) / 2)
    path = f"M{x1:g} {y1:g} C{x1:g} {y1 - bend:g} {x2:g} {y2 + bend:g} {x2:g} {y2:g}"
    return f'<path d="{path}" style="{STYLE}" marker-end="url(#head)"/>'
