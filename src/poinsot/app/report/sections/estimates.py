"""Estimates: values with error bars, priors, bounds and the model's values; no number where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poinsot.app.report.blocks import Column, Folded, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import NOTHING, badge, between, estimated_text, number
from poinsot.estimate.results.text import in_brackets, with_error

LEVEL, SIGMAS = 0.95, 1.96  # of intervals that standard errors give
ROUND_OFF = 1e-12  # relative to the model's value
FAR = 200.0  # beyond which the axis is cut  [%]
FEW = 40  # rows that are shown at once


def estimates(result: SavedResult) -> ReportSection | None:
    """A table and a plot of all unknowns."""
    if result.designed:
        return None
    parameters, boot = result.data["parameters"], result.data.get("bootstrap")
    intervals = _intervals(parameters, boot)
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
    if boot:
        heads.insert(3, f"{100 * boot['level']:g} % interval")
        for row, p in zip(rows, parameters):
            row.insert(3, in_brackets(*intervals[p["name"]]) if p["name"] in intervals else NOTHING)
    words = [k for k, head in enumerate(heads) if head in ("unknown", "verdict", "unit", "remark")]
    kept = [k for k, head in enumerate(heads) if any(str(row[k]) not in ("", NOTHING) for row in rows)]
    words = [new for new, old in enumerate(kept) if old in words]
    table = ReportTable("Unknowns", [heads[k] for k in kept], [[row[k] for k in kept] for row in rows], words)
    blocks: list[object] = [table if len(rows) <= FEW else Folded(f"All {len(rows)} unknowns in a table", [table])]
    drawn = _drawing(parameters, result.asked, intervals, boot["level"] if boot else LEVEL)
    blocks += [drawn] if drawn else []
    if any(p["value"] is None for p in parameters):
        blocks.append(Words("A dash stands where the data gives no number.", Tone.NOTE))
    if boot:
        blocks.append(Words(f"Intervals are percentiles of estimates from drawn noise ({boot['noise']}).", Tone.NOTE))
    return ReportSection("estimates", "Estimates", blocks)


def _intervals(parameters: list[Mapping[str, Any]], boot: Any) -> dict[str, tuple[float, float]]:
    """Lower and upper ends by unknown: those of the bootstrap where there is one, else 1.96 standard errors."""
    if boot:
        return {n: (a, b) for n, a, b in zip(boot["names"], boot["lower"], boot["upper"])}
    known = [p for p in parameters if p["value"] is not None and p["deviation"] is not None]
    return {p["name"]: (p["value"] - SIGMAS * p["deviation"], p["value"] + SIGMAS * p["deviation"]) for p in known}


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


def _drawing(
    parameters: list[Mapping[str, Any]],
    asked: Mapping[str, Mapping[str, Any]],
    intervals: Mapping[str, tuple[float, float]],
    level: float,
) -> ReportPlot | None:
    """Changes from the model with the intervals of the table, and priors with theirs."""
    shown = [p for p in parameters if p["value"] is not None and p["nominal"] and p["deviation"] is not None]
    if not shown:
        return None
    said = f"{100 * level:g} % interval"
    ends = [intervals.get(p["name"]) for p in shown]
    columns: dict[str, list[Any]] = {
        "unknown": [p["name"] for p in shown],
        "unit": [p["unit"] for p in shown],
        "estimate [SI]": [p["value"] for p in shown],
        "standard error [SI]": [p["deviation"] for p in shown],
        "model [SI]": [p["nominal"] for p in shown],
        "change [%]": [_share(p["value"], p) for p in shown],
        "lower [%]": [None if x is None else _share(x[0], p) for x, p in zip(ends, shown)],
        "upper [%]": [None if x is None else _share(x[1], p) for x, p in zip(ends, shown)],
        **_priors([asked.get(p["name"], {}) for p in shown], shown),
    }
    traces = [_marks(f"estimate with its {said}", "", columns, {"color": "@predicted", "size": 8})]
    if "prior [%]" in columns:
        marker = {"symbol": "diamond-open", "size": 11, "color": "@1"}
        traces.insert(0, _marks("prior with its 95 % interval", "prior ", columns, marker))
    drawn = [abs(x) for head, values in columns.items() if head.endswith("[%]") for x in values if x is not None]
    x_axis = {"title": {"text": "change from the model [%]"}, "zeroline": True}
    wide = max(drawn) > FAR
    return ReportPlot(
        "estimates",
        f"Estimates beside the model; bars: {said}" + (f"; the axis ends at ±{FAR:g} %" if wide else ""),
        f"Change of every determined unknown from the model's value in percent, with its {said}.",
        columns,
        traces,
        {
            "xaxis": x_axis | ({"range": [-FAR, FAR]} if wide else {}),
            "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"},
        },
        max(200, 90 + 26 * len(shown)),
    )


def _share(x: float, p: Mapping[str, Any]) -> float:
    """Change of a value from the model's in percent, round-off left out."""
    change = (x - p["nominal"]) / abs(p["nominal"])
    return 0.0 if abs(change) < ROUND_OFF else 100 * change


def _priors(asked: list[Mapping[str, Any]], shown: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns of priors with their deviations, and of the ends of their 95 % intervals; none without priors."""
    known = [(one.get("prior"), one.get("prior_deviation")) for one in asked]
    if all(prior is None for prior, _ in known):
        return {}
    columns: dict[str, list[Any]] = {
        "prior [SI]": [prior for prior, _ in known],
        "deviation of the prior [SI]": [None if prior is None else deviation for prior, deviation in known],
    }
    for head, side in (("prior [%]", 0.0), ("prior lower [%]", -SIGMAS), ("prior upper [%]", SIGMAS)):
        columns[head] = [
            None if x is None or (side and s is None) else _share(x + side * (s or 0.0), p)
            for (x, s), p in zip(known, shown)
        ]
    return columns


def _marks(name: str, of: str, columns: Mapping[str, list[Any]], marker: Mapping[str, Any]) -> dict[str, Any]:
    """Marks with bars from the lower to the upper end."""
    at = columns["change [%]" if not of else f"{of}[%]"]
    lower, upper = columns[f"{of}lower [%]"], columns[f"{of}upper [%]"]
    bars = {
        "type": "data",
        "symmetric": False,
        "array": [None if x is None or b is None else b - x for x, b in zip(at, upper)],
        "arrayminus": [None if x is None or a is None else x - a for x, a in zip(at, lower)],
        "color": marker["color"],
        **({"thickness": 1, "width": 7} if of else {}),
    }
    return {
        **{"type": "scatter", "mode": "markers", "name": name, "error_x": bars, "marker": dict(marker)},
        **{"x": Column("change [%]" if not of else f"{of}[%]"), "y": Column("unknown")},
        "hovertemplate": "%{y}: %{x:.3g} %<extra></extra>",
    }
