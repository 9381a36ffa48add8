"""What a file is that was given where one of another kind was wanted, and which command reads it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODEL, STUDY, DESIGN, EITHER, COLUMNS = "a model", "a study", "a design", "a study or a design", "a columns file"
USES = {  # what else is to be done with a file of this kind
    MODEL: ": `poinsot check` reads it",
    STUDY: ": `poinsot identify` reads it",
    DESIGN: ": `poinsot design` reads it",
    EITHER: ": `poinsot identify` or `poinsot design` reads it",
    COLUMNS: ": `poinsot read RECORDING --columns FILE` takes it",
}
RESULTS = {"estimate.json": "an estimate", "design.json": "a design"}  # by the file that every such folder has
TABLES = (".csv", ".txt", ".dat", ".tsv", ".mat", ".h5", ".hdf5", ".npz", ".npy", ".parquet", ".uff", ".unv", ".mcap")


def document_kind(document: Mapping[str, Any]) -> str:
    """What the contents of a TOML file seem to be; empty where that is not clear."""
    if "model" in document:
        return DESIGN if "design" in document else STUDY if {"recordings", "modal"} & set(document) else EITHER
    if {"bodies", "joints", "components"} & set(document):
        return MODEL
    return COLUMNS if {"channels", "couplings"} & set(document) else ""


def another_kind(document: Mapping[str, Any], wanted: str) -> str:
    """That a file is of another kind than wanted, and what reads it; empty where it may be of the wanted one."""
    found = document_kind(document)
    if not found or wanted in found:
        return ""
    if found == MODEL and wanted in EITHER:
        return f'this is a model, not {wanted}, which names its model and more: model = "FILE"'
    model = document.get("model")
    named = f"; its model is '{model}'" if wanted == MODEL and isinstance(model, str) else ""
    return f"this is {found}, not {wanted}{USES[found]}{named}"


def no_model(path: Path) -> str:
    """That a folder or a file is no model, and what it is where that is clear."""
    for name, of in RESULTS.items():
        if (path / name).is_file():
            model = path / "model.toml"
            named = f"; its model is '{model}'" if model.is_file() else ""
            return f"this is the folder of {of}, not a model: `poinsot report` reads it{named}"
    if path.is_dir():
        return "this is a folder, not a model file"
    known = "there are: .toml, .xml or .mjcf (MJCF), .urdf"
    if path.suffix.lower() in TABLES:
        return f"this is a table of numbers, not a model: `poinsot read` reads it; of models {known}"
    return f"not a kind of model file that is known; {known}"
