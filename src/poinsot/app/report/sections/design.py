"""What a design rests on: criteria, limits, and the data of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from poinsot.app.report.blocks import Badge, Column, Folded, ReportPlot, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult, numeric
from poinsot.app.report.sections.fits import DASHES
from poinsot.app.report.words import file_name, number
from poinsot.errors import counted
from poinsot.results.thinning import thinned

BINS = 300  # of a curve
LISTED = 60  # rows of a table
FEW = 15  # numbered things, which have a tick each
TITLES = {  # of figures, in their order
    "positions": "Positions of the motion",
    "rates": "Rates of the motion",
    "accelerations": "Accelerations of the motion",
    "motion": "The motion, for the controller",
    "forces": "Forces of the drives",
    "starts": "Criterion by start, the best first",
    "polished": "Criterion of the starts that were refined, the best first",
    "cloud": "Sets of poses that were tried",
    "correlations": "Correlations of the unknowns",
    "mode_shapes": "Mode shapes",
    "frequency_responses": "Frequency responses",
    "poses": "The poses",
    "candidates": "Poses that were candidates",
    "ranking": "Sensors by what they add",
}


def design(result: SavedResult) -> ReportSection | None:
    """Criteria, limits and figures."""
    if not result.designed:
        return None
    data = result.data
    blocks: list[object] = []
    if data.get("criteria"):
        rows = [[name, number(value, 5)] for name, value in data["criteria"].items()]
        blocks.append(ReportTable("Criteria (smaller is better)", ("criterion", "value"), rows, words=(0,)))
    if data.get("limits"):
        binding = set(data.get("binding", ()))
        rows = [
            [
                limit["name"],
                Badge("binds", Tone.DOUBT) if limit["name"] in binding else Badge("free", Tone.GOOD),
                *_rest(limit),
            ]
            for limit in data["limits"]
        ]
        heads = ("limit", "state", *_heads(data["limits"][0]))
        words = [k for k, head in enumerate(heads) if head in ("limit", "state", "unit")]
        blocks.append(ReportTable("Limits", heads, rows, words))
    shown = [block for name, columns in _in_order(result.figures).items() for block in _figures(name, columns)]
    return ReportSection("design", "The design", [*_found(data), *blocks, *shown]) if blocks or shown else None


def _found(data: Any) -> list[object]:
    """What was designed: a motion, poses, or sensors."""
    blocks: list[object] = []
    if "duration" in data and "rate" in data:
        channels = ", ".join(data.get("channels", ()))
        blocks.append(
            Words(f"{number(data['duration'])} s at {number(data['rate'])} Hz; channels: {channels}.", Tone.LEAD)
        )
    if data.get("chosen"):
        blocks.append(Words(f"Chosen: {', '.join(data['chosen'])}.", Tone.LEAD))
    poses = [one for one in data.get("poses", ()) if isinstance(one, dict) and "pose" in one]
    if poses:
        rows = [[one["name"], _listed(one["pose"]), _numbers(one.get("frequencies"))] for one in poses]
        blocks.append(
            ReportTable("Poses", ("pose", "coordinates [rad or m]", "frequencies [Hz]"), rows, words=(0, 1, 2))
        )
    ranking = [one for one in data.get("ranking", ()) if isinstance(one, dict) and "added" in one]
    if ranking:
        rows = [[one["name"], *(number(one[key], 4) for key in ("added", "alone", "lost"))] for one in ranking]
        heads = ("sensor", "adds to those before [bit]", "alone [bit]", "lost without it [bit]")
        blocks.append(ReportTable("Sensors by what they add", heads, rows, words=(0,)))
    return blocks


def _listed(pose: Any) -> str:
    return ", ".join(f"{name} = {number(x, 5)}" for name, x in pose.items())


def _numbers(values: Any) -> str:
    return ", ".join(number(x, 5) for x in values or ())


def _heads(limit: Any) -> list[str]:
    return [key for key in limit if key != "name"]


def _rest(limit: Any) -> list[str]:
    return [limit[key] if isinstance(limit[key], str) else number(limit[key], 5) for key in _heads(limit)]


def _in_order(figures: Mapping[str, Mapping[str, list[Any]]]) -> dict[str, Mapping[str, list[Any]]]:
    """Figures in the order of their titles; the table for the controller tells what positions and rates do."""
    doubled = {"motion"} if {"positions", "rates", "accelerations"} <= set(figures) else set()
    order = [name for name in TITLES if name in figures] + [name for name in figures if name not in TITLES]
    return {name: figures[name] for name in order if name not in doubled}


def _figures(name: str, columns: Mapping[str, list[Any]]) -> list[object]:
    """Curves over a first column that rises, a plot for each unit; other tables as they are."""
    heads, x = list(columns), next(iter(columns.values()))
    shown = [head for head in heads[1:] if numeric(columns[head])]
    if not x or not shown:
        return []
    if not numeric(x) or None in x or len(x) < 2 or any(b <= a for a, b in pairwise(x)):
        rows = [[_text(values[k]) for values in columns.values()] for k in range(min(len(x), LISTED))]
        words = [k for k, values in enumerate(columns.values()) if not numeric(values)]
        title = f"{titled(name)}, {name}.csv: {counted(len(x), 'row')}" + (
            f", the first {LISTED}" if len(x) > LISTED else ""
        )
        return [Folded(title, [ReportTable(titled(name), heads, rows, words=words)])]
    units = dict.fromkeys(unit_of(head) for head in shown)
    groups = {unit: [head for head in shown if unit_of(head) == unit] for unit in units}
    return [_curves(name, columns, own, unit, len(groups) > 1) for unit, own in groups.items()]


def titled(name: str) -> str:
    """What a figure shows, in words.

    >>> titled("mode_shapes"), titled("my_table")
    ('Mode shapes', 'My table')
    """
    return TITLES.get(name) or name.replace("_", " ").capitalize()


def unit_of(head: str) -> str:
    """The unit of a heading.

    >>> unit_of("phi1.rate [rad/s]")
    'rad/s'
    """
    return head[head.rfind("[") + 1 : -1] if head.endswith("]") and "[" in head else ""


def _text(x: Any) -> str:
    return x if isinstance(x, str) else number(x, 5)


def _curves(name: str, columns: Mapping[str, list[Any]], shown: list[str], unit: str, several: bool) -> ReportPlot:
    """Columns of one unit over the first one; extremes of every interval are kept. Numbered things have marks."""
    over = next(iter(columns))
    rows = thinned([np.array([np.nan if v is None else v for v in columns[head]]) for head in shown], BINS)
    kept = {head: [columns[head][k] for k in rows] for head in (over, *shown)}
    traces = [
        {
            **{"type": "scatter", "name": head, "x": Column(over), "y": Column(head)},
            "mode": "lines" if unit_of(over) else "lines+markers",
            "line": {"color": f"@{k % 7 + 1}", "dash": DASHES[(k // 7 + k) % len(DASHES)], "width": 1.6},
        }
        for k, head in enumerate(shown)
    ]
    y = shown[0] if len(shown) == 1 else f"[{unit}]" if unit else "[-]"
    whole = {} if unit_of(over) or len(rows) > FEW else {"dtick": 1}
    layout = {"xaxis": {"title": {"text": over}} | whole, "yaxis": {"title": {"text": y}}}
    alt = f"{', '.join(shown[:6])} over {over}."
    return ReportPlot(file_name(name, unit), titled(name) + f" [{unit}]" * several, alt, kept, traces, layout, 300)
