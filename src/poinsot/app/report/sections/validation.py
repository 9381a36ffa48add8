"""Validation: how well runs are predicted that were not used."""

from __future__ import annotations

from typing import Any

from poinsot.app.report.blocks import Column, ReportPlot, ReportSection, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.sections.fits import of_runs


def validation(result: SavedResult) -> ReportSection | None:
    """The runs that were held out; that there are none is said in the verdict."""
    found = of_runs(result, "validation", "validation", "Validation on held-out runs", "@held-out")
    if found is None:
        return None
    said = Words("These runs were not used to identify the values that predict them here.", Tone.LEAD)
    return ReportSection(found.name, found.title, [said, _side_by_side(result), *found.blocks])


def _side_by_side(result: SavedResult) -> ReportPlot:
    """Residuals of the fit and of held-out runs, channel by channel."""
    fit = {c["channel"]: c["relative"] for c in result.data["fit"]["channels"]}
    told = [c for c in result.data["validation"]["channels"] if c["rms"] is not None]
    names, held_out = [c["channel"] for c in told], [c["relative"] for c in told]
    columns: dict[str, Any] = {
        "channel": names,
        "fit [%]": [_percent(fit.get(name)) for name in names],
        "held out [%]": [_percent(x) for x in held_out],
    }
    looks = (("fit", "@predicted", ""), ("held out", "@held-out", "/"))
    traces = [
        {
            **{"type": "bar", "name": kind, "x": Column("channel"), "y": Column(f"{kind} [%]")},
            "marker": {"color": colour, "pattern": {"shape": shape}},
        }
        for kind, colour, shape in looks
    ]
    layout = {
        "yaxis": {"title": {"text": "residual, % of deviation"}, "rangemode": "tozero"},
        "xaxis": {"automargin": True, "type": "category"},
        "barmode": "group",
        "bargap": 0.45,
    }
    alt = "Residual of every channel in percent of its deviation, in the fit and in held-out runs."
    return ReportPlot("residuals", "Residuals, fit and held out", alt, columns, traces, layout, 300)


def _percent(x: Any) -> float | None:
    return None if x is None else 100 * float(x)
