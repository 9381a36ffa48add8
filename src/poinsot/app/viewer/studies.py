"""Studies on the page: the recorded motion, the nominal model beside the identified one, identification at work."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import poinsot
from poinsot.app.scene.build import scene_of
from poinsot.app.scene.draw import draw
from poinsot.app.scene.track import Film, Moving, resampled
from poinsot.app.viewer.motion_panel import FPS, Player
from poinsot.app.viewer.posing import Posing, posing_of
from poinsot.app.viewer.result_panel import markdown_of
from poinsot.app.viewer.stage import ViewerStage
from poinsot.app.viewer.watch import Progress, add_watch_panel, run_watched
from poinsot.errors import PoinsotError
from poinsot.estimate.study import Run, Study
from poinsot.estimate.study_file import read_study
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import parsed_toml, read_text
from poinsot.recording.motion import recorded_motion as motion_of

__all__ = ["add_nominal", "is_study", "read_study", "recorded_motion", "watch_study"]
_TABLE = re.compile(r"^\s*\[+\s*(recordings|unknowns)\b", re.M)


def is_study(path: Path) -> bool:
    """Whether a path is a study file: one that has recordings and unknowns."""
    if path.suffix != ".toml" or not path.is_file():
        return False
    text = read_text(path)
    return bool(_TABLE.search(text)) and "model" in parsed_toml(text)


def recorded_motion(study: Study) -> Moving | None:
    """The motion of the first recording of a study as its encoders tell it; None where they do not."""
    for run in study.runs:
        if not isinstance(run, Run):
            continue
        try:
            found = motion_of(run.part, study.mechanism, method=study.processing.method)
            good = np.all([np.isfinite(s.s) for s in found.motion.values()], axis=0)
            t = found.t[good]
            every = max(1, round(1.0 / (FPS * float(np.median(np.diff(t)))))) if len(t) > 1 else 1
            return poinsot.kinematics(found.mechanism, found.motion, t[::every])
        except PoinsotError:
            continue
    return None


def add_nominal(stage: ViewerStage, player: Player, nominal: Mechanism, moving: Moving | None) -> None:
    """The model before as a grey ghost beside the identified one, playing the same recorded motion."""
    gui = stage.server.gui
    scene = scene_of(nominal, dark=stage.scene.palette.dark)
    ghost = draw(scene, stage.server.scene, root="/nominal", ghost=True)
    with gui.add_folder("Nominal model", expand_by_default=False):
        shown = gui.add_checkbox("show in grey", True)
        gui.add_markdown(markdown_of(differences(nominal, stage.posing.mechanism)))

    @shown.on_update
    def _(_: Any) -> None:
        for layer in ("bodies", "joints", "loads"):
            ghost.show(layer, shown.value)

    for layer in ("ground",):
        ghost.show(layer, False)
    if moving is not None:
        film = resampled(nominal, moving, FPS, most=6000)
        player.turned.append(lambda: _along(player, ghost, film))
    posing = posing_of(nominal)
    stage.posed.append(lambda: _beside(stage, ghost, posing))


def _along(player: Player, ghost: Any, film: Film) -> None:
    """The ghost follows the time of the player, while that plays the same motion."""
    if player.films and player.films[0][0].motion is film.motion:
        ghost.place(film.frames[min(round(player.at / film.pace), len(film.frames) - 1)].poses)


def _beside(stage: ViewerStage, ghost: Any, posing: Posing) -> None:
    """The ghost has the coordinates of the pose that is shown; where it cannot go, it stays."""
    with suppress(PoinsotError):
        ghost.place(posing.closed(stage.pose.poses, posing.home, held=True).poses)


def differences(nominal: Any, identified: Any) -> str:
    """Parameters whose values differ, one a line."""
    lines = []
    for name, p in identified.parameters.items():
        before = nominal.parameters[name].value if name in nominal.parameters else None
        if before is not None and p.value != before:
            lines.append(f"{name}: {before:.6g} → {p.value:.6g} {p.unit}")
    return "\n".join(lines) or "all parameters are the same"


def watch_study(stage: ViewerStage, study: Study, *, at_once: bool) -> None:
    """A button that identifies a study and shows how it goes; `at_once` without the button."""
    gui = stage.server.gui
    button = None if at_once else gui.add_button("identify")

    def begin() -> None:
        if button is not None:
            button.visible = False
        progress = Progress()
        add_watch_panel(stage, progress)
        run_watched(lambda: poinsot.identify(study), progress, found)

    def found(estimate: Any) -> None:
        with gui.add_folder("Identified"):
            gui.add_markdown(markdown_of(str(estimate)))

    if button is None:
        begin()
    else:
        button.on_click(lambda _: begin())
