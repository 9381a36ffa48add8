"""Findings about the recordings: what a user should know of the data."""

from __future__ import annotations

from poinsot.app.report.blocks import Badge, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult

TONES = {"error": Tone.BAD, "warning": Tone.DOUBT, "note": Tone.PLAIN}


def findings(result: SavedResult) -> ReportSection | None:
    """By run, the gravest first."""
    runs = result.origin.get("recordings") or {}
    if result.designed or not runs:
        return None
    rows = []
    for name, run in runs.items():
        for text in run.get("findings", ()):
            grade, _, said = str(text).partition(": ")
            grade, said = (grade, said) if grade in TONES else ("note", str(text))
            rows.append((list(TONES).index(grade), [name, Badge(grade, TONES[grade]), said]))
    if not rows:
        clean = [Words("Nothing was found that is wrong with the recordings.", Tone.GOOD)]
        return ReportSection("findings", "The recordings", clean)
    table = ReportTable(
        "Findings", ("run", "grade", "finding"), [row for _, row in sorted(rows, key=lambda x: x[0])], (0, 1, 2)
    )
    return ReportSection("findings", "The recordings", [table])
