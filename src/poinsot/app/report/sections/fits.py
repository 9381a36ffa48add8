"""Fits: every channel as measured and as predicted, its residual, and whether that is white."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from poinsot.app.report.blocks import Column, Folded, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.signals import Signals, autocorrelation, strung
from poinsot.app.report.words import file_name, percent
from poinsot.estimate.residuals import robust_deviation
from poinsot.estimate.results.validation import OUTLIER
from poinsot.results.thinning import thinned

BINS, MOST_BINS = 400, 4800  # of one channel, of all
LAGS = 40
SHOWN = 6  # channels that are drawn at once
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
KEY = (
    "Of the deviation: 0 is perfect, 100 % is as good as a constant. Correlation: of residuals one sample apart, 0 "
    f"is white. Outliers: residuals beyond {OUTLIER:g} robust standard deviations."
)
GAPS = (
    "are left out, in one channel or all: the machine is at rest against dry friction, or a recorded value is "
    "missing or masked."
)
WHITE = 1.96  # standard errors of a correlation that is none


def fits(result: SavedResult) -> ReportSection | None:
    """The runs that were used."""
    return of_runs(result, "fit", "fits", "Fit and residuals", "@predicted")


def of_runs(result: SavedResult, key: str, name: str, title: str, colour: str) -> ReportSection | None:
    """A table and plots of the channels of some runs."""
    told, signals = result.data.get(key), getattr(result, key, None)
    if result.designed or not told:
        return None
    blocks: list[object] = [fit_table(told, f"Channels in {', '.join(told['runs'])}")]
    blocks += [Words(KEY, Tone.NOTE)] if key == "fit" else []
    if signals is None or not len(signals.t):
        blocks.append(Words("The folder has no signals: they are not drawn.", Tone.NOTE))
        return ReportSection(name, title, blocks)
    seen = [c for c in range(len(signals.channels)) if np.isfinite(signals.measured[:, c]).any()]
    gaps = int(np.isnan(signals.measured[:, seen]).any(axis=1).sum()) if signals.timed else 0
    blocks += [Words(f"Gaps in the curves: {gaps} of {len(signals.t)} samples {GAPS}", Tone.NOTE)] if gaps else []
    drawn = [channel_drawing(signals, c, key, colour) for c in seen]
    blocks += drawn[:SHOWN]
    blocks += [Folded(f"{len(drawn) - SHOWN} more channels", drawn[SHOWN:])] if len(drawn) > SHOWN else []
    white = _whiteness(signals, key)
    return ReportSection(name, title, [*blocks, *([white] if white else [])])


def fit_table(told: Any, caption: str) -> ReportTable:
    """How well channels are explained."""
    heads = ("channel", "residual (rms)", "unit", "of its deviation", "of its norm", "correlation", "outliers")
    rows = [
        [
            *(c["channel"], f"{c['rms']:.3g}", c["unit"]),
            *(percent(c["relative"]), percent(c["of_norm"])),
            "–" if c["correlation"] is None else f"{c['correlation']:+.2f}".replace("-", "−"),
            percent(c["outliers"]),
        ]
        for c in told["channels"]
        if c["rms"] is not None
    ]
    return ReportTable(caption, heads, rows, words=(0, 2))


def channel_drawing(signals: Signals, c: int, key: str, colour: str) -> ReportPlot:
    """One channel: measured and predicted above, the residual below; peaks survive, runs stand side by side."""
    name, unit = signals.channels[c]
    x, spans = strung(signals) if signals.timed else (signals.t, [])
    y, p, e = signals.measured[:, c], signals.predicted[:, c], signals.residual[:, c]
    bins = max(20, min(BINS, MOST_BINS // max(len(signals.channels) * len(signals.runs), 1)))
    parts = [signals.rows(k) for k in range(len(signals.runs))]
    parts = [rows[thinned([y[rows], p[rows], e[rows]], bins)] for rows in parts]
    rows = np.concatenate(parts)
    wide = robust_deviation(e[np.isfinite(e)]) if np.isfinite(e).any() else 0.0
    far = np.where(np.abs(e[rows]) > OUTLIER * wide, e[rows], np.nan) if wide > 0 else np.full(len(rows), np.nan)
    side, named = len(signals.runs) > 1, [signals.runs[k] for k in signals.at[rows]]
    columns: dict[str, Any] = {"run": named}
    columns |= {f"{signals.over} of the run": signals.t[rows]} if side else {}
    columns |= {
        signals.over: [f"{run}: {t:g}" for run, t in zip(named, signals.t[rows])]
        if side and not signals.timed
        else x[rows],
        f"measured [{unit}]": y[rows],
        f"predicted [{unit}]": p[rows],
        f"residual [{unit}]": e[rows],
    }
    columns |= {f"outliers [{unit}]": far} if np.isfinite(far).any() else {}
    ends = np.cumsum([0, *map(len, parts)])
    traces = [t for a, b in pairwise(ends.tolist()) for t in _traces(signals, unit, colour, a, b, a == 0)]
    if np.isfinite(far).any():
        cross = {"symbol": "x-thin-open", "size": 9, "color": "@1"}
        ys = {"x": Column(signals.over), "y": Column(f"outliers [{unit}]"), "yaxis": "y2"}
        traces.append({"type": "scatter", "mode": "markers", "name": "outliers", "marker": cross, **ys})
    few = len(rows) < len(x)
    return ReportPlot(
        file_name(key, name),
        f"{name} [{unit}]" + (f": {len(rows)} of {len(x)} samples, extremes of every interval kept" if few else ""),
        f"Channel {name} as measured and as predicted, and the residual below, over {signals.over}.",
        columns,
        traces,
        _layout(signals, unit, spans if side else []),
        350,
    )


def _traces(signals: Signals, unit: str, colour: str, a: int, b: int, first: bool) -> list[dict[str, Any]]:
    """Measured, predicted and residual of one run."""
    line = signals.timed
    own = {"type": "scatter", "x": Column(signals.over, a, b), "showlegend": bool(first)}

    def one(kind: str, tone: str, **more: Any) -> dict[str, Any]:
        width, dash = more.pop("width", 1.4), more.pop("dash", "solid")
        drawn = {
            "line": {"color": tone, "width": width, "dash": dash},
            "marker": {"color": tone, **more.pop("marker", {})},
        }
        return (
            own
            | drawn
            | {
                **{"name": kind, "legendgroup": kind, "y": Column(f"{kind} [{unit}]", a, b)},
                **{"mode": "lines" if line else "markers"},
                **more,
            }
        )

    return [
        one("measured", "@measured", width=3.5, marker={"size": 9, "symbol": "circle-open"}),
        one("predicted", colour, dash="dot", width=1.8, marker={"size": 8, "symbol": "x"}),
        one("residual", "@residual", yaxis="y2", width=1, marker={"size": 8, "symbol": "diamond"}),
    ]


def _layout(signals: Signals, unit: str, spans: list[tuple[str, float, float]]) -> dict[str, Any]:
    after = ", runs one after another" if spans else ""
    return {
        "xaxis": {"title": {"text": signals.over + after}, "anchor": "y2"}
        | ({} if signals.timed else {"type": "category"}),
        "yaxis": {"title": {"text": unit}, "domain": [0.36, 1.0]},
        "yaxis2": {"title": {"text": "residual"}, "domain": [0.0, 0.28], "zeroline": True},
        "annotations": [
            {
                **{"text": name, "x": begin, "y": 1.0, "xref": "x", "yref": "paper", "showarrow": False},
                **{"xanchor": "left", "yanchor": "bottom"},
            }
            for name, begin, _ in spans
        ],
        "shapes": [
            {
                **{"type": "line", "x0": begin, "x1": begin, "y0": 0, "y1": 1, "xref": "x", "yref": "paper"},
                "line": {"color": "@quiet", "width": 1, "dash": "dot"},
            }
            for _, begin, _ in spans[1:]
        ],
    }


def _whiteness(signals: Signals, key: str) -> ReportPlot | None:
    """Autocorrelation of all residuals, with the band of white noise."""
    rows = [signals.rows(k) for k in range(len(signals.runs))]
    lags = min(LAGS, min(map(len, rows)) // 4)
    good = [c for c in range(len(signals.channels)) if np.isfinite(signals.residual[:, c]).sum() > 4 * LAGS]
    if not signals.timed or lags < 5 or not good:
        return None
    columns: dict[str, Any] = {"lag [samples]": np.arange(lags + 1)}
    traces = []
    for n, c in enumerate(good):
        head = signals.channels[c][0]
        columns[head] = autocorrelation([signals.residual[r, c] for r in rows], lags)
        line = {"color": f"@{n % 7 + 1}", "dash": DASHES[n // 7 % len(DASHES)], "width": 1.5}
        ys = {"x": Column("lag [samples]"), "y": Column(head), "line": line}
        traces.append({"type": "scatter", "mode": "lines", "name": head, **ys})
    count = int(np.isfinite(signals.residual[:, good]).sum(axis=0).min())
    band = WHITE / np.sqrt(count)
    columns["upper end of white noise"], columns["lower end of white noise"] = (
        [s * band] * (lags + 1) for s in (1, -1)
    )
    for head in ("upper end of white noise", "lower end of white noise"):
        line = {"color": "@quiet", "dash": "dash", "width": 1}
        ys = {"x": Column("lag [samples]"), "y": Column(head), "line": line, "showlegend": False}
        traces.append({"type": "scatter", "mode": "lines", "name": "95 % of white noise", **ys})
    return ReportPlot(
        file_name(key, "whiteness"),
        "Whiteness of the residuals",
        "Autocorrelation of the residual of every channel over the lag in samples; white noise stays in the band.",
        columns,
        traces,
        {"xaxis": {"title": {"text": "lag [samples]"}}, "yaxis": {"title": {"text": "autocorrelation"}}},
        300,
    )
