"""Estimates: values with error bars, priors, bounds and the model's values; no number where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poinsot.app.report.blocks import Column, Folded, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import NOTHING, badge, between, estimated_text, number
from poinsot.estimate.results.text import in_brackets, with_error

SIGMAS = 1.96  # of a 95 % interval
FAR = 200.0  # beyond which the axis is cut  [%]
FEW = 40  # rows that are shown at once


def estimates(result: SavedResult) -> ReportSection | None:
    """A table and a plot of all unknowns."""
    if result.designed:
        return None
    parameters, boot = result.data["parameters"], result.data.get("bootstrap")
    intervals = {} if not boot else {n: (a, b) for n, a, b in zip(boot["names"], boot["lower"], boot["upper"])}
    heads = [
        "unknown",
        "verdict",
        "estimate ± standard error",
        "unit",
        "model",
        "change",
        "prior",
        "bounds",
        "remark",
    ]
    rows = [_row(p, result.asked.get(p["name"], {})) for p in parameters]
    if boot and intervals:
        heads.insert(3, f"{100 * boot['level']:g} % interval")
        for row, p in zip(rows, parameters):
            row.insert(3, in_brackets(*intervals[p["name"]]) if p["name"] in intervals else NOTHING)
    words = [k for k, head in enumerate(heads) if head in ("unknown", "verdict", "unit", "remark")]
    kept = [k for k, head in enumerate(heads) if any(str(row[k]) not in ("", NOTHING) for row in rows)]
    words = [new for new, old in enumerate(kept) if old in words]
    table = ReportTable("Unknowns", [heads[k] for k in kept], [[row[k] for k in kept] for row in rows], words)
    blocks: list[object] = [table if len(rows) <= FEW else Folded(f"All {len(rows)} unknowns in a table", [table])]
    drawn = _drawing(parameters, result.asked)
    blocks += [drawn] if drawn else []
    if any(p["value"] is None for p in parameters):
        blocks.append(Words("A dash stands where the data gives no number.", Tone.NOTE))
    if boot:
        blocks.append(Words(f"Intervals are percentiles of estimates from drawn noise ({boot['noise']}).", Tone.NOTE))
    return ReportSection("estimates", "Estimates", blocks)


def _row(p: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Any]:
    prior = asked.get("prior")
    known = NOTHING if prior is None else with_error(prior, asked.get("prior_deviation") or 0.0)
    remark = p["remark"] if p["value"] is not None else f"undetermined: {p['remark']}"
    return [
        *(p["name"], badge(p), estimated_text(p), p["unit"], number(p["nominal"]), _change(p)),
        *(known, between(asked.get("lower"), asked.get("upper")), remark),
    ]


def _change(p: Mapping[str, Any]) -> str:
    """From the model's value, in percent."""
    if p["value"] is None or not p["nominal"]:
        return NOTHING
    return f"{100 * (p['value'] - p['nominal']) / abs(p['nominal']):+.2f} %".replace("-", "−")


def _drawing(parameters: list[Mapping[str, Any]], asked: Mapping[str, Mapping[str, Any]]) -> ReportPlot | None:
    """Changes from the model with 95 % intervals."""
    shown = [p for p in parameters if p["value"] is not None and p["nominal"] and p["deviation"] is not None]
    if not shown:
        return None
    size = [abs(p["nominal"]) / 100 for p in shown]
    change = [(p["value"] - p["nominal"]) / s for p, s in zip(shown, size)]
    columns: dict[str, list[Any]] = {
        "unknown": [p["name"] for p in shown],
        "unit": [p["unit"] for p in shown],
        "estimate [SI]": [p["value"] for p in shown],
        "standard error [SI]": [p["deviation"] for p in shown],
        "model [SI]": [p["nominal"] for p in shown],
        "change [%]": change,
        "half of the 95 % interval [%]": [SIGMAS * p["deviation"] / s for p, s in zip(shown, size)],
    }
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "estimate with its 95 % interval",
            "x": Column("change [%]"),
            "y": Column("unknown"),
            "error_x": {"type": "data", "array": Column("half of the 95 % interval [%]"), "color": "@predicted"},
            "marker": {"color": "@predicted", "size": 8},
            "hovertemplate": "%{y}: %{x:.3g} %<extra></extra>",
        }
    ]
    priors = [asked.get(p["name"], {}).get("prior") for p in shown]
    if any(x is not None for x in priors):
        columns["prior [%]"] = [None if x is None else (x - p["nominal"]) / s for x, p, s in zip(priors, shown, size)]
        symbol = {"symbol": "diamond-open", "size": 11, "color": "@1"}
        traces.append(
            {
                **{"type": "scatter", "mode": "markers", "name": "prior", "marker": symbol},
                **{"x": Column("prior [%]"), "y": Column("unknown")},
            }
        )
    wide = max(abs(c) + h for c, h in zip(change, columns["half of the 95 % interval [%]"])) > FAR
    x_axis = {"title": {"text": "change from the model [%], bars: 95 % interval"}, "zeroline": True} | (
        {"range": [-FAR, FAR]} if wide else {}
    )
    return ReportPlot(
        "estimates",
        "Estimates beside the model" + (f"; the axis ends at ±{FAR:g} %" if wide else ""),
        "Change of every determined unknown from the model's value in percent, with its 95 % interval.",
        columns,
        traces,
        {"xaxis": x_axis, "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"}},
        max(200, 90 + 26 * len(shown)),
    )
