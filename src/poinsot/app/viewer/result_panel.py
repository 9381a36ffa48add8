"""A result of `poinsot identify` on the page: numbers, measured against predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from poinsot.app.report.saved import SavedResult
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.estimate.results.text import with_error
from poinsot.results.thinning import thinned

BINS = 400  # of a plot, in each of which the extremes are shown


def is_result(path: Path) -> bool:
    """Whether a path is a folder of results."""
    return path.is_dir() and (path / "estimate.json").exists()


def add_result_panel(stage: ViewerStage, result: SavedResult) -> None:
    """The numbers of an estimate, and its channels as measured and predicted."""
    gui, fit = stage.server.gui, result.fit
    with gui.add_folder("Identified"):
        gui.add_html(numbers_html(dict(result.data)))
        if result.not_identified:
            gui.add_markdown(plain_markdown(f"The picture is of the nominal mechanism: {result.not_identified}."))
        if fit is None or not fit.channels:
            return
        names = tuple(f"{run}: {name} [{unit}]" for run in fit.runs for name, unit in fit.channels)
        choice = gui.add_dropdown("channel", names, initial_value=names[0])
        lines = {"measured": "#0072b2", "predicted": "#d55e00"}
        series: Any = ({"label": fit.over}, *({"label": name, "stroke": colour} for name, colour in lines.items()))
        options: dict[str, Any] = {"title": names[0], "scales": {"x": {"time": False}}, "aspect": 1.6}
        picture = gui.add_uplot(_plotted(result, 0), series, **options)

        @choice.on_update
        def _(_: Any) -> None:
            picture.data, picture.title = _plotted(result, names.index(choice.value)), choice.value


def _plotted(result: SavedResult, k: int) -> tuple[np.ndarray, ...]:
    """Abscissae, measured and predicted values of the k-th channel, run by run, thinned so that peaks survive."""
    fit = result.fit
    if fit is None:
        return ()
    run, channel = divmod(k, len(fit.channels))
    rows = fit.rows(run)
    rows = rows[np.argsort(fit.t[rows], kind="stable")]
    columns = (fit.t[rows], fit.measured[rows, channel], fit.predicted[rows, channel])
    kept = thinned(columns[1:], BINS)
    return tuple(np.ascontiguousarray(x[kept], float) for x in columns)


def numbers_html(data: dict[str, Any]) -> str:
    """The parameters of an estimate as a table; all texts are escaped."""
    import html

    rows = []
    for p in data.get("parameters", ()):
        value, deviation = p.get("value"), p.get("deviation")
        if value is None:
            told = "undetermined"
        else:
            told = with_error(value, deviation) if deviation is not None else f"{value:.6g}"
        texts = (p.get("name", ""), told, p.get("unit", ""))
        rows.append("<tr>" + "".join(f"<td>{html.escape(str(text))}</td>" for text in texts) + "</tr>")
    small = "font-size:0.85em"
    said = "".join(f'<p style="{small}">{html.escape(sentence)}</p>' for sentence in _verdict(data))
    return f'{said}<table style="{small};width:100%">{"".join(rows)}</table>'


def _verdict(data: dict[str, Any]) -> list[str]:
    """The verdict, and what went wrong; folders of before tell the latter alone."""
    sentences = [data.get("verdict"), data.get("status")]
    return [str(one) for one in dict.fromkeys(sentences) if one] or ["no verdict"]


def markdown_of(text: str) -> str:
    """A text of several lines as Markdown that shows it as it is."""
    return "  \n".join(plain_markdown(line) for line in text.splitlines())
