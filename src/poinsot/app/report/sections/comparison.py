"""Two results side by side: values, differences in joint standard errors, residuals, verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np

import poinsot
from poinsot.app.report.blocks import Badge, Column, Points, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.signals import Signals, strung
from poinsot.app.report.words import NOTHING, file_name
from poinsot.errors import PoinsotError, counted
from poinsot.estimate.results.comparison import Comparison
from poinsot.estimate.results.text import with_error
from poinsot.results.thinning import thinned

APART = 3.0  # joint standard errors, beyond which two values differ
BINS = 300


def comparison(first: SavedResult, second: SavedResult) -> list[ReportSection]:
    """Sections of a page that compares two results."""
    if first.designed or second.designed:
        raise PoinsotError("results of identifications are compared, not designs")
    found = poinsot.compare([first.folder, second.folder])
    parts = [_values(found), _verdicts(found), _residuals(found), _signals(found, first, second)]
    return [part for part in parts if part is not None]


def _values(found: Comparison) -> ReportSection:
    """Values side by side, and what their differences are worth."""
    a, b = found.results
    delta = found.difference[:, 1]
    rows = []
    for k, (name, unit) in enumerate(zip(found.names, found.units)):
        values = [with_error(v, s) if np.isfinite(v) else NOTHING for v, s in zip(found.value[k], found.deviation[k])]
        rows.append([name, unit, *values, f"{delta[k]:+.2f}" if np.isfinite(delta[k]) else NOTHING, _said(delta[k])])
    both = np.isfinite(delta)
    far = int(np.sum(np.abs(delta[both]) > APART))
    said = (
        f"{far} of {counted(int(both.sum()), 'value')} differ by more than {APART:g} joint standard errors."
        if far
        else f"No value differs by more than {APART:g} joint standard errors ({counted(int(both.sum()), 'value')})."
    )
    heads = ("unknown or combination", "unit", a, b, "difference", "verdict")
    blocks = [
        Words(said, Tone.DOUBT if far else Tone.GOOD),
        Words(f"Differences are {b} less {a}, in joint standard errors; {found.assumed[1]}.", Tone.NOTE),
        _differences(found),
        ReportTable("Values side by side", heads, rows, words=(0, 1, 5)),
    ]
    return ReportSection("values", "Values side by side", blocks)


def _said(delta: float) -> Badge:
    if not np.isfinite(delta):
        return Badge("in one only", Tone.PLAIN)
    return Badge("differs", Tone.DOUBT) if abs(delta) > APART else Badge("agrees", Tone.GOOD)


def _differences(found: Comparison) -> ReportPlot:
    good = [k for k in range(len(found.names)) if np.isfinite(found.difference[k, 1])]
    columns: dict[str, Any] = {
        "unknown or combination": [found.names[k] for k in good],
        "difference [joint standard errors]": found.difference[good, 1],
    }
    trace = {
        **{"type": "scatter", "mode": "markers", "name": "difference", "marker": {"color": "@predicted", "size": 9}},
        **{"x": Column("difference [joint standard errors]"), "y": Column("unknown or combination")},
    }
    layout = {
        "xaxis": {"title": {"text": "difference in joint standard errors"}, "zeroline": True},
        "yaxis": {"automargin": True, "autorange": "reversed", "type": "category"},
        "showlegend": False,
    }
    alt = "Difference of every value in joint standard errors."
    return ReportPlot("differences", "Differences", alt, columns, [trace], layout, max(200, 90 + 26 * len(good)))


def _verdicts(found: Comparison) -> ReportSection:
    rows = [[name, method, text] for name, method, text in zip(found.results, found.methods, found.verdicts)]
    return ReportSection(
        "verdicts", "Verdicts", [ReportTable("Verdicts", ("result", "method", "verdict"), rows, (0, 1, 2))]
    )


def _residuals(found: Comparison) -> ReportSection:
    """Shares of the channels' deviations."""
    columns: dict[str, Any] = {"channel": list(found.channels)}
    traces = []
    looks = (("@predicted", ""), ("@held-out", "/"), ("@predicted", "x"), ("@held-out", "."))
    kinds = [(what, k) for what in ("fit", "held out") for k in (0, 1)]
    for (what, k), (colour, shape) in zip(kinds, looks):
        shares = (found.residual if what == "fit" else found.held_out)[:, k]
        if not np.isfinite(shares).any():
            continue
        head = f"{found.results[k]}, {what} [%]"
        columns[head] = 100 * shares
        bar = {"color": colour, "pattern": {"shape": shape}, "opacity": 1.0 if what == "fit" else 0.6}
        xy = {"x": Column("channel"), "y": Column(head), "marker": bar}
        traces.append({"type": "bar", "name": f"{found.results[k]}, {what}", **xy})
    layout = {
        "yaxis": {"title": {"text": "residual, % of deviation"}},
        "xaxis": {"type": "category", "automargin": True},
    }
    alt = "Residual of every channel in percent of its deviation, for both results."
    heads = list(columns)
    rows = [
        [columns["channel"][k], *(_share(columns[head][k]) for head in heads[1:])] for k in range(len(found.channels))
    ]
    blocks = [
        ReportPlot("residuals", "Residuals of both", alt, columns, traces, layout, 320),
        ReportTable("Residuals, of a channel's deviation", heads, rows, words=(0,)),
    ]
    return ReportSection("residuals", "Residuals of both", blocks)


def _share(x: float) -> str:
    return f"{x:.3g}" if np.isfinite(x) else NOTHING


def _signals(found: Comparison, first: SavedResult, second: SavedResult) -> ReportSection | None:
    """Residual signals of channels that both have."""
    a, b = first.fit, second.fit
    if a is None or b is None or a.over != b.over:
        return None
    names = [name for name in a.channels if name in b.channels]
    drawn = [_overlaid(found.results, a, b, name, unit) for name, unit in names]
    return ReportSection("signals", "Residual signals of both", drawn) if drawn else None


def _overlaid(results: tuple[str, ...], a: Signals, b: Signals, name: str, unit: str) -> ReportPlot:
    """One channel's residual by both; each has its own times."""
    rows: dict[str, list[Any]] = {"result": [], a.over: [], f"residual [{unit}]": []}
    traces, start = [], 0
    for label, signals, colour, dash in zip(results, (a, b), ("@predicted", "@residual"), ("solid", "dot")):
        x, e = strung(signals)[0], signals.residual[:, signals.channels.index((name, unit))]
        kept = thinned([e], BINS)
        for head, values in zip(rows, ([label] * len(kept), x[kept].tolist(), e[kept].tolist())):
            rows[head] += values
        stop = start + len(kept)
        drawn = {"x": Column(a.over, start, stop), "y": Column(f"residual [{unit}]", start, stop)}
        mode = "lines" if signals.timed else "markers"
        line = {"color": colour, "dash": dash, "width": 1.3}
        marker = {"color": colour, "symbol": "circle-open" if start == 0 else "x", "size": 9}
        traces.append({"type": "scatter", "mode": mode, "name": label, "line": line, "marker": marker, **drawn})
        start = stop
    layout = {"xaxis": {"title": {"text": a.over}}, "yaxis": {"title": {"text": f"residual [{unit}]"}}}
    alt = f"Residual of {name} by both results."
    return ReportPlot(file_name("residual", name), f"{name} [{unit}]", alt, rows, traces, layout, 280)


def differing(first: SavedResult, second: SavedResult) -> Points:
    """What the two results are."""
    return Points([f"{one.folder.name}: '{one.model}' by {one.data['method']}" for one in (first, second)])
