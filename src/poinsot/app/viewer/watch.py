"""An identification that is running, on the page: what it says, its cost, and in the end what it found."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.viewer.result_panel import is_result, markdown_of
from poinsot.app.viewer.stage import ViewerStage
from poinsot.errors import PoinsotError

_COST = re.compile(r"cost ([-+0-9.eE]+)")
LINES = 6  # of what was said, on the page
EVERY = 0.5  # [s]


@dataclass
class Progress:
    """What an identification has said so far."""

    begun: float = field(default_factory=time.monotonic)
    lines: list[str] = field(default_factory=list)
    cost: list[tuple[float, float]] = field(default_factory=list)  # time since the begin [s], cost
    ended: str = ""  # how; empty while it runs

    def hear(self, text: str) -> None:
        """Take a line; a cost in it is kept for the picture."""
        self.lines.append(text)
        found = _COST.search(text)
        if found:
            self.cost.append((time.monotonic() - self.begun, float(found.group(1).rstrip("."))))

    @property
    def best(self) -> float | None:
        """The least cost so far."""
        return min((cost for _, cost in self.cost), default=None)

    def words(self) -> str:
        """The state in a few lines."""
        head = self.ended or f"running for {time.monotonic() - self.begun:.0f} s"
        best = [] if self.best is None else [f"least cost so far: {self.best:.6g}"]
        return "\n".join([head, *best, *self.lines[-LINES:]])


def run_watched(work: Callable[[], Any], progress: Progress, done: Callable[[Any], None]) -> threading.Thread:
    """Run an identification in a thread of its own; what it says goes to `progress`, what it found to `done`."""
    logger, listener = logging.getLogger("poinsot.progress"), logging.Handler(logging.INFO)
    listener.emit = lambda record: progress.hear(record.getMessage())

    def run() -> None:
        before = logger.level
        logger.addHandler(listener)
        logger.setLevel(logging.INFO)
        try:
            found = work()
            progress.ended = f"done after {time.monotonic() - progress.begun:.0f} s"
            done(found)
        except PoinsotError as error:
            progress.ended = f"it ended without a result: {error}"
        finally:
            logger.removeHandler(listener)
            logger.setLevel(before)

    thread = threading.Thread(target=run, daemon=True, name="identification")
    thread.start()
    return thread


def add_watch_panel(stage: ViewerStage, progress: Progress) -> threading.Thread:
    """Words and a picture of the cost that follow an identification until it ends."""
    gui = stage.server.gui
    with gui.add_folder("Identification"):
        told = gui.add_markdown("")
        series = ({"label": "t [s]"}, {"label": "cost", "stroke": "#0072b2"})
        options: dict[str, Any] = {"title": "cost over time [s]", "scales": {"x": {"time": False}}}
        picture = gui.add_uplot((np.zeros(1), np.zeros(1)), series, aspect=1.8, visible=False, **options)

    def follow() -> None:
        seen = -1
        while not stage.closing.wait(EVERY):
            told.content = markdown_of(progress.words())
            if len(progress.cost) != seen and len(progress.cost) > 1:
                seen = len(progress.cost)
                t, cost = np.array(progress.cost[:seen]).T
                picture.data, picture.visible = (np.ascontiguousarray(t), np.ascontiguousarray(cost)), True
            if progress.ended:
                told.content = markdown_of(progress.words())
                return

    thread = threading.Thread(target=follow, daemon=True, name="watch")
    thread.start()
    return thread


def wait_for_result(folder: Path, say: Callable[[str], None], every: float = 1.0) -> None:
    """Wait until a folder of results is there; Ctrl-C ends it."""
    if not is_result(folder):
        say(f"waiting for a result in {folder} (Ctrl-C ends)")
    while not is_result(folder):
        time.sleep(every)
