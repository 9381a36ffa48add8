"""The page while it is open: the picture, the pose that it shows, and the words on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from poinsot.app.scene.build import Scene, scene_of
from poinsot.app.scene.draw import Drawing, draw, prepare
from poinsot.app.scene.framing import POSES
from poinsot.app.scene.loads import reaction_arrows
from poinsot.app.scene.page import show
from poinsot.app.scene.primitives import SHOWN
from poinsot.app.scene.track import Film, FilmFrame, Moving, resampled
from poinsot.app.viewer.posing import Posing, posing_of
from poinsot.errors import PoinsotError, one_line
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.mechanism import Mechanism
from poinsot.spatial.pose import Pose

TOGGLES = ("bodies", "joints", "frames", "labels", "mass centres", "loads", "reactions", "ground")


@dataclass
class ViewerStage:
    """A mechanism on a page of a running server; one thing changes it at a time."""

    server: Any
    posing: Posing
    scene: Scene
    drawing: Drawing
    pose: Assembly
    lock: Any = field(default_factory=threading.RLock)
    posed: list[Callable[[], None]] = field(default_factory=list)  # called when the pose has changed
    note: Any = None  # the line that says what is the matter
    busy: bool = False
    closing: Any = field(default_factory=threading.Event)
    visible: set[str] = field(default_factory=lambda: set(SHOWN))
    film: tuple[Film, int] | None = None  # whose frame is shown in place of the pose
    wish: dict[str, tuple[int, Any]] = field(default_factory=dict)  # the latest wish of every control
    threads: list[threading.Thread] = field(default_factory=list)  # that end with the page

    def close(self) -> None:
        """Let everything end that the page has begun; what is late shows nothing any more."""
        self.closing.set()
        for thread in self.threads:
            thread.join(0.3)
        if self.lock.acquire(timeout=0.3):
            self.lock.release()

    def take(self, found: Assembly) -> None:
        """Show a pose, and tell the controls."""
        with self.lock:
            if self.closing.is_set():
                return
            self.pose, self.film = found, None
            self._show(self.drawing, FilmFrame(found.poses))
            for told in self.posed:
                told()
            if "reactions" in self.visible:
                self.aim_again()

    def adopt(self) -> None:
        """Take the pose of the motion's frame that is shown: sliders, modes and handles are of what is seen."""
        with self.lock:
            if self.closing.is_set() or self.film is None or self.film[0].motion is None:
                return
            film, k = self.film
            self.pose = self.posing.closed(film.frames[k].poses, self.pose)
            for told in self.posed:
                told()

    def frame(self, film: Film, k: int, drawing: Drawing | None = None) -> None:
        """Show a frame of a film; the pose that sliders have is kept."""
        with self.lock:
            if self.closing.is_set():
                return
            frame = film.frames[k]
            if drawing is None or drawing is self.drawing:
                self.film = (film, k)
                if "reactions" in self.visible:
                    self.aim_again()
            self._show(drawing or self.drawing, frame)

    def _show(self, drawing: Drawing, frame: FilmFrame) -> None:
        """Show a frame; beams that it does not bend are straight."""
        lines = {name: tube.line for name, (tube, _) in drawing.tubes.items()} | frame.lines
        joints = dict.fromkeys(drawing.glyphs, Pose.identity()) | frame.joints
        show(drawing, frame.poses, lines, joints)

    def aim_again(self) -> None:
        """Arrows of the joint reactions in what is shown: of a motion, or at rest; none where they are not known."""
        forces, greatest = {}, None
        try:
            if self.film is None:
                forces = reactions_at_rest(self.posing, self.pose)
            else:
                film, k = self.film
                forces, greatest = film.reactions.at(k), film.reactions.greatest
                self.say(film.reactions.missing)
        finally:
            arrows = reaction_arrows(self.posing.mechanism, forces, self.scene.sizes, greatest)
            self.drawing.aim(self.server.scene, "reactions", arrows)
            self.drawing.place(self.pose.poses if self.film is None else self.film[0].frames[self.film[1]].poses)

    def say(self, words: str = "") -> None:
        """Put a sentence on the page; nothing clears it."""
        content = plain_markdown(one_line(words, 400)) if words else ""
        if self.note is not None and self.note.content != content:
            self.note.content = content

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Say on the page what cannot be done, instead of ending."""
        try:
            yield
            self.say()
        except PoinsotError as error:
            self.say(str(error))

    def latest(self, name: str, wanted: Any, do: Callable[[Any], None]) -> None:
        """Do what a control wants, one at a time; wishes that came meanwhile are left out but for the last."""
        number = self.wish.get(name, (0, None))[0] + 1
        self.wish[name] = (number, wanted)
        with self.lock:
            if self.wish[name][0] == number:
                with self.trouble():
                    do(wanted)


def plain_markdown(text: str) -> str:
    """A text in which no sign means anything to Markdown or HTML.

    >>> plain_markdown("a*b <script>")
    'a\\\\*b &lt;script&gt;'
    """
    import html
    import re

    return re.sub(r"([\\`*_{}\[\]()#+!|~-])", r"\\\1", html.escape(text, quote=False))


def open_stage(server: Any, mechanism: Mechanism, dark: bool = False, moving: Moving | None = None) -> ViewerStage:
    """Draw a mechanism in the pose of its file on a running server, with the layers that can be shown.

    The camera sees all of a motion that is going to be played.
    """
    posing = posing_of(mechanism)
    scene = scene_of(mechanism, posing.home.poses, dark=dark)
    server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False)
    server.gui.main_panel.dock_right()  # beside the picture, not above it
    server.gui.set_panel_label(mechanism.name)
    film = () if moving is None else resampled(mechanism, moving, most=POSES).frames
    prepare(server, scene, (frame.poses for frame in film))
    stage = ViewerStage(server, posing, scene, draw(scene, server.scene), posing.home)
    stage.note = server.gui.add_markdown("")
    with server.gui.add_folder("Show", expand_by_default=False):
        for layer in TOGGLES:
            _toggle(stage, layer)
    if scene.notes:
        server.gui.add_markdown(plain_markdown(" ".join(scene.notes)))
    return stage


def _toggle(stage: ViewerStage, layer: str) -> None:
    box = stage.server.gui.add_checkbox(layer, layer in stage.visible)

    @box.on_update
    def _(_: Any) -> None:
        (stage.visible.add if box.value else stage.visible.discard)(layer)
        with stage.lock, stage.trouble():
            if layer == "reactions" and box.value:
                stage.say("joint reactions are computed …")
                stage.aim_again()
            else:
                stage.drawing.show(layer, box.value)


def reactions_at_rest(posing: Posing, pose: Assembly) -> dict[str, np.ndarray]:
    """Forces (3,) of all joints on their second bodies at rest in a pose, in the world's axes  [N]."""
    import poinsot

    found = poinsot.inverse_dynamics(posing.mechanism, posing.values(pose), [0.0])
    return {name: found.reaction(name, axes="world")[0, :3] for name in found.reactions}
