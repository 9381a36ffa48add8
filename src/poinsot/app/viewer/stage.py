"""The page while it is open: the picture, the pose that it shows, and the words on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from poinsot.app.scene.build import Scene, scene_of
from poinsot.app.scene.draw import Drawing, add, draw, prepare
from poinsot.app.scene.page import show
from poinsot.app.scene.primitives import SHOWN
from poinsot.app.scene.track import FilmFrame
from poinsot.app.viewer.posing import Posing, posing_of
from poinsot.errors import PoinsotError, one_line
from poinsot.model.assembly.assembly import Assembly
from poinsot.model.mechanism import Mechanism

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
    wish: dict[str, tuple[int, Any]] = field(default_factory=dict)  # the latest wish of every control
    threads: list[threading.Thread] = field(default_factory=list)  # that end with the page

    def close(self) -> None:
        """Let everything end that the page has begun."""
        self.closing.set()
        for thread in self.threads:
            thread.join(0.3)

    def take(self, found: Assembly) -> None:
        """Show a pose, and tell the controls."""
        with self.lock:
            self.pose = found
            show(self.drawing, found.poses)
            for told in self.posed:
                told()

    def frame(self, frame: FilmFrame, drawing: Drawing | None = None) -> None:
        """Show a frame of a film; the pose that sliders have is kept."""
        with self.lock:
            show(drawing or self.drawing, frame.poses, frame.lines, frame.joints)

    def say(self, words: str = "") -> None:
        """Put a sentence on the page; nothing clears it."""
        if self.note is not None:
            self.note.content = plain_markdown(one_line(words, 400)) if words else ""

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


def open_stage(server: Any, mechanism: Mechanism, dark: bool = False) -> ViewerStage:
    """Draw a mechanism in the pose of its file on a running server, with the layers that can be shown."""
    posing = posing_of(mechanism)
    scene = scene_of(mechanism, posing.home.poses, dark=dark)
    server.gui.configure_theme(dark_mode=dark, show_logo=False, show_share_button=False)
    server.gui.set_panel_label(mechanism.name)
    prepare(server, scene)
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
                add_reactions(stage)
            stage.drawing.show(layer, box.value)


def add_reactions(stage: ViewerStage) -> None:
    """Arrows of the reactions of all joints at rest in the present pose, replacing those before."""
    import poinsot
    from poinsot.app.scene.loads import reaction_arrows

    stage.say("joint reactions at rest are computed …")
    posing = stage.posing
    found = poinsot.inverse_dynamics(posing.mechanism, posing.values(stage.pose.poses), [0.0])
    forces = {name: found.reaction(name, axes="world")[0, :3] for name in found.reactions}
    for key in [key for key in stage.drawing.moving if key[0] == "reactions"]:
        stage.drawing.moving.pop(key)[1].remove()
    stage.drawing.layers["reactions"].clear()
    for arrow in reaction_arrows(posing.mechanism, forces, stage.scene.sizes):
        add(stage.drawing, stage.server.scene, arrow)
    stage.drawing.place(stage.pose.poses)
