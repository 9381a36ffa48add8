"""Every code block, command and table of README and docs runs as it stands, page by page; links and paths exist.

A page is read from top to bottom in one empty folder. Python blocks share one namespace. A TOML block with a title is
written to that file; others are checked as model, study or design files. Shell blocks are commands `poinsot …`. A block
that cannot run has its reason above it: <!-- not run: … -->.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import poinsot
from poinsot.elements.forces import FORCES
from poinsot.elements.joints import JOINTS
from poinsot.elements.sensors import SENSORS
from poinsot.estimate.methods.registry import EVERY, METHODS
from poinsot.estimate.study_file import study_table
from poinsot.experiment.study_file import DesignTable
from poinsot.model.schema import ModelSpec

ROOT = Path(__file__).parents[1]
PAGES = [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if p.parent.name != "decisions"]
RUNS = ("python", "toml", "sh", "console")
SHOWN = ("text", "mermaid", "yaml", "xml", "json", "csv")  # not run; files among them have a title and are written
NOT_RUN = 3  # blocks that give a reason; more need a thought
FENCE = re.compile(
    r'(?:<!-- not run: (?P<reason>[^>]+) -->\n)?^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.S | re.M,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    text: str
    reason: str  # for which it is not run; empty: it runs
    line: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text()
    assert text.count("\n```") % 2 == 0, f"{page}: a fence is not closed"
    found = [{key: value or "" for key, value in one.groupdict().items()} | {"at": one.start()} for one in FENCE.finditer(text)]
    return [
        Block(one["language"], one["title"], one["text"], one["reason"], text.count("\n", 0, one["at"]) + 1)
        for one in found
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run(page: Path, folder: Path) -> str:
    """Run a page; what its commands and scripts print."""
    module, printed = ModuleType("__page__"), []
    sys.modules["__page__"] = module  # dataclasses look for the module of a class
    for block in blocks(page):
        where = f"{name_of(page)}:{block.line}"
        assert block.language in (*RUNS, *SHOWN), f"{where}: a block of '{block.language}' is neither run nor known"
        if block.reason:
            continue
        if block.title and block.language != "python":
            (folder / block.title).write_text(block.text)
        elif block.language == "toml":
            checked(tomllib.loads(block.text), where)
        elif block.language == "python":
            if block.title:
                (folder / block.title).write_text(block.text)
            exec(compile("\n" * block.line + block.text, where, "exec"), module.__dict__)
        elif block.language in ("sh", "console"):
            printed += [command(line, where) for line in commands(block.text)]
    return "\n".join(printed)


def commands(text: str) -> list[str]:
    """Lines of a shell block, without prompts and remarks."""
    lines = [line.split("  #")[0].removeprefix("$ ").strip() for line in text.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def command(line: str, where: str) -> str:
    """Run a line `poinsot …`; what it prints."""
    from poinsot.app.cli import app

    program, *arguments = shlex.split(line)
    assert program == "poinsot", f"{where}: '{line}' is not a command of Poinsot"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{where}: {line}\n{result.output}\n{result.exception!r}"
    return result.output


def checked(document: dict, where: str) -> None:
    """A block is part of a design, study or model file, and has no key that such a file does not know."""
    if "design" in document:
        DesignTable.model_validate({"model": "x"} | document)
    elif {"recordings", "unknowns", "method", "modal", "control", "processing"} & set(document):
        study_table({"model": "x"} | document, where)
    else:
        ModelSpec.model_validate({"format": 1} | document)


SLOW = {"docs/how-to/design-an-experiment.md"}  # pages that compile or search for more than some seconds


@pytest.fixture(autouse=True)
def registries():
    """What a page registers is gone after it."""
    kept = [(table, dict(table)) for table in (JOINTS, FORCES, SENSORS, METHODS, EVERY)]
    yield
    sys.modules.pop("__page__", None)
    for table, before in kept:
        for kind in [kind for kind in table if kind not in before]:
            del table[kind]


@pytest.mark.parametrize(
    "page", [pytest.param(p, id=name_of(p), marks=[pytest.mark.slow] * (name_of(p) in SLOW)) for p in PAGES]
)
def test_everything_that_a_page_shows_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page, tmp_path)


def test_the_rule_on_blocks_can_fail(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.test_documentation.ROOT", tmp_path)
    page = tmp_path / "page.md"
    for text in (
        "```python\nassert 1 > 2\n```\n",
        "```sh\npoinsot check nothing.toml\n```\n",
        "```sh\nrm run.csv\n```\n",
        "```toml\nbodys = {}\n```\n",
        '```toml\n[design]\ntask = "poses"\n[limit]\n```\n',
        "```rust\nfn main() {}\n```\n",
    ):
        page.write_text(text)
        with pytest.raises(Exception, match=r"."):
            run(page, tmp_path)
    page.write_text('<!-- not run: it has no end -->\n```python\nassert 1 > 2\n```\n```csv title="a.csv"\nt\n```\n')
    run(page, tmp_path)
    assert (tmp_path / "a.csv").read_text() == "t\n"


def test_few_blocks_are_not_run():
    reasons = {f"{name_of(page)}:{b.line}": b.reason for page in PAGES for b in blocks(page) if b.reason}
    assert len(reasons) <= NOT_RUN, reasons


def test_the_readme_says_what_its_first_look_gives(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(ROOT / "README.md", tmp_path)
    assert "verdict: numerics sound" in capsys.readouterr().out


def links(text: str) -> list[tuple[str, str]]:
    """Targets (file, anchor) of links and pictures that point into the repository."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in t]
    return [(file, anchor) for file, _, anchor in (target.partition("#") for target in targets)]


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    titles = re.findall(r"^#+ (.+)$", prose, re.M)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-") for title in titles}


GENERATED = ("reference/", "gallery.md", "changes.md", "decisions/index.md")  # by docs/generate; mkdocs checks links there


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for file, anchor in links(page.read_text()):
        target = (page.parent / file).resolve() if file else page
        inside = target.is_relative_to(ROOT / "docs") and page.name != "README.md"
        if inside and target.relative_to(ROOT / "docs").as_posix().startswith(GENERATED):
            continue
        assert target.exists(), f"{name_of(page)} links to {file}, which does not exist"
        assert not anchor or anchor in anchors(target), f"{name_of(page)} links to {file}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_of_the_repository_that_a_page_names_exist(page):
    named = re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w./-]+)`", page.read_text())
    missing = [file for file in named if not (ROOT / file).exists()]
    assert not missing, f"{name_of(page)} names {missing}"


def arguments_without_a_word(function) -> list[str]:
    """Arguments that a docstring does not mention."""
    text = inspect.getdoc(function) or ""
    return [name for name in inspect.signature(function).parameters if not re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize("name", [n for n in poinsot.__all__ if inspect.isfunction(getattr(poinsot, n))])
def test_every_argument_of_a_public_function_is_documented(name):
    assert not arguments_without_a_word(getattr(poinsot, name))


def test_the_rule_on_arguments_can_fail():
    def verb(mechanism, rate):
        """Something of a `mechanism`."""

    assert arguments_without_a_word(verb) == ["rate"]
