"""Provenance: files with hashes, versions, seed and command; how to reproduce the result."""

from __future__ import annotations

import hashlib
import shlex

from poinsot.app.report.blocks import Folded, Points, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import number

HELD = ("nominal.toml", "study.toml", "model.toml")


def provenance(result: SavedResult) -> ReportSection | None:
    """Where it comes from."""
    origin = result.origin
    blocks: list[object] = []
    runs = origin.get("recordings") or {}
    rows = [[name, file["name"], file["sha256"]] for name, run in runs.items() for file in run.get("files", ())]
    rows += [[name, "samples, given in memory", run["samples"]] for name, run in runs.items() if not run.get("files")]
    if rows:
        blocks.append(ReportTable("Recorded files", ("run", "file", "SHA-256"), rows, words=(0, 1, 2)))
    own = [name for name in (result.sign, *HELD) if (result.folder / name).is_file()]
    hashed = [[name, hashlib.sha256((result.folder / name).read_bytes()).hexdigest()] for name in own]
    blocks.append(ReportTable("Files of the result", ("file", "SHA-256"), hashed, words=(0, 1)))
    versions = [
        [name, text] for name, text in {**(origin.get("versions") or {}), "python": origin.get("python")}.items()
    ]
    blocks.append(ReportTable("Versions", ("program", "version"), [row for row in versions if row[1]], words=(0, 1)))
    seed = result.study.get("seed", result.data.get("seed"))
    if seed is not None and (result.designed or seed or result.study.get("bootstrap")):
        blocks.append(Words(f"Seed of what was drawn: {number(seed)}."))
    return ReportSection("provenance", "Provenance, and how to reproduce it", [*blocks, *_again(result)])


def _again(result: SavedResult) -> list[object]:
    """The command, and what it needs."""
    command, origin = result.origin.get("command") or [], result.origin
    blocks: list[object] = []
    versions = origin.get("versions") or {}
    steps = [f"Install poinsot {versions['poinsot']}."] if "poinsot" in versions else []
    if (result.folder / "study.toml").is_file():
        steps.append("Put study.toml of the result, the model and the recordings where the study looks for them.")
    steps += ["See that the recordings have the hashes above."] if origin.get("recordings") else []
    if command:
        blocks += [Points([*steps, "Give the command:"]), Words(shlex.join(map(str, command)), Tone.CODE)]
    else:
        blocks += [Points(steps)] if steps else []
    if (result.folder / "study.toml").is_file():
        text = (result.folder / "study.toml").read_text(encoding="utf-8", errors="replace")
        blocks.append(Folded("The study file", [Words(text, Tone.CODE)]))
    return blocks
