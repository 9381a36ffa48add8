"""A result of `poinsot identify` on the page: numbers, measured against predicted, nominal against identified."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import poinsot
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.errors import PoinsotError
from poinsot.model.mechanism import Mechanism
from poinsot.model.toml import read_text

MAX_BYTES = 200_000_000
SHOWN_POINTS = 1500  # of a plot


@dataclass(frozen=True, eq=False)
class ResultFolder:
    """What a folder of `poinsot identify --out` holds."""

    folder: Path
    data: dict[str, Any]  # estimate.json
    mechanism: Mechanism  # identified
    signals: dict[str, dict[str, np.ndarray]]  # by channel: t, measured, predicted


def is_result(path: Path) -> bool:
    """Whether a path is a folder of results."""
    return path.is_dir() and (path / "estimate.json").exists()


def read_result(folder: Path) -> ResultFolder:
    """Read a folder of results; PoinsotError says what is missing."""
    try:
        data = json.loads(read_text(folder / "estimate.json", MAX_BYTES, "a result"))
    except json.JSONDecodeError as error:
        raise PoinsotError(f"{folder / 'estimate.json'}: not JSON: {error}") from None
    why = data.get("models", {}).get("model.toml", "")
    if not (folder / "model.toml").exists():
        raise PoinsotError(f"{folder}: there is no identified model to show: {why or 'model.toml is missing'}")
    return ResultFolder(folder, data, poinsot.load(folder / "model.toml"), _signals(folder / "fit.csv"))


def _signals(path: Path) -> dict[str, dict[str, np.ndarray]]:
    if not path.exists():
        return {}
    rows = list(csv.reader(io.StringIO(read_text(path, MAX_BYTES, "a table"))))
    head, body = rows[0], rows[1:]
    table = np.array([[float(x) if x else np.nan for x in row[1:]] for row in body]).reshape(len(body), -1)
    found = {}
    for k, name in enumerate(head[1:]):
        if name.startswith("measured "):
            channel = name.removeprefix("measured ")
            found[channel] = {"t": table[:, 0], "measured": table[:, k], "predicted": table[:, k + 1]}
    return found


def add_result_panel(stage: ViewerStage, result: ResultFolder) -> None:
    """The numbers of an estimate, and its channels as measured and predicted."""
    gui = stage.server.gui
    with gui.add_folder("Identified"):
        gui.add_html(numbers_html(result.data))
        if result.signals:
            channels = tuple(result.signals)
            choice = gui.add_dropdown("channel", channels, initial_value=channels[0])
            picture = gui.add_uplot(*_plot(result, channels[0])[:2], aspect=1.6, **_plot(result, channels[0])[2])

            @choice.on_update
            def _(_: Any) -> None:
                data, series, options = _plot(result, choice.value)
                picture.data, picture.series, picture.title = data, series, options["title"]


def _plot(result: ResultFolder, channel: str) -> tuple[Any, Any, dict[str, Any]]:
    """Data, series and options of the picture of one channel, thinned so that peaks survive."""
    signal = result.signals[channel]
    keep = thinned(signal["measured"], SHOWN_POINTS)
    t = signal["t"][keep]
    order = np.argsort(t, kind="stable")
    data = tuple(
        np.ascontiguousarray(x[keep][order], float) for x in (signal["t"], signal["measured"], signal["predicted"])
    )
    series = ({}, {"label": "measured", "stroke": "#0072b2"}, {"label": "predicted", "stroke": "#d55e00"})
    return data, series, {"title": channel}


def thinned(y: np.ndarray, most: int) -> np.ndarray:
    """Indices (k,) of samples to show: of every stretch the least and the greatest."""
    if len(y) <= most:
        return np.arange(len(y))
    filled = np.where(np.isfinite(y), y, np.nanmedian(y) if np.any(np.isfinite(y)) else 0.0)
    parts = np.array_split(np.arange(len(y)), most // 2)
    return np.unique([i for part in parts for i in (part[np.argmin(filled[part])], part[np.argmax(filled[part])])])


def numbers_html(data: dict[str, Any]) -> str:
    """The parameters of an estimate as a table; all texts are escaped."""
    import html

    rows = []
    for p in data.get("parameters", ()):
        value, deviation = p.get("value"), p.get("deviation")
        known = value is not None
        cells = (p.get("name", ""), f"{value:.6g}" if known else "undetermined")
        error = f"± {deviation:.2g}" if known and deviation is not None else ""
        texts = (*cells, error, p.get("unit", ""))
        rows.append("<tr>" + "".join(f"<td>{html.escape(str(text))}</td>" for text in texts) + "</tr>")
    status = html.escape(str(data.get("status") or "converged"))
    style = "font-size:0.85em;width:100%"
    return f'<p style="font-size:0.85em">{status}</p><table style="{style}">{"".join(rows)}</table>'


def markdown_of(text: str) -> str:
    """A text of several lines as Markdown that shows it as it is."""
    return "  \n".join(plain_markdown(line) for line in text.splitlines())
