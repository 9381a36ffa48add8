"""Panels drawn into Axes of Matplotlib: no window, no global state, colours that colour-blind people tell apart.

Colours are those of Okabe and Ito (Color Universal Design, 2008) without the yellow, which is pale on white.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.results.panels import VERDICTS, BarPanel, Curve, FieldPanel, LinePanel, Panel, TextPanel
from poinsot.results.thinning import thinned

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OF_VERDICT: Mapping[str, tuple[str, str]] = dict(
    zip(VERDICTS, (("#0072B2", "o"), ("#E69F00", "s"), ("#D55E00", "X")))
)
MAX_CURVES, MAX_BARS = 8, 40  # of one panel
WIDTH, HEIGHT, ROW = 7.0, 2.6, 0.24  # of a panel and of a bar  [inch]
CROWDED = 1.7  # height of panels below each other, where they are many  [inch]
DECADE = 8.0  # ratio of numbers above which axes are logarithmic
TICKS = 7  # at most, along the abscissa
ROUND_OFF, EPS = 1e-12, 1e-15  # of numbers in matrices, against those of row and column, and of all
FORMATS = ("png", "svg", "pdf")


def draw(panels: Sequence[Panel], axes: Any = None, only: Sequence[int] | int | None = None) -> Any:
    """Draw panels, or `only` some by number, into one Axes each; gives the array (k,) of them, or where `only` is a
    number that one itself. One Axes, not in a list, gets the first panel."""
    require_matplotlib()
    only = 0 if only is None and hasattr(axes, "plot") else only
    shown = _chosen(panels, only)
    given = new_axes(shown) if axes is None else _given(axes, shown)
    for panel, one in zip(shown, given):
        DRAWN[type(panel)](panel, one)
    return given[0] if isinstance(only, int) else np.array(given, dtype=object)


def picture(panels: Sequence[Panel], form: str) -> bytes:
    """A new figure of panels as a file: "png", "svg" or "pdf"."""
    import io

    axes = draw(panels)
    out = io.BytesIO()
    told = {"Date": None} if form == "svg" else {"CreationDate": None} if form == "pdf" else {}
    axes[0].figure.savefig(out, format=form, dpi=150, metadata=told)
    return out.getvalue()


def new_axes(panels: Sequence[Panel]) -> list[Any]:
    """Axes of a new figure, below each other; two beside each other where they are many and of several kinds."""
    from matplotlib.figure import Figure

    shared = all(isinstance(p, LinePanel) and p.x == panels[0].x for p in panels if isinstance(panels[0], LinePanel))
    shared = shared and isinstance(panels[0], LinePanel) and not panels[0].square
    columns = 1 if shared or len(panels) < 3 else 2
    rows = math.ceil(len(panels) / columns)
    tall = [max(map(_height, panels[columns * r : columns * (r + 1)])) for r in range(rows)]
    tall = [CROWDED] * rows if shared and rows > 4 else tall
    figure = Figure(figsize=(WIDTH * (1 if columns == 1 else 1.7), sum(tall) + 0.3), layout="constrained")
    found = figure.subplots(
        rows, columns, squeeze=False, sharex="col" if shared else False, height_ratios=tall
    ).ravel()
    for rest in found[len(panels) :]:
        rest.remove()
    return [*found[: len(panels)]]


def _height(panel: Panel) -> float:
    if isinstance(panel, BarPanel):
        return max(HEIGHT - 0.6, 1.0 + ROW * min(len(panel.names), MAX_BARS))
    if isinstance(panel, FieldPanel):
        return max(HEIGHT + 0.8, min(1.2 + 0.22 * len(panel.upwards), 9.0) if _names(panel.upwards) else 0)
    if isinstance(panel, TextPanel):
        return 0.5 + 0.25 * len(panel.lines)
    return HEIGHT + 1.0 if isinstance(panel, LinePanel) and panel.square else HEIGHT


def require_matplotlib() -> None:
    """An error that names the extra where Matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtraError("a plot of a result", "matplotlib", "plot") from None


def _chosen(panels: Sequence[Panel], only: Sequence[int] | int | None) -> list[Panel]:
    wanted = range(len(panels)) if only is None else [only] if isinstance(only, int) else list(only)
    if any(not isinstance(k, int) or not -len(panels) <= k < len(panels) for k in wanted):
        raise PoinsotError(f"panels are numbers from 0 to {len(panels) - 1}, not {only!r}")
    if not (found := [panels[k] for k in wanted]):
        raise PoinsotError("there is nothing to draw: no panels")
    return found


def _given(axes: Any, panels: Sequence[Panel]) -> list[Any]:
    """The user's Axes, one for each panel."""
    found = [axes] if hasattr(axes, "plot") else [*np.ravel(np.array(axes, dtype=object))]
    if not all(hasattr(one, "plot") for one in found):
        raise PoinsotError("axes are Axes of Matplotlib, one or several")
    if len(found) != len(panels):
        named = ", ".join(f"{k} {_said(panel)}" for k, panel in enumerate(panels))
        raise PoinsotError(
            f"{len(found)} Axes for {len(panels)} panels; give as many, or choose by panels= from: {named}"
        )
    return found


def _said(panel: Panel) -> str:
    said = {LinePanel: "y", BarPanel: "x", FieldPanel: "label"}
    return f"'{panel.title or getattr(panel, said.get(type(panel), 'title'))}'"


def _plain(text: str) -> str:
    """A label as it is: one with a leading underscore would not be shown."""
    return f" {text}" if text.startswith("_") else text


def _lines(panel: LinePanel, axes: Any) -> None:
    shown = panel.curves[:MAX_CURVES]
    for k, curve in enumerate(shown):
        _curve(axes, curve, k, panel)
    for name, at in panel.marks.items():
        axes.axvline(at, color="0.45", linewidth=0.8, linestyle=":")
        axes.annotate(
            _plain(name), (at, 1), xycoords=("data", "axes fraction"), rotation=90, va="top", ha="right",
            fontsize="x-small", color="0.3", parse_math=False,
        )  # fmt: skip
    for begin, end in panel.shaded:
        axes.axvspan(begin, end, color="#E69F00", alpha=0.35, linewidth=1.5, zorder=0.5)
    _levels(axes, panel.levels, axes.axhline)
    if "x" in panel.log and _wide([curve.x for curve in shown]):
        axes.set_xscale("log")
    if "y" in panel.log and _wide([curve.y for curve in shown]):
        axes.set_yscale("log", nonpositive="mask")
    _plain_ticks(axes)
    if panel.square:
        axes.set_aspect("equal", adjustable="datalim")
    _labels(axes, panel.x, panel.y, panel.title)
    more = f"first {MAX_CURVES} of {len(panel.curves)}" if len(panel.curves) > MAX_CURVES else ""
    if len(panel.curves) > 1 or panel.levels:
        _legend(axes, more)


def _curve(axes: Any, curve: Curve, k: int, panel: LinePanel) -> None:
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    colour, label = COLOURS[k % len(COLOURS)], _plain(curve.name)
    if curve.style in ("points", "crosses", "faint"):
        marker = {"crosses": "x", "faint": "."}.get(curve.style, MARKERS[k % len(MARKERS)])
        colour = "0.75" if curve.style == "faint" else colour
        error = None if curve.error is None else np.asarray(curve.error, float)
        axes.errorbar(
            x, y, yerr=error, color=colour, marker=marker, markersize=4.5, linestyle="none", capsize=2, label=label
        )
        return
    kept = thinned([y])
    style = "--" if curve.style == "dashed" or k >= len(COLOURS) else "-"
    marker = "." if np.isfinite(y).sum() == 1 else ""
    axes.plot(x[kept], y[kept], color=colour, linestyle=style, marker=marker, linewidth=1.3, label=label)
    if curve.error is not None:
        e = np.asarray(curve.error, float)[kept]
        low = np.maximum(y[kept] - e, 0.3 * y[kept]) if "y" in panel.log else y[kept] - e
        axes.fill_between(x[kept], low, y[kept] + e, color=colour, alpha=0.25, linewidth=0)


def _bars(panel: BarPanel, axes: Any) -> None:
    n = min(len(panel.names), MAX_BARS)
    places, count = np.arange(n), len(panel.series)
    if panel.log and _wide([*panel.series.values(), *([x] for x in panel.levels.values())]):
        axes.set_xscale("log")
    start, wide = np.zeros(n), 0.8 / (1 if panel.stacked else max(count, 1))
    for k, (name, values) in enumerate(panel.series.items()):
        x = np.asarray(values, float)[:n]
        at = places if panel.stacked else places + wide * (k - (count - 1) / 2)
        error = np.asarray(panel.errors[name], float)[..., :n] if name in panel.errors else None
        colour, label = COLOURS[k % len(COLOURS)], _plain(name)
        style = {"ecolor": "0.3", "capsize": 2, "xerr": error}
        if panel.points:
            axes.errorbar(
                x, at, xerr=error, color=colour, marker=MARKERS[k % 7], linestyle="none", capsize=3, label=label
            )
        elif panel.verdicts:
            axes.barh(at, x, 0.7 * wide, color=[OF_VERDICT[v][0] for v in panel.verdicts[:n]], **style)
        else:
            hatch = "//" if k >= len(COLOURS) else None
            axes.barh(at, x, 0.9 * wide, left=start, color=colour, hatch=hatch, label=label, **style)
        start = start + np.nan_to_num(x) if panel.stacked else start
    axes.set_yticks(places, [_plain(name) for name in panel.names[:n]], fontsize="small", parse_math=False)
    axes.set_ylim(n - 0.4, -0.6)
    _plain_ticks(axes)
    if axes.get_xscale() == "log":
        known = np.concatenate([np.ravel(np.asarray(x, float)) for x in panel.series.values()])
        axes.set_xlim(left=float(np.min(known[known > 0])) / 3)
    _levels(axes, panel.levels, axes.axvline)
    more = f"first {n} of {len(panel.names)}" if len(panel.names) > n else ""
    _labels(axes, panel.x, "", " – ".join(part for part in (panel.title, more) if part))
    if panel.verdicts:
        _verdicts(panel, axes, n)
    if count > 1 or panel.verdicts or panel.levels:
        _legend(axes, "")


def _verdicts(panel: BarPanel, axes: Any, n: int) -> None:
    """A marker at the end of each bar, at the far edge where no length would do."""
    values = np.asarray(next(iter(panel.series.values())), float)[:n]
    near, edge = axes.get_xlim()
    for verdict, (colour, marker) in OF_VERDICT.items():
        rows = [k for k, v in enumerate(panel.verdicts[:n]) if v == verdict]
        if rows:
            at = [values[k] if np.isfinite(values[k]) else edge for k in rows]
            axes.plot(
                at, rows, linestyle="none", marker=marker, color=colour, markeredgecolor="white", markersize=7,
                label=verdict, clip_on=False, zorder=5,
            )  # fmt: skip
    axes.set_xlim(near, edge)


def _field(panel: FieldPanel, axes: Any) -> None:
    from matplotlib.colors import LogNorm

    values = np.asarray(panel.values, float).T
    finite = values[np.isfinite(values)]
    limit = panel.limit or (float(np.max(np.abs(finite))) if finite.size else 1.0) or 1.0
    style: dict[str, Any] = {"cmap": "viridis"}
    if panel.signed:
        style = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
    elif panel.log and (finite > 0).all() and finite.size:
        style |= {"norm": LogNorm(float(finite.min()), float(finite.max()))}
    named = _names(panel.across) or _names(panel.upwards)
    places = [np.arange(len(p)) if _names(p) else np.asarray(p, float) for p in (panel.across, panel.upwards)]
    mesh = axes.pcolormesh(*map(_edges, places), values, shading="flat", rasterized=values.size > 2000, **style)
    for set_ticks, names in ((axes.set_xticks, panel.across), (axes.set_yticks, panel.upwards)):
        if _names(names):
            turn = {"rotation": 60, "ha": "right"} if set_ticks == axes.set_xticks else {}
            labels = [_plain(str(name)) for name in names]
            set_ticks(np.arange(len(names)), labels, fontsize="x-small", parse_math=False, **turn)
    if named and values.size <= 64:
        _numbers(axes, values, limit)
    for k, curve in enumerate(panel.points):
        axes.plot(curve.x, curve.y, linestyle="none", marker=MARKERS[k], color="white", markeredgecolor="black",
                  label=_plain(curve.name))  # fmt: skip
    axes.figure.colorbar(mesh, ax=axes).set_label(panel.label, parse_math=False)
    _labels(axes, panel.x, panel.y, panel.title, grid=False)


def _edges(places: np.ndarray) -> np.ndarray:
    """Edges (n + 1,) of cells about n places; a single cell is one unit wide."""
    half = np.diff(places) / 2 if len(places) > 1 else np.array([0.5])
    return np.concatenate([[places[0] - half[0]], places[:-1] + half[: len(places) - 1], [places[-1] + half[-1]]])


def without_round_off(values: np.ndarray) -> np.ndarray:
    """A matrix with 0 for what is round-off beside the rest, or beside the largest of its row and its column."""
    known = np.isfinite(values)
    size = np.abs(np.where(known, values, 0.0))
    beside = np.sqrt(size.max(axis=0, initial=0.0) * size.max(axis=1, initial=0.0)[:, None])
    small = (size < ROUND_OFF * beside) | (size < EPS * size.max(initial=0.0))
    return np.where(known & small, 0.0, values)


def _numbers(axes: Any, values: np.ndarray, limit: float) -> None:
    """Small matrices have their numbers in the cells."""
    size = "small" if values.size <= 9 else "x-small"
    for (j, i), x in np.ndenumerate(without_round_off(values)):
        if np.isfinite(x):
            colour = "white" if abs(x) > 0.6 * limit else "black"
            text = f"{x:.2g}".replace("-", "−")
            axes.text(i, j, text, ha="center", va="center", fontsize=size, color=colour)


def _text(panel: TextPanel, axes: Any) -> None:
    axes.axis("off")
    text = "\n".join(panel.lines)
    axes.text(
        0, 1, text, va="top", ha="left", fontsize="small", wrap=True, transform=axes.transAxes, parse_math=False
    )
    axes.set_title(panel.title, loc="left", fontsize="medium", parse_math=False)


def _names(places: Any) -> bool:
    return len(places) > 0 and isinstance(places[0], str)


def _wide(values: Sequence[Any]) -> bool:
    """Whether positive values are of several decades, or nearly, so that their logarithm tells more."""
    every = np.concatenate([np.ravel(np.asarray(x, float)) for x in values]) if values else np.zeros(0)
    positive = every[np.isfinite(every) & (every > 0)]
    return bool(positive.size and positive.max() >= DECADE * positive.min())


def _plain_ticks(axes: Any) -> None:
    """Ticks tell their numbers without a sum, and are few enough to be read."""
    from matplotlib.ticker import MaxNLocator

    for axis in (axes.xaxis, axes.yaxis):
        if hasattr(axis.get_major_formatter(), "set_useOffset"):
            axis.get_major_formatter().set_useOffset(False)
            axis.get_major_formatter().set_powerlimits((-3, 4))
    if isinstance(axes.xaxis.get_major_locator(), MaxNLocator):
        axes.xaxis.get_major_locator().set_params(nbins=TICKS)


def _levels(axes: Any, levels: Mapping[str, float], line: Callable[..., Any]) -> None:
    for k, (name, at) in enumerate(levels.items()):
        line(at, color="0.3", linewidth=1.0, linestyle=("--", ":", "-.")[k % 3], label=_plain(name), zorder=0.5)


def _labels(axes: Any, x: str, y: str, title: str, grid: bool = True) -> None:
    shared = axes.get_shared_x_axes().get_siblings(axes)
    last = all(axes.get_subplotspec() is None or _below(axes, other) for other in shared if other is not axes)
    axes.set_xlabel(x if last else "", parse_math=False)
    axes.set_ylabel(y, parse_math=False)
    axes.set_title(title, loc="left", fontsize="medium", parse_math=False)
    if grid:
        axes.grid(True, color="0.9", linewidth=0.6)
        axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _below(axes: Any, other: Any) -> bool:
    """Whether Axes that share an abscissa lie below others."""
    spec = other.get_subplotspec()
    return spec is None or axes.get_subplotspec().rowspan.stop >= spec.rowspan.stop


def _legend(axes: Any, title: str) -> None:
    """At the right of the Axes, where it covers nothing."""
    legend = axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small", borderaxespad=0.0, title=title,
        title_fontsize="small",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


DRAWN: Mapping[type, Callable[[Any, Any], None]] = {
    LinePanel: _lines,
    BarPanel: _bars,
    FieldPanel: _field,
    TextPanel: _text,
}
