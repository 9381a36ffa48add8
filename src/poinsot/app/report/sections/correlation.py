"""Correlation of the estimates' errors: which unknowns could be exchanged for which."""

from __future__ import annotations

import numpy as np

from poinsot.app.report.blocks import Column, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import with_minus

HIGH = 0.9  # from which a pair is named
LISTED = 10
FEW = 12  # unknowns, up to which the map has its numbers in it


def correlation(result: SavedResult) -> ReportSection | None:
    """A heat map, and the pairs that are correlated most."""
    if result.designed or not result.data.get("covariance"):
        return None
    whole = np.array([[np.nan if x is None else x for x in row] for row in result.data["covariance"]], float)
    known = [k for k in range(len(whole)) if np.isfinite(whole[k, k]) and whole[k, k] > 0]
    if len(known) < 2:
        return None
    names = [result.data["parameters"][k]["name"] for k in known]
    spread = np.sqrt(np.diagonal(whole)[known])
    rho = np.clip(whole[np.ix_(known, known)] / np.outer(spread, spread), -1.0, 1.0)
    pairs = [(i, j) for i in range(len(names)) for j in range(i) if abs(rho[i, j]) >= HIGH]
    pairs.sort(key=lambda ij: -abs(rho[ij]))
    said = (
        f"{len(pairs)} of {len(names) * (len(names) - 1) // 2} pairs are correlated by {HIGH:g} or more: the data "
        "tells their members hardly apart."
        if pairs
        else f"No two unknowns are correlated by {HIGH:g} or more."
    )
    blocks: list[object] = [Words(said, Tone.LEAD), _map(names, rho)]
    if pairs:
        rows = [[names[j], names[i], f"{rho[i, j]:+.3f}"] for i, j in pairs[:LISTED]]
        blocks.append(
            ReportTable("Pairs that are correlated most", ("unknown", "with", "correlation"), rows, words=(0, 1))
        )
    return ReportSection("correlation", "Correlation of the unknowns", blocks)


def _map(names: list[str], rho: np.ndarray) -> ReportPlot:
    columns = {
        "unknown": np.repeat(names, len(names)).tolist(),
        "with": names * len(names),
        "correlation": rho.ravel(),
    }
    few = len(names) <= FEW
    trace = {
        **{"type": "heatmap", "x": Column("with"), "y": Column("unknown"), "z": Column("correlation")},
        **{"zmin": -1, "zmax": 1, "colorscale": "@diverging", "xgap": 1, "ygap": 1},
        "colorbar": {"thickness": 12},
        "hovertemplate": "%{y}, %{x}: %{z:.3f}<extra></extra>",
        **({"text": [with_minus(f"{round(x, 2) + 0.0:.2f}") for x in rho.ravel()]} if few else {}),
        **({"texttemplate": "%{text}"} if few else {}),
    }
    axis = {"type": "category", "automargin": True, "showgrid": False} | (
        {} if len(names) <= 40 else {"showticklabels": False}
    )
    layout = {"xaxis": axis, "yaxis": axis | {"autorange": "reversed"}}
    alt = "Correlation of every pair of determined unknowns, from −1 to 1."
    return ReportPlot("correlation", "Correlation", alt, columns, [trace], layout, min(760, 220 + 26 * len(names)))
