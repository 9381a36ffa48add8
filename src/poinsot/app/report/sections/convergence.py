"""Convergence of methods that iterate, and of many starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from poinsot.app.report.blocks import Column, Folded, Points, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.sections.fits import DASHES
from poinsot.app.report.words import NOTHING, number
from poinsot.errors import counted

MOST = 12  # unknowns that are drawn
COLOURS = 7  # of minima


def convergence(result: SavedResult) -> ReportSection | None:
    """Least cost and values, iteration by iteration."""
    way = result.data.get("convergence")
    if result.designed or not way or not way["cost"]:
        return None
    cost, names = np.array(way["cost"], float), [p["name"] for p in result.data["parameters"]]
    said = (
        f"{counted(len(cost), 'iteration')}, {counted(int(way['evaluations'][-1]), 'evaluation')} of the cost, from "
        f"{number(cost[0])} down to {number(cost[-1])} (sum of squared residuals over their standard deviations)."
    )
    blocks: list[object] = [Words(said, Tone.LEAD), _cost(way, cost)]
    values = np.array(way["values"], float)
    if values.shape == (len(cost), len(names)) and len(cost) > 1:
        blocks.append(_values(values, names))
    starts = [s for s in result.data["steps"] if "start" in s or "minim" in s]
    blocks += [Points(starts)] if starts else []
    return ReportSection("convergence", "Convergence", [*blocks, *_starts(result.data.get("starts"))])


def _starts(starts: Any) -> list[object]:
    """Costs at the ends of single starts, minimum by minimum; and a row of a table for each."""
    if not starts:
        return []
    order = sorted(range(len(starts["cost"])), key=lambda k: (starts["minimum"][k] or np.inf, k))
    minimum, cost = ([starts[name][k] for k in order] for name in ("minimum", "cost"))  # 0, None: nothing was found
    heads = [f"{name} [{unit}]" for name, unit in zip(starts["names"], starts["units"])]
    columns: dict[str, Any] = {"start": [k + 1 for k in range(len(order))], "minimum": minimum, "cost": cost}
    for kind, rows in (("from", starts["begin"]), ("to", starts["end"])):
        columns |= {f"{kind} {head}": [rows[k][j] for k in order] for j, head in enumerate(heads)}
    columns["evaluations"] = [starts["evaluations"][k] for k in order]
    columns["ended"] = [starts["ended"][k] or "converged" for k in order]
    words = f"{counted(len(order), 'start')}, {counted(max(minimum, default=0), 'minimum', 'minima')}"
    heads = ["start", "minimum", "cost", "evaluations", "ended"]
    rows = [[str(k), str(m or NOTHING), number(c), *rest] for k, m, c, *rest in zip(*(columns[h] for h in heads))]
    table = ReportTable("Single starts", heads, rows, (4,))
    return [*_ends(columns, words), Folded("Every start", [table])]


def _ends(columns: Mapping[str, Any], words: str) -> list[object]:
    """A plot of the costs at the ends, a colour for each of the least minima; nothing where no start ended."""
    groups = np.minimum(np.array(columns["minimum"], int), COLOURS)
    traces = []
    for m in np.unique(groups[groups > 0]).tolist():
        rows = np.flatnonzero(groups == m)
        cut = int(rows[0]), int(rows[-1]) + 1
        ends = {"x": Column("start", *cut), "y": Column("cost", *cut), "marker": {"size": 8, "color": f"@{m}"}}
        traces.append({"type": "scatter", "mode": "markers", "name": _named(m), **ends})
    if not traces:
        return []
    log = {"type": "log"} if all(c is None or c > 0 for c in columns["cost"]) else {}
    layout = {
        "xaxis": {"title": {"text": "start, by the minimum it ended in"}},
        "yaxis": {"title": {"text": "cost at its end"}} | log,
    }
    alt = f"Costs at the ends of {words}, the least first."
    return [ReportPlot("starts", f"Single starts: {words}", alt, columns, traces, layout, 280)]


def _named(m: int) -> str:
    return f"minimum {m}" if m < COLOURS else f"minimum {m} and worse"


def _cost(way: Any, cost: np.ndarray) -> ReportPlot:
    columns = {"iteration": np.arange(1, len(cost) + 1), "evaluations": way["evaluations"], "cost": cost}
    trace = {
        **{"type": "scatter", "mode": "lines+markers", "name": "least cost so far"},
        **{"x": Column("iteration"), "y": Column("cost"), "line": {"color": "@predicted"}, "marker": {"size": 5}},
    }
    layout = {
        "xaxis": {"title": {"text": "iteration"}},
        "yaxis": {"title": {"text": "cost"}} | ({"type": "log"} if np.all(cost > 0) else {}),
        "showlegend": False,
    }
    return ReportPlot("convergence", "Cost", "Least cost so far over the iterations.", columns, [trace], layout, 280)


def _values(values: np.ndarray, names: list[str]) -> ReportPlot:
    """Best values over their last ones."""
    moved = np.ptp(values, axis=0) / np.where(values[-1] != 0, np.abs(values[-1]), 1.0)
    shown = sorted(np.argsort(-moved)[:MOST].tolist())
    columns: dict[str, Any] = {"iteration": np.arange(1, len(values) + 1)}
    traces = []
    for n, k in enumerate(shown):
        if values[-1, k] == 0:
            continue
        columns[names[k]] = values[:, k] / values[-1, k]
        line = {"color": f"@{n % 7 + 1}", "dash": DASHES[n % len(DASHES)]}
        ys = {"x": Column("iteration"), "y": Column(names[k]), "line": line}
        traces.append({"type": "scatter", "mode": "lines", "name": names[k], **ys})
    layout = {"xaxis": {"title": {"text": "iteration"}}, "yaxis": {"title": {"text": "value over the last one"}}}
    alt = "Best values so far over the iterations, each over its last value."
    more = f"; the {MOST} that moved most" if len(names) > MOST else ""
    return ReportPlot("values", f"Values{more}", alt, columns, traces, layout, 300)
