"""The mechanism in 3D, with its motion; its modes where natural frequencies were measured."""

from __future__ import annotations

import warnings
from typing import Any

import poinsot
from poinsot.app.report.blocks import Points, ReportScene, ReportSection, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.errors import PoinsotError, counted


def mechanism(result: SavedResult) -> ReportSection | None:
    """Scenes that open when asked for."""
    machine = result.mechanism
    if machine is None:
        return None

    from poinsot.app.scene.page import as_html
    from poinsot.app.scene.still import picture

    blocks: list[object] = []
    if result.not_identified:
        blocks.append(Words(f"This is the nominal mechanism: {result.not_identified}.", Tone.NOTE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            moving: Any = result.motion
            title = f"{result.model} {_how(result)}"
            alt = f"The mechanism {result.model} in three dimensions; drag to turn it."
            blocks.append(ReportScene(title, alt, as_html(machine, moving), picture(machine, moving, clear=True)))
            blocks += _modes(result)
        except PoinsotError as error:
            blocks.append(Words(f"It cannot be drawn: {error}", Tone.NOTE))
    return ReportSection("mechanism", "The mechanism", blocks)


def _how(result: SavedResult) -> str:
    """What the mechanism does in its picture."""
    if result.motion is None:
        return "at rest"
    if result.motion.apart:
        return f"in {counted(len(result.motion.t), 'measured pose')}, one after another"
    return f"moving as in '{result.data['fit']['runs'][0]}'"


def _modes(result: SavedResult) -> list[object]:
    """Modes in the pose of the first measured run."""
    runs = result.study.get("modal") or []
    if not runs or result.mechanism is None or result.not_identified:
        return []

    from poinsot.app.scene.page import modes_html
    from poinsot.app.scene.still import mode_picture

    found = poinsot.modes(result.mechanism, pose=runs[0]["pose"] or None)
    count = min(len(found.frequencies), len(runs[0]["frequencies"]), 3)
    scenes: list[object] = [
        ReportScene(
            f"Mode {k + 1}: {found.frequencies[k]:.4g} Hz, in the pose of '{runs[0]['name']}'",
            f"Mode {k + 1} of {result.model}, exaggerated.",
            modes_html(found, k),
            mode_picture(found, k, clear=True),
        )
        for k in range(count)
    ]
    return scenes or [Points(["The model has no modes in this pose."])]
