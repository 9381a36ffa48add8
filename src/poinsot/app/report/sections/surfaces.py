"""Cost surfaces: valleys and several minima about the values, over pairs of unknowns."""

from __future__ import annotations

from typing import Any

import numpy as np

from poinsot.app.report.blocks import Column, Points, ReportPlot, ReportSection, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import file_name


def surfaces(result: SavedResult) -> ReportSection | None:
    """Costs over those pairs that are correlated most."""
    found, left_out = result.surfaces.get("surfaces", ()), result.surfaces.get("left_out", ())
    if not found and not left_out:
        return None
    said = (
        "Misfit, the sum of squared residuals over their variances, about the estimate over two unknowns, the others "
        "held: a long valley says that only a combination of the two is determined well. The cross is the estimate "
        "with its standard errors."
    )
    blocks: list[object] = [Words(said, Tone.NOTE)] if found else []
    blocks += [_surface(result, one) for one in found]
    blocks += [Words("Left out:", Tone.NOTE), Points(left_out)] if left_out else []
    return ReportSection("surfaces", "Cost surfaces", blocks)


def _surface(result: SavedResult, one: Any) -> ReportPlot:
    names, units = one["names"], one["units"]
    first, second = np.array(one["first"], float), np.array(one["second"], float)
    cost = np.array(one["cost"], float)
    least = float(np.nanmin(cost))
    heads = [f"{name} [{unit}]" for name, unit in zip(names, units)]
    columns: dict[str, Any] = {
        heads[0]: np.repeat(first, len(second)),
        heads[1]: np.tile(second, len(first)),
        "misfit": cost.ravel(),
        "misfit over the least": cost.ravel() / least if least > 0 else cost.ravel(),
    }
    shape = (len(first), len(second))
    traces: list[dict[str, Any]] = [
        {
            **{"type": "contour", "colorscale": "Cividis", "ncontours": 16, "name": "misfit over the least"},
            **{"x": Column(heads[0]), "y": Column(heads[1]), "z": Column("misfit over the least")},
            "colorbar": {"title": {"text": "misfit / least"}, "thickness": 12},
            "contours": {"coloring": "heatmap"},
            "line": {"width": 0.6},
            "hovertemplate": "%{x:.5g}, %{y:.5g}: %{z:.4g}<extra></extra>",
        }
    ]
    at = {p["name"]: p for p in result.data["parameters"]}
    if all(at.get(name, {}).get("value") is not None for name in names):
        point, bars = ([at[name][key] for name in names] for key in ("value", "deviation"))
        traces.append(
            {
                **{"type": "scatter", "mode": "markers", "name": "estimate", "x": [point[0]], "y": [point[1]]},
                "marker": {"symbol": "cross-thin-open", "size": 12, "color": "@on-map"},
                "error_x": {"type": "data", "array": [bars[0]], "color": "@on-map", "thickness": 1},
                "error_y": {"type": "data", "array": [bars[1]], "color": "@on-map", "thickness": 1},
            }
        )
    layout = {"xaxis": {"title": {"text": heads[0]}}, "yaxis": {"title": {"text": heads[1]}}, "showlegend": False}
    alt = f"Misfit over {names[0]} and {names[1]}, {shape[0]} × {shape[1]} points, with the estimate as a cross."
    return ReportPlot(file_name("surface", *names), f"{names[0]} and {names[1]}", alt, columns, traces, layout, 420)
