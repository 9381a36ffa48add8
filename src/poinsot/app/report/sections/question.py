"""The question: which machine, which recordings, what was looked for."""

from __future__ import annotations

from poinsot.app.report.blocks import Folded, Points, ReportSection, ReportTable, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import NOTHING, number
from poinsot.errors import counted

ASKED = {
    "forces": "Which values of the unknowns explain the forces that were measured along the recorded motion?",
    "frequencies": "Which values of the unknowns explain the natural frequencies that were measured?",
    "output": "Which values of the unknowns make a simulation follow what was recorded?",
    "geometry": "Which values of the unknowns explain the poses that were measured?",
}
ROLES = {"identify": "used to identify", "validate": "held out, to validate", "payload": "with a payload"}


def question(result: SavedResult) -> ReportSection | None:
    """Model, recordings and unknowns in words."""
    if result.designed:
        return _of_design(result)
    study, data = result.study, result.data
    unknowns = [p["name"] for p in data["parameters"]]
    blocks: list[object] = [Words(ASKED.get(study.get("problem", "forces"), ASKED["forces"]), Tone.LEAD)]
    said = f"{counted(len(unknowns), 'unknown')} of the mechanism '{result.model}' by the method '{data['method']}'."
    blocks.append(Words(said))
    if study.get("description"):
        blocks.append(Words(" ".join(str(study["description"]).split()), Tone.NOTE))
    rows = [
        [name, ROLES.get(run["role"], run["role"]), _samples(study, name), _span(run), _files(run)]
        for name, run in result.origin.get("recordings", {}).items()
    ]
    if rows:
        heads = ("run", "role", "samples", "time used [s]", "files")
        blocks.append(ReportTable("Recordings", heads, rows, words=(0, 1, 4)))
    if study.get("modal"):
        rows = [
            [run["name"], ROLES.get(run["role"], run["role"]), _modes(run["frequencies"]), _pose(run["pose"])]
            for run in study["modal"]
        ]
        blocks.append(
            ReportTable("Measured modes", ("run", "role", "frequencies [Hz]", "pose [rad or m]"), rows, (0, 1, 2, 3))
        )
    if study.get("known"):
        blocks.append(Points(study["known"]))
    if data.get("steps"):
        blocks.append(Folded(f"What was done, in {counted(len(data['steps']), 'step')}", [Points(data["steps"])]))
    return ReportSection("question", "The question", blocks)


def _of_design(result: SavedResult) -> ReportSection:
    data = result.data
    unknowns = ", ".join(p["name"] for p in data["predictions"])
    blocks: list[object] = [
        Words(f"Which {data['task']} of '{result.model}' tells most of the unknowns?", Tone.LEAD),
        Words(f"Unknowns: {unknowns}." if unknowns else "The design names no unknowns."),
    ]
    if data.get("steps"):
        blocks.append(Folded(f"What was done, in {counted(len(data['steps']), 'step')}", [Points(data["steps"])]))
    return ReportSection("question", "The question", blocks)


def _samples(study, name: str) -> str:
    return next((number(run["samples"]) for run in study.get("runs", ()) if run["name"] == name), NOTHING)


def _span(run) -> str:
    span = run.get("span")
    return f"{number(span[0])} … {number(span[1])}" if span else NOTHING


def _files(run) -> str:
    return ", ".join(f["name"] for f in run.get("files", ())) or "given in memory"


def _modes(frequencies) -> str:
    return ", ".join(number(f, 5) for f in frequencies)


def _pose(pose) -> str:
    return "home" if not pose else ", ".join(f"{name} = {number(x, 5)}" for name, x in pose.items())
