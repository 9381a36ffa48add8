"""Provenance: files with hashes, versions, seed and command; how to reproduce the result."""

from __future__ import annotations

import hashlib
import shlex
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from poinsot.app.report.blocks import Folded, Points, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import number
from poinsot.errors import PoinsotError
from poinsot.model.load import library_names
from poinsot.model.toml import parsed_toml

HELD = ("nominal.toml", "study.toml", "design.toml", "model.toml")


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
    """Steps in an empty folder, and the command."""
    origin, asked = result.origin, "design.toml" if result.designed else "study.toml"
    versions = origin.get("versions") or {}
    steps = [f"Install poinsot {versions['poinsot']}."] if "poinsot" in versions else []
    command = shlex.join(map(str, origin.get("command") or ()))
    if not (result.folder / asked).is_file():
        made = "It was asked in Python, and the folder keeps no file of what was asked."
        return [Points([*steps, made, *([f"The program was: {command}"] if command else [])])]
    text = (result.folder / asked).read_text(encoding="utf-8", errors="replace")
    steps += [f"Copy {asked} of the result into an empty folder.", *_model(text, asked)]
    steps += _recordings(text)
    name = "The file of the design" if result.designed else "The study file"
    blocks: list[object] = [Points([*steps, "Give the command:"]), Words(_command(result, asked), Tone.CODE)]
    blocks += [Words(f"It was first given as: {command}", Tone.NOTE)] if command else []
    return [*blocks, Folded(name, [Words(text, Tone.CODE)])]


def _model(text: str, asked: str) -> list[str]:
    """What to do for the model that a file names."""
    model = str(_parsed(text).get("model", ""))
    if not model or model in library_names():
        return []
    if model.endswith(".toml") and PurePath(model).name == model:
        return [f"Copy nominal.toml of the result there too, as {model}."]
    return [f'Copy nominal.toml of the result there too, and write model = "nominal.toml" in {asked}.']


def _recordings(text: str) -> list[str]:
    """Where recordings are looked for."""
    tables = _parsed(text).get("recordings", {})
    files = [one.get("file", ()) for one in tables.values() if isinstance(one, dict)]
    names = [name for own in files for name in ([own] if isinstance(own, str) else own)]
    if not names:
        return []
    return [f"Put the recordings there, with the hashes above: {', '.join(map(str, dict.fromkeys(names)))}."]


def _parsed(text: str) -> dict[str, Any]:
    try:
        return parsed_toml(text)
    except PoinsotError:
        return {}


def _command(result: SavedResult, asked: str) -> str:
    """The command on the file of the folder; of its options those that change numbers."""
    given = [str(part) for part in result.origin.get("command") or ()]
    joined = [part.partition("=")[2] for part in given if part.startswith("--bootstrap=")]
    joined += [b for a, b in pairwise(given) if a == "--bootstrap"]
    options = ["--bootstrap", joined[-1]] if joined and not result.designed else []
    return shlex.join(["poinsot", "design" if result.designed else "identify", asked, *options, "--out", "again"])
