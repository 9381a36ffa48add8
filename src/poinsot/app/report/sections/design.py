"""What a design rests on: criteria, limits, and the data of its figures."""

from __future__ import annotations

from typing import Any

from poinsot.app.report.blocks import Badge, Column, Folded, ReportPlot, ReportSection, ReportTable, Tone
from poinsot.app.report.saved import SavedResult, numeric
from poinsot.app.report.sections.fits import DASHES
from poinsot.app.report.words import file_name, number

ROWS = 4000  # of a figure that are drawn


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
        blocks.append(ReportTable("Limits", heads, rows, words=(0, 1)))
    drawn = [_figure(name, columns) for name, columns in result.figures.items()]
    drawn = [one for one in drawn if one is not None]
    blocks += drawn[:6]
    blocks += [Folded(f"{len(drawn) - 6} more figures", drawn[6:])] if len(drawn) > 6 else []
    return ReportSection("design", "The design", blocks) if blocks else None


def _heads(limit: Any) -> list[str]:
    return [key for key in limit if key != "name"]


def _rest(limit: Any) -> list[str]:
    return [
        number(limit[key], 5) if isinstance(limit[key], int | float) else str(limit[key]) for key in _heads(limit)
    ]


def _figure(name: str, columns: dict[str, list[Any]]) -> ReportPlot | None:
    """All numbers of a table over its first column."""
    heads = list(columns)
    shown = [head for head in heads[1:] if numeric(columns[head])]
    count = len(columns[heads[0]])
    if not shown or not count:
        return None
    every = -(-count // ROWS)
    kept = {head: values[::every] for head, values in columns.items()}
    line = (
        numeric(columns[heads[0]]) and count > 1 and columns[heads[0]] == sorted(x or 0.0 for x in columns[heads[0]])
    )
    traces = [
        {
            **{"type": "scatter", "mode": "lines" if line else "markers", "name": head},
            **{"x": Column(heads[0]), "y": Column(head)},
            **{"line": {"color": f"@{k % 7 + 1}", "dash": DASHES[k // 7 % 6]}, "marker": {"color": f"@{k % 7 + 1}"}},
        }
        for k, head in enumerate(shown[:21])
    ]
    layout = {"xaxis": {"title": {"text": heads[0]}, "automargin": True}}
    alt = f"{', '.join(shown[:6])} over {heads[0]}."
    return ReportPlot(file_name(name), name.replace("_", " "), alt, kept, traces, layout, 320)
