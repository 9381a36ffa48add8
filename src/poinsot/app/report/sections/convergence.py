"""Convergence of methods that iterate, and of many starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.app.report.blocks import Column, Points, ReportPlot, ReportSection, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.sections.fits import DASHES
from poinsot.app.report.words import counted, number

MOST = 12  # unknowns that are drawn


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
    return ReportSection("convergence", "Convergence", [*blocks, *([Points(starts)] if starts else [])])


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
