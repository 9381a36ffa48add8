"""Motions and simulations that are played: a time slider, a speed, and one thread that turns the pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.scene.draw import Drawing
from poinsot.app.scene.track import Film, Moving, resampled
from poinsot.app.viewer.stage import ViewerStage
from poinsot.model.mechanism import Mechanism

FPS = 30.0
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5")


@dataclass
class Player:
    """Plays films on a page, one at a time, over and over."""

    stage: ViewerStage
    films: tuple[tuple[Film, Drawing], ...] = ()
    playing: bool = False
    speed: float = 1.0
    at: float = 0.0  # [s]
    turned: list[Callable[[], None]] = field(default_factory=list)  # called when a frame was shown
    stopped: list[Callable[[], None]] = field(default_factory=list)  # called when another film is put on

    @property
    def duration(self) -> float:
        """Length of the film  [s]."""
        return max((film.pace * max(len(film.frames) - 1, 1) for film, _ in self.films), default=0.0)

    def put_on(self, films: tuple[tuple[Film, Drawing], ...], own: Callable[[], None] | None = None) -> None:
        """Take other films, of which every picture has its own; whose controls are not `own` are told to stop."""
        self.films, self.at = films, 0.0
        for told in self.stopped:
            if told is not own:
                told()

    def halt(self) -> None:
        """Stop, because another pose is shown."""
        if self.playing:
            self.playing = False
            for told in self.stopped:
                told()

    def show(self) -> None:
        """Show the frame of the present time."""
        for film, drawing in self.films:
            k = min(round(self.at / film.pace), len(film.frames) - 1)
            self.stage.frame(film, k, drawing)
        for told in self.turned:
            told()

    def run(self) -> None:
        """Turn the pages until the page closes."""
        last = time.monotonic()
        while not self.stage.closing.wait(1.0 / FPS):
            now = time.monotonic()
            with self.stage.lock:
                if self.playing and self.films:
                    self.at += self.speed * (now - last)
                    if self.at > self.duration:
                        self.at = 0.0
                    self.show()
            last = now


def start_player(stage: ViewerStage) -> Player:
    """A player in a thread of its own, which ends with the page."""
    player = Player(stage)
    stage.posed.append(player.halt)
    stage.threads.append(threading.Thread(target=player.run, daemon=True, name="player"))
    stage.threads[-1].start()
    return player


def add_motion_panel(stage: ViewerStage, player: Player, moving: Moving | None = None, simulate: float = 2.0) -> None:
    """Controls that play a motion, and simulate the mechanism from the pose that is shown."""
    gui = stage.server.gui
    with gui.add_folder("Motion", expand_by_default=moving is not None):
        playing = gui.add_checkbox("play", False)
        clock = gui.add_slider("t [s]", 0.0, 1.0, 0.01, 0.0)
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1")
        span = gui.add_number("simulate [s]", simulate, min=0.01, max=1000.0, step=0.1)
        run = gui.add_button("simulate from this pose")
    own: dict[str, Any] = {"film": (), "turning": 0}  # the thread that moves the clock

    def load(found: Moving) -> None:
        film = resampled(stage.posing.mechanism, found, FPS, most=6000)
        own["film"] = ((film, stage.drawing),)
        clock.max = max(film.pace * (len(film.frames) - 1), 0.01)
        playing.value = True

    def turned() -> None:
        if own["film"] and player.films is own["film"]:
            own["turning"] = threading.get_ident()
            clock.value = round(min(player.at, clock.max), 3)
            own["turning"] = 0

    def stop() -> None:
        playing.value = False

    @playing.on_update
    def _(_: Any) -> None:
        if playing.value and not own["film"]:
            stage.say("there is no motion yet: simulate one, or give a file with --motion")
            playing.value = False
            return
        if playing.value and player.films is not own["film"]:
            player.put_on(own["film"], stop)
        if player.films is own["film"]:
            player.playing = playing.value
            stage.latest("paused", None, lambda _: None if player.playing else stage.adopt())

    def stop_at(t: float) -> None:
        player.put_on(own["film"], stop) if player.films is not own["film"] else None
        player.playing, playing.value = False, False
        player.at = t
        player.show()
        stage.adopt()

    @clock.on_update
    def _(_: Any) -> None:
        if own["film"] and own["turning"] != threading.get_ident():
            stage.latest("clock", float(clock.value), stop_at)

    @speed.on_update
    def _(_: Any) -> None:
        player.speed = float(speed.value)

    run.on_click(lambda _: stage.latest("simulate", float(span.value), lambda t: load(simulated(stage, t))))
    player.turned.append(turned)
    player.stopped.append(stop)
    if moving is not None:
        load(moving)


def simulated(stage: ViewerStage, t_end: float) -> Moving:
    """The mechanism under its own forces from the pose that is shown."""
    import poinsot

    stage.say("the simulation runs …")
    stage.adopt()
    mechanism = stage.posing.mechanism
    t = np.linspace(0.0, t_end, max(2, round(t_end * FPS) + 1))
    return poinsot.simulate(mechanism, t_end, t=t, pose=stage.posing.values(stage.pose))


def prescribed(mechanism: Mechanism, path: Path) -> Moving:
    """The kinematics of a motion in a CSV file."""
    import poinsot
    from poinsot.app.tables import read_motion

    t, signals = read_motion(path, mechanism)
    return poinsot.kinematics(mechanism, signals, t)
