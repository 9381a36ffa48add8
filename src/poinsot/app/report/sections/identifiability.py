"""The verdict on identifiability: what this data determines, poorly or not at all, and what it determines instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poinsot.app.report.blocks import Folded, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import (
    DETERMINED,
    NOTHING,
    POORLY,
    TONES,
    UNDETERMINED,
    badge,
    estimated_text,
    judged,
    number,
)
from poinsot.errors import counted
from poinsot.estimate.results.text import in_brackets
from poinsot.identifiability.determinable import POOR

SAID = {
    DETERMINED: "with a standard error of at most a tenth of the value",
    POORLY: "with a standard error above a tenth of the value",
    UNDETERMINED: "not by themselves: no number is given for them",
}
FEW = 20  # rows that are shown at once


def identifiability(result: SavedResult) -> ReportSection | None:
    """Unknowns by what the data says of them."""
    if result.designed:
        return _of_design(result)
    parameters = result.data["parameters"]
    by_word = {word: [p for p in parameters if judged(p) == word] for word in SAID}
    blocks: list[object] = [_headline(by_word, len(parameters))]
    blocks += [
        Words(
            f"{word.capitalize()} ({len(found)}), {SAID[word]}: {', '.join(p['name'] for p in found)}.", TONES[word]
        )
        for word, found in by_word.items()
        if found
    ]
    if lost := by_word[UNDETERMINED]:
        table = ReportTable(
            "Why unknowns are undetermined", ("unknown", "reason"), [[p["name"], p["remark"]] for p in lost], (0, 1)
        )
        blocks.append(table if len(lost) <= FEW else Folded(f"Why {len(lost)} unknowns are undetermined", [table]))
    known = {p["name"] for p in parameters if p["value"] is not None}
    if mixed := [c for c in result.data["combinations"] if c["text"] not in known]:
        grid = _combinations(mixed, result.data.get("bootstrap"))
        blocks.append(
            grid if len(mixed) <= FEW else Folded(f"{len(mixed)} combinations are determined instead", [grid])
        )
    return ReportSection("identifiability", "What the data determines", blocks)


def _combinations(mixed: list[Mapping[str, Any]], boot: Mapping[str, Any] | None) -> ReportTable:
    """What is determined in place of single unknowns, with intervals of a bootstrap if there is one."""
    heads = ["combination", "estimate", "unit", "model"]
    rows = [[c["text"], estimated_text(c), c["unit"], number(c["nominal"])] for c in mixed]
    if boot:
        ends = {n: (a, b) for n, a, b in zip(boot["names"], boot["lower"], boot["upper"])}
        heads.insert(2, f"{100 * boot['level']:g} % interval")
        for row in rows:
            row.insert(2, in_brackets(*ends[row[0]]) if row[0] in ends else NOTHING)
    return ReportTable("Combinations that are determined instead", heads, rows, (0, heads.index("unit")))


def _headline(by_word: dict[str, list], count: int) -> Words:
    good, poor, lost = (len(by_word[word]) for word in (DETERMINED, POORLY, UNDETERMINED))
    if good == count:
        return Words(f"The data determines {'all ' if count > 1 else ''}{counted(count, 'unknown')}.", Tone.LEAD)
    said = [f"{good} of {counted(count, 'unknown')} {'is' if good == 1 else 'are'} determined"]
    said += [f"{poor} poorly"] if poor else []
    said += [f"{lost} not by {'itself' if lost == 1 else 'themselves'}"] if lost else []
    return Words(", ".join(said) + ".", Tone.LEAD)


def _of_design(result: SavedResult) -> ReportSection:
    """Predicted standard errors of a design."""
    found = [p | {"value": None if p["deviation"] is None else p["nominal"]} for p in result.data["predictions"]]
    lost = [p["name"] for p in found if p["value"] is None]
    told = f"The experiment will tell {len(found) - len(lost)} of {counted(len(found), 'unknown')}."
    blocks: list[object] = [Words(told, Tone.LEAD)]
    rows = [[p["name"], badge(p), estimated_text(p), p["unit"], _relative(p)] for p in found]
    heads = ("unknown", "verdict", "model ± predicted standard error", "unit", "relative error")
    blocks.append(ReportTable("Predicted standard errors", heads, rows, words=(0, 1, 3)))
    blocks.append(Words(f"Poor: above {100 * POOR:g} % of the value.", Tone.NOTE))
    return ReportSection("identifiability", "What the experiment will determine", blocks)


def _relative(p) -> str:
    if p["value"] is None or not p["nominal"]:
        return NOTHING
    return f"{100 * abs(p['deviation'] / p['nominal']):.2g} %"
