"""An estimate as a folder that other programs can read: JSON, tables, and the identified model in three formats."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import ConversionWarning, PoinsotError
from poinsot.estimate.study import Study
from poinsot.estimate.validation import RunFit
from poinsot.model.interchange import write_mjcf, write_urdf
from poinsot.model.load import load
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import as_path, save

CLOSE = 1e-9  # of the largest number of its kind, within which a model that is read back must agree


def write_folder(
    folder: str | Path,
    data: dict[str, Any],
    study: Study,
    fits: Mapping[str, RunFit | None],
    identified: Callable[[], Mechanism],
    overwrite: bool = False,
) -> Path:
    """Write an estimate to a folder, aside and renamed, and read the model back.

    `estimate.json` has `data`, values, covariances, fits and steps, and provenance; `fit.csv` and `validation.csv`
    every channel as measured and predicted; `model.toml`, `model.xml` and `model.urdf` the identified mechanism, as
    far as it is possible and the format can hold it: `estimate.json` says why one is missing.
    """
    place = as_path(folder)
    if place.exists() and not overwrite:
        raise PoinsotError(f"{place} exists already: give another folder, or allow overwriting")
    if place.exists() and not (place / "estimate.json").is_file():
        raise PoinsotError(f"{place} is no folder of an estimate: it is not overwritten")
    aside = place.parent / f".poinsot-{secrets.token_hex(8)}"
    try:
        aside.mkdir(parents=True)
        models = _models(identified, aside)
        for name, fit in fits.items():
            if fit is not None:
                (aside / f"{name}.csv").write_text(signals(fit), encoding="utf-8")
        whole = {"format": 1, **data, "models": models, "provenance": provenance(study)}
        (aside / "estimate.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if place.exists():
            shutil.rmtree(place)
        os.replace(aside, place)
    except OSError as error:
        raise PoinsotError(f"{place}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        with suppress(OSError):
            shutil.rmtree(aside)
    return place


def signals(fit: RunFit) -> str:
    """Every channel as measured and as predicted, as CSV text with units."""
    names = [f"{c.channel} [{c.unit}]" for c in fit.channels]
    heads = [_quoted(f"{kind} {name}", always=True) for name in names for kind in ("measured", "predicted")]
    lines = [",".join(["run", "t [s]", *heads])]
    for run, t, y, p in zip(fit.runs, fit.t, fit.measured, fit.predicted):
        for row in range(len(t)):
            pairs = (f"{x:.9g}" if np.isfinite(x) else "" for pair in zip(y[row], p[row]) for x in pair)
            lines.append(",".join([_quoted(run), f"{t[row]:.9g}", *pairs]))
    return "\n".join(lines) + "\n"


def _quoted(text: str, always: bool = False) -> str:
    """A text as a field of a CSV file."""
    plain = not always and not any(sign in text for sign in ',"\r\n')
    return text if plain else '"' + text.replace('"', '""') + '"'


def provenance(study: Study) -> dict[str, Any]:
    """Where it comes from: files with their hashes, versions, the command."""
    runs = {
        run.name: {
            "role": str(run.role),
            "files": [{"name": s.name, "sha256": s.sha256, "format": s.format} for s in run.recording.sources],
            "findings": [str(finding) for finding in run.recording.findings],
        }
        for run in study.runs
    }
    return {
        "model": study.mechanism.name,
        "recordings": runs,
        "versions": {name: version(name) for name in ("poinsot", "numpy", "scipy", "casadi")},
        "python": platform.python_version(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]] if sys.argv else [],
    }


def _models(identified: Callable[[], Mechanism], folder: Path) -> dict[str, str]:
    """Write the identified mechanism in every format that can hold it; by file, "" or why it is missing."""
    try:
        mechanism = identified()
    except PoinsotError as error:
        return {"model.toml": str(error)}
    found: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        for name, write in (("model.toml", save), ("model.xml", write_mjcf), ("model.urdf", write_urdf)):
            try:
                write(mechanism, folder / name)
                found[name] = ""
            except PoinsotError as error:
                found[name] = str(error)
    if not found["model.toml"]:
        _require_same(mechanism, load(folder / "model.toml"))
    return found


def _require_same(mechanism: Mechanism, back: Mechanism) -> None:
    """A model as read back must have the values."""
    for name, body in mechanism.bodies.items():
        ours, theirs = (np.asarray(b.inertial_parameters(), float).ravel() for b in (body, back.bodies[name]))
        if np.max(np.abs(ours - theirs)) > CLOSE * max(float(np.max(np.abs(ours))), 1e-300):
            raise PoinsotError(f"model.toml does not hold the values of body '{name}': this should not happen")
