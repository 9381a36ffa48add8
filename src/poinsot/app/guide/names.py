"""Names that a shell completes, asked of the model that stands on the line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

import poinsot

Completion = Callable[[typer.Context, str], list[str]]
_MODEL_FILES = (".toml", ".urdf", ".xml", ".mjcf")


def models(incomplete: str) -> list[str]:
    """Mechanisms of the library, and model files of the folder that the text begins with."""
    names = [*poinsot.library_names(), *_files(incomplete, _MODEL_FILES)]
    return [name for name in names if name.startswith(incomplete)]


def tables(incomplete: str) -> list[str]:
    """CSV files of the folder that the text begins with."""
    return _files(incomplete, (".csv",))


def studies(incomplete: str) -> list[str]:
    """Study files of the folder that the text begins with, and folders."""
    return _files(incomplete, (".toml",))


def of_model(ask: Callable[[Any], Iterable[str]], ending: str = "") -> Completion:
    """Names that a mechanism has, those after a comma too; `ending` follows each: "=" for values."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        with suppress(Exception):  # whatever is wrong with the model, a command says it and not the shell
            before, comma, begun = incomplete.rpartition(",")
            names = ask(poinsot.load(ctx.params["model"]))
            return [f"{before}{comma}{name}{ending}" for name in names if name.startswith(begun)]
        return []

    return complete


def among(*names: str) -> Callable[[str], list[str]]:
    """Names that do not hang on a model."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def methods(incomplete: str) -> list[str]:
    """Methods of identification."""
    from poinsot.estimate.methods.registry import EVERY

    return [name for name in EVERY if name.startswith(incomplete)]


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Files with one of the endings, and folders, that a text can become."""
    with suppress(OSError):
        folder = incomplete.rpartition("/")[0]
        found = sorted(Path(folder or ".").iterdir())
        begun = f"{folder}/" if folder else ""
        names = [f"{begun}{p.name}/" for p in found if p.is_dir() and not p.name.startswith(".")]
        names += [f"{begun}{p.name}" for p in found if p.suffix in endings]
        return [name for name in names if name.startswith(incomplete)]
    return []
