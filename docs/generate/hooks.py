"""What mkdocs calls: pages made from code are added, diagrams drawn, pages that the navigation lacks get a place."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from docs.generate import diagram, file_tables, gallery, reference, sensor_tables  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402

PAGES = {
    "reference/index.md": reference.overview,
    "reference/python.md": reference.functions,
    "reference/records.md": reference.records,
    "reference/command-line.md": reference.command_line,
    "reference/model-file.md": file_tables.model_file,
    "reference/laws.md": file_tables.laws,
    "reference/sensors.md": sensor_tables.sensors,
    "reference/study-file.md": file_tables.study_file,
    "reference/design-file.md": file_tables.design_file,
    "reference/units.md": file_tables.units,
    "gallery.md": gallery.page,
    "changes.md": lambda: (ROOT / "CHANGELOG.md").read_text(),
    "decisions/index.md": lambda: _decisions(),
}


def on_config(config: Any) -> Any:
    """Decisions by number, and pages of docs/ that the navigation does not name under "How to"."""
    for section in config["nav"]:
        ((title, entries),) = section.items()
        if title == "Inside":
            section[title] = [
                {"Decisions": ["decisions/index.md", *_decision_files()]} if e == {"Decisions": "decisions/"} else e
                for e in entries
            ]
    named = set(re.findall(r"[\w/.-]+\.md", str(config["nav"])))
    others = sorted(p.name for p in (ROOT / "docs").glob("*.md") if p.name not in named)
    for section in config["nav"]:
        if "How to" in section:
            section["How to"] += others
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made from code."""
    for place, write in PAGES.items():
        files.append(File.generated(config, place, content=write()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Draw mermaid's flowcharts here, since its script would come from the network; drop marks of the tests."""
    drawn = re.sub(r"```mermaid\n(.*?)```", lambda found: diagram.svg(found.group(1)), markdown, flags=re.S)
    shown = re.sub(r"<!-- not run:.*?-->\n", "", drawn)
    return with_anchors(shown) if page.file.src_uri.startswith("theory/") else shown


def with_anchors(theory: str) -> str:
    """Numbered equations can be linked to: #eq-7.

    >>> with_anchors("Eq. 7: s = ½ ∫ w'² dx")
    '<span id="eq-7"></span>Eq. 7: s = ½ ∫ w\'² dx'
    """
    anchored = re.sub(r"^(\*\*)?(Eq\. (\d+))", r'<span id="eq-\3"></span>\1\2', theory, flags=re.M)
    return re.sub(r"^\| (\d+) \|", r'| <span id="eq-\1"></span>\1 |', anchored, flags=re.M)


def _decision_files() -> list[str]:
    return [f"decisions/{p.name}" for p in sorted((ROOT / "docs" / "decisions").glob("0*.md"))]


def _decisions() -> str:
    rows = []
    for name in _decision_files():
        title = (ROOT / "docs" / name).read_text().splitlines()[0].lstrip("# ")
        rows.append(f"- [{title}]({name.split('/')[1]})")
    return (
        "# Decisions\n\nWhy things are as they are: context with evidence, decision, consequences.\n\n"
        + "\n".join(rows)
    )
