"""An estimate as a folder that other programs can read: JSON, tables, and the identified model in three formats."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import ConversionWarning, PoinsotError, one_line
from poinsot.estimate.results.validation import RunFit
from poinsot.estimate.study import Run, Study
from poinsot.model.interchange import write_mjcf, write_urdf
from poinsot.model.interchange.notes import Conversion
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.model.meshes import relocated
from poinsot.model.toml import as_path, dumps, save
from poinsot.store.folder import new_folder
from poinsot.store.provenance import provenance

SHOWN = 160  # signs of a note that is printed
CLOSE = 1e-9  # of the largest number of its kind, within which a model that is read back must agree


def write_folder(
    folder: str | Path,
    data: dict[str, Any],
    study: Study,
    fits: Mapping[str, RunFit | None],
    identified: Callable[[], Mechanism],
    overwrite: bool = False,
    kept: Mapping[str, str] | None = None,
) -> Path:
    """Write an estimate to a folder, aside and renamed, and read the model back.

    `estimate.json` has `data`, values, covariances, fits and steps, and provenance; `fit.csv` and `validation.csv`
    every channel as measured and predicted; `model.toml`, `model.xml` and `model.urdf` the identified mechanism, as
    far as it is possible and the format can hold it: `estimate.json` says why one is missing (`models`) and what one
    does not hold (`model_notes`). `kept` are further files, text by name; `nominal.toml` is the mechanism before,
    and `study.toml` the study where it was a file.
    """
    place = as_path(folder)
    with new_folder(place, "estimate.json", overwrite) as aside:
        models, notes = _models(identified, aside)
        if why := models["model.toml"]:
            warnings.warn(f"the identified model could not be written: {why}", stacklevel=3)
        for name, fit in fits.items():
            if fit is not None:
                (aside / f"{name}.csv").write_text(signals(fit), encoding="utf-8")
        texts = {
            **(kept or {}),
            **nominal_file(study.mechanism, aside),
            **({"study.toml": study.text} if study.text else {}),
        }
        for name, text in texts.items():
            (aside / name).write_text(text, encoding="utf-8")
        whole = {"format": 1, **data, "models": models, "model_notes": notes, "provenance": origin(study)}
        (aside / "estimate.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return place


def signals(fit: RunFit) -> str:
    """Every channel as measured and as predicted, as CSV text with units."""
    names = [f"{c.channel} [{c.unit}]" for c in fit.channels]
    heads = [_quoted(f"{kind} {name}", always=True) for name in names for kind in ("measured", "predicted")]
    lines = [",".join(["run", fit.over, *heads])]
    for run, t, y, p in zip(fit.runs, fit.t, fit.measured, fit.predicted):
        for row in range(len(t)):
            pairs = (f"{x:.9g}" if np.isfinite(x) else "" for pair in zip(y[row], p[row]) for x in pair)
            lines.append(",".join([_quoted(run), f"{t[row]:.9g}", *pairs]))
    return "\n".join(lines) + "\n"


def _quoted(text: str, always: bool = False) -> str:
    """A text as a field of a CSV file."""
    plain = not always and not any(sign in text for sign in ',"\r\n')
    return text if plain else '"' + text.replace('"', '""') + '"'


def origin(study: Study) -> dict[str, Any]:
    """Where it comes from: files with their hashes, versions, the command."""
    return {"model": study.mechanism.name, "recordings": recordings_of(study.runs), **provenance()}


def recordings_of(runs: Iterable[Run]) -> dict[str, Any]:
    """Files of recordings with their hashes, by run."""
    return {
        run.name: {
            "role": str(run.role),
            "files": [{"name": s.name, "sha256": s.sha256, "format": s.format} for s in run.recording.sources],
            "samples": run.recording.digest,
            "span": [float(run.part.abscissa[0]), float(run.part.abscissa[-1])],
            "findings": [str(finding) for finding in run.recording.findings],
        }
        for run in runs
    }


def nominal_file(mechanism: Mechanism, folder: Path) -> dict[str, str]:
    """The model before anything was identified, as far as a model file can hold it."""
    try:
        return {"nominal.toml": dumps(relocated(mechanism, folder))}
    except PoinsotError:
        return {}


Notes = dict[str, dict[str, list[str]]]  # by file: "lost", what acts no longer in it, and "others"


def _models(identified: Callable[[], Mechanism], folder: Path) -> tuple[dict[str, str], Notes]:
    """Write the identified mechanism in every format that can hold it; by file, "" or why it is missing; notes."""
    try:
        mechanism = identified()
    except PoinsotError as error:
        return {"model.toml": str(error)}, {}
    found: dict[str, str] = {}
    notes: Notes = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        for name, write in (("model.toml", save), ("model.xml", write_mjcf), ("model.urdf", write_urdf)):
            try:
                written = write(mechanism, folder / name)
                found[name] = ""
            except PoinsotError as error:
                found[name] = str(error)
                continue
            if isinstance(written, Conversion) and written.notes:
                lost = written.lost
                notes[name] = {"lost": list(lost), "others": [note for note in written.notes if note not in lost]}
        if not found["model.toml"]:
            try:
                _require_same(mechanism, load(folder / "model.toml"))
            except PoinsotError as error:
                (folder / "model.toml").unlink()
                found["model.toml"] = str(error)
    return found, notes


def lost_in(folder: Path) -> list[str]:
    """One line for every model of a folder in which something acts no longer, with the first that is lost."""
    notes: Notes = json.loads((folder / "estimate.json").read_text(encoding="utf-8"))["model_notes"]
    lost = {name: note["lost"] for name, note in notes.items() if note["lost"]}
    more = {name: f" ({len(said) - 1} more in estimate.json)" if len(said) > 1 else "" for name, said in lost.items()}
    return [f"{name} lacks some of it: {one_line(said[0], SHOWN)}{more[name]}" for name, said in lost.items()]


def _require_same(mechanism: Mechanism, back: Mechanism) -> None:
    """A model as read back must have the values."""
    for name, body in mechanism.bodies.items():
        ours, theirs = (np.asarray(b.inertial_parameters(), float).ravel() for b in (body, back.bodies[name]))
        if np.max(np.abs(ours - theirs)) > CLOSE * max(float(np.max(np.abs(ours))), 1e-300):
            raise PoinsotError(f"model.toml does not hold the values of body '{name}': this should not happen")
