"""Pages in a real browser: Chromium without a screen, with every request and every complaint of the page recorded.

A test that opens a page ends with an error if the page asked for anything beyond this machine or logged an error.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import poinsot
from poinsot.app.scene.viser_package import server
from poinsot.app.viewer.command import Shown, furnish
from poinsot.model.mechanism import Mechanism

OPTIONS = (
    *("--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"),
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
LOCAL = ("", "localhost", "127.0.0.1", "::1")
PATIENCE = 60.0  # seconds for a page to draw: rendering without a graphics card is slow
LARGEST = """() => {
  const all = [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height);
  return all.length && all[0].width * all[0].height ? all[0].toDataURL() : '';
}"""


def until(condition: Any, seconds: float = PATIENCE) -> None:
    """Wait for something that the page does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.1)


@dataclass
class Watched:
    """A page of the browser with what it asked for and complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, where: str | Path) -> Any:
        """Open an address or a file."""
        self.page.goto(where.resolve().as_uri() if isinstance(where, Path) else where)
        return self.page

    @property
    def beyond(self) -> list[str]:
        """Requests that left this machine."""
        own = ("file", "data", "blob", "about", "chrome-extension")
        parts = [(url, urlsplit(url)) for url in self.requests]
        return [url for url, part in parts if part.scheme not in own and part.hostname not in LOCAL]

    def pixel(self, stage: Any, point: np.ndarray) -> np.ndarray:
        """Where a point (3,) of the picture, in its units, is on the page (2,)."""
        camera = next(iter(stage.server.get_clients().values())).camera
        eye, ahead = np.array(camera.position), np.array(camera.look_at) - np.array(camera.position)
        right = np.cross(ahead, np.array(camera.up_direction))
        across, up, depth = (x / np.linalg.norm(x) for x in (right, np.cross(right, ahead), ahead))
        size = self.page.locator("canvas").first.bounding_box()
        away = np.asarray(point, float) - eye
        scale = size["height"] / 2 / np.tan(camera.fov / 2) / (away @ depth)
        return np.array(
            [
                size["x"] + size["width"] / 2 + scale * (away @ across),
                size["y"] + size["height"] / 2 - scale * (away @ up),
            ]
        )

    def canvas(self) -> np.ndarray:
        """Pixels (h, w, 4) of the largest canvas; empty while there is none."""
        from PIL import Image

        text = self.page.evaluate(LARGEST)
        if not text:
            return np.zeros((0, 0, 4), np.uint8)
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGBA"))

    def drawn(self, seconds: float = PATIENCE) -> np.ndarray:
        """Pixels of the canvas as soon as it is not blank; an error after so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pixels = self.canvas()
            if pixels.size and len(np.unique(pixels.reshape(-1, 4), axis=0)) > 50:
                return pixels
            time.sleep(0.3)
        raise AssertionError("the canvas stays blank")

    def changed(self, before: np.ndarray, part: float = 0.002, seconds: float = PATIENCE) -> np.ndarray:
        """Pixels of the canvas as soon as a part of them differs; an error after so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pixels = self.canvas()
            if pixels.size and pixels.shape != before.shape:
                before = pixels  # on a busy machine a page finds its size after it was first drawn
            elif pixels.size and np.mean(np.any(pixels != before, axis=2)) > part:
                return pixels
            time.sleep(0.2)
        raise AssertionError("the picture does not change")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; CHROMIUM names its program where it is not found by itself."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("PIL", reason="Pillow is not installed")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not program:
        pytest.skip("no Chromium on this machine; CHROMIUM names the program")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def watched(chromium: Any) -> Iterator[Watched]:
    """A page; afterwards no request may have left the machine and nothing may have been complained of."""
    context = chromium.new_context(viewport={"width": 480, "height": 360}, reduced_motion="reduce")
    found = Watched(context.new_page())
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.on("websocket", lambda socket: found.requests.append(socket.url))
    found.page.on("pageerror", lambda error: found.errors.append(str(error)))
    found.page.on("console", lambda line: found.errors.append(line.text) if line.type == "error" else None)
    yield found
    context.close()
    assert not found.beyond, f"the page asks for {found.beyond}"
    assert not found.errors, f"the page complains: {found.errors}"


@pytest.fixture
def live() -> Iterator[Any]:
    """A function that opens a mechanism in the viewer, on a port that is free."""
    opened = []

    def start(what: str | Mechanism, moving: Any = None) -> tuple[str, Any]:
        context = server()
        running = context.__enter__()
        stage = furnish(running, Shown(poinsot.load(what) if isinstance(what, str) else what, moving=moving))
        opened.append((context, stage))
        return f"http://127.0.0.1:{running.get_port()}", stage

    yield start
    for context, stage in opened:
        stage.close()
        context.__exit__(None, None, None)
