"""The page of a report: sections, style, script, plots and scenes in one file that needs no network."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import poinsot
from poinsot.app.report.blocks import ReportPlot, ReportScene, ReportSection, Words
from poinsot.app.report.saved import SavedResult, read_result
from poinsot.app.report.sections.comparison import comparison, differing
from poinsot.app.report.sections.provenance import provenance
from poinsot.app.report.sections.registry import SECTIONS
from poinsot.app.report.words import with_minus
from poinsot.app.scene.viser_package import viser_module
from poinsot.errors import MissingExtraError, PoinsotError
from poinsot.model.toml import as_path, check_place, write_aside

HERE = Path(__file__).parent
DAMAGED = (KeyError, TypeError, ValueError, AttributeError, IndexError)


@dataclass(frozen=True)
class ReportPage:
    """A page, and what is on it."""

    title: str
    html: str
    sections: tuple[str, ...]  # titles
    files: tuple[str, ...]  # names of the CSV files that can be saved from it

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON, without the page itself."""
        size = len(self.html.encode())
        return {"title": self.title, "bytes": size, "sections": list(self.sections), "data": list(self.files)}


def report_page(result: str | Path, against: str | Path | None = None) -> ReportPage:
    """A result, the folder of `Estimate.save` or `Design.save`, as a page; or a comparison with another one."""
    require_report()
    first = read_result(result)
    if against is None:
        kind = "Design for" if first.designed else "Identification of"
        return _page(f"{kind} {first.model}", _subtitle(first), _sections(first))
    second = read_result(against)
    title = f"{first.folder.resolve().name} and {second.folder.resolve().name}"
    return _page(title, "Two results compared", _compared(first, second))


def write_report(
    result: str | Path, out: str | Path, against: str | Path | None = None, overwrite: bool = False
) -> ReportPage:
    """Write the page of a result, aside and renamed; gives the page."""
    place = as_path(out)
    if place.parent.is_dir():  # that of a result that does not exist is told with the result
        check_place(place, overwrite)
    page = report_page(result, against)
    write_aside(place, page.html)
    return page


def require_report() -> None:
    """An error that names the extra where a package is missing that a report needs."""
    for module, package in (("jinja2", "jinja2"), ("plotly", "plotly"), ("PIL", "pillow")):
        try:
            import_module(module)
        except ImportError:
            raise MissingExtraError("a report", package, "report") from None
    viser_module("a report", "report")


def _sections(result: SavedResult) -> list[ReportSection]:
    found = []
    for make in SECTIONS:
        try:
            section = make(result)
        except DAMAGED as error:
            raise PoinsotError(
                f"{result.folder / result.sign} does not hold what the section '{make.__name__}' needs: {error!r}"
            ) from error
        found += [] if section is None else [section]
    return found


def _compared(first: SavedResult, second: SavedResult) -> list[ReportSection]:
    """Sections about two results."""
    try:
        asked = ReportSection("question", "The question", [Words("Do two results agree?"), differing(first, second)])
        origins = [provenance(one) for one in (first, second)]
        named = [
            ReportSection(f"provenance{k}", f"{one.folder.resolve().name}: provenance", part.blocks)
            for k, (one, part) in enumerate(zip((first, second), origins))
            if part is not None
        ]
        return [asked, *comparison(first, second), *named]
    except DAMAGED as error:
        raise PoinsotError(f"{first.folder} and {second.folder} cannot be compared: {error!r}") from error


def _subtitle(result: SavedResult) -> str:
    study = str(result.study.get("name") or result.data.get("name") or "")
    how = str(result.data.get("task") if result.designed else f"by the method '{result.data['method']}'")
    return f"{study}, {how}" if study and study != result.model else how


def _page(title: str, subtitle: str, sections: Sequence[ReportSection]) -> ReportPage:
    import jinja2
    from plotly.offline import get_plotlyjs

    drawings = [block for block in _all_blocks(sections) if isinstance(block, ReportPlot)]
    scenes = [block for block in _all_blocks(sections) if isinstance(block, ReportScene)]
    # Names of CSV files are told apart; blocks are found by their place, since titles may repeat.
    data = [one.data() for one in drawings]
    for k, one in enumerate(data):
        one["name"] = _other_than([x["name"] for x in data[:k]], one["name"])
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    environment.filters["minus"] = with_minus
    html = environment.get_template("page.html").render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        place={id(block): k for group in (drawings, scenes) for k, block in enumerate(group)},
        id=id,
        version=poinsot.__version__,
        style=_safe(HERE / "style.css"),
        script=_safe(HERE / "page.js"),
        plotly=packed(get_plotlyjs()) if drawings else "",
        plots=packed(json.dumps(data, ensure_ascii=False, separators=(",", ":"))),
        scenes=[packed(text) for text in shared([scene.html for scene in scenes])],
    )
    return ReportPage(title, html, tuple(s.title for s in sections), tuple(f"{one['name']}.csv" for one in data))


def _all_blocks(sections: Sequence[ReportSection]) -> Iterator[Any]:
    """Blocks in their order, folded ones included."""
    for section in sections:
        for block in section.blocks:
            yield from getattr(block, "blocks", (block,))


def packed(text: str) -> str:
    """Text as gzip in base 64, which no user's text can end; without a time, so that pages repeat."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def shared(pages: Sequence[str]) -> list[str]:
    """Pages, of the later ones what differs from the first: "head,tail," characters in common, then the middle.

    >>> shared(["client A end", "client BB end"])
    ['0,0,client A end', '7,4,BB']
    """
    found = []
    for page in pages:
        first = pages[0] if found else ""
        head = _common(first, page)
        tail = _common(first[head:][::-1], page[head:][::-1])
        found.append(f"{head},{tail},{page[head : len(page) - tail]}")
    return found


def _common(a: str, b: str) -> int:
    """Characters with which both begin, by halves."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    return low


def _safe(path: Path) -> Any:
    """A file of this package, which is written as it is."""
    from markupsafe import Markup

    return Markup(path.read_text(encoding="utf-8"))


def _other_than(names: Sequence[str], name: str) -> str:
    """A name that is not taken."""
    more = (f"{name}-{k}" for k in range(2, len(names) + 3))
    return name if name not in names else next(other for other in more if other not in names)
