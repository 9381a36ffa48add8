"""Rules of the house that a machine can check: import direction, sizes, docstrings, exported names, theory."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import poinsot
from tests import import_graph

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "poinsot"
FILES = sorted(SOURCE.rglob("*.py"))
# A package may import those before it and itself; `app` may import all, and nobody imports it.
ORDER = [
    "errors",
    "lazy",
    "blas",
    "store",
    "results",
    "spatial",
    "elements",
    "model",
    "engine",
    "parallel",
    "formulations",
    "system",
    "motion",
    "simulation",
    "statics",
    "vibration",
    "identifiability",
    "recording",
    "estimate",
    "experiment",
    "library",
    "app",
]
MAX_FILE, MAX_BODY = 400, 60  # lines
MAX_CHAIN, MAX_FOLDER = 16, 15  # modules
MEASURING = 6  # modules of a chain that the measuring half may add


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def functions(tree: ast.AST):
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("poinsot."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.level > 1 and node.module:  # from ..errors import …
            names.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            names.update(a.name.split(".")[1] for a in node.names if a.name.startswith("poinsot."))
    return names


def wrong_imports(package: str, tree: ast.AST) -> set[str]:
    rank = ORDER.index(package)
    return {name for name in imported(tree) if ORDER.index(name) > rank or (name == "app" and package != "app")}


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_go_upwards_only(path):
    package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if package in ("__init__", "__main__"):
        pytest.skip("the doors: one imports everything, lazily, the other the command line")
    assert not wrong_imports(package, import_graph.parsed(path))


def test_the_import_rule_can_fail():
    assert wrong_imports("spatial", ast.parse("from poinsot.model.load import load")) == {"model"}


# Numeric work: linear algebra, quadrature and interpolation in NumPy, anything of SciPy, ranks, solvers of CasADi.
NUMERIC = {f"np.{name}" for name in ("linalg", "einsum", "polynomial", "fft", "interp", "gradient")}
NUMERIC |= {f"casadi.{name}" for name in ("integrator", "rootfinder", "nlpsol", "qpsol")}
NUMERIC |= {"scipy", "one_blas_thread", "rank_of", "free_motions", "least_squares"}
BOTH = {"spatial/algebra.py"}  # formulas written once for numbers and symbols
ENGINE = {"casadi.integrator", "casadi.nlpsol"}  # in the engine, whose business is to run what others write


def names_used(tree: ast.AST) -> set[str]:
    """Packages and names that a module imports, and what it asks of its modules: "np.linalg"."""
    found = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {(node.module or "").split(".")[0], *(a.name for a in node.names)}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[0] for a in node.names}
    return found


def numeric_work(tree: ast.AST) -> set[str]:
    """Numeric work of a module that writes equations; nothing where it writes none."""
    used = names_used(tree)
    return used & NUMERIC if "casadi" in used else set()


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_modules_that_write_equations_do_no_numeric_work(path):
    place = path.relative_to(SOURCE)
    allowed = NUMERIC if place.as_posix() in BOTH else ENGINE if place.parts[0] == "engine" else set()
    done = numeric_work(import_graph.parsed(path)) - allowed
    assert not done, f"{path} imports CasADi and uses {done}: write the equations in a module of their own"


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nx = np.linalg.svd(casadi.DM.eye(2))",
        "def f():\n    from scipy.linalg import qr\n    return qr",
        "from poinsot.blas import one_blas_thread",
        "from poinsot.system.scaled_rank import Sizes, rank_of",
        "step = casadi.integrator('it', 'cvodes', problem)",
    ],
)
def test_the_rule_on_numeric_work_can_fail(code):
    assert numeric_work(ast.parse(f"from poinsot.lazy import casadi\n{code}"))
    assert not numeric_work(ast.parse(code))
    assert not numeric_work(ast.parse("from poinsot.lazy import casadi\nx = casadi.SX(np.eye(3))"))


def small_package(folder: Path, **modules: str) -> list[Path]:
    """A package `poinsot` of a few modules: "a.b" is written as a__b, the door of a folder as a__."""
    for name, text in {"": "", **modules}.items():
        path = folder / "poinsot" / "/".join(name.split("__"))
        path = path / "__init__.py" if name.endswith("__") or not name else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return sorted(folder.rglob("*.py"))


@cache
def whole_graph() -> import_graph.Graph:
    return import_graph.read(FILES, SOURCE)


def test_no_module_imports_itself_by_a_detour():
    graph = whole_graph()
    assert import_graph.cycles(graph.loaded | graph.hidden | graph.lazy) == []
    named = graph.loaded | graph.hidden | graph.annotations
    assert import_graph.cycles({(a, b) for a, b in named if a not in graph.doors}) == []


def test_no_import_is_hidden_in_a_function_but_those_of_the_command_line():
    graph = whole_graph()
    assert {a for a, _ in graph.hidden if a not in graph.doors and not a.startswith("poinsot.app.")} == set()


def test_no_chain_of_imports_is_long():
    model_half = [
        p for p in FILES if not set(p.relative_to(SOURCE).parts) & {"recording", "estimate", "experiment", "app"}
    ]
    graphs = (import_graph.read(model_half, SOURCE), MAX_CHAIN), (whole_graph(), MAX_CHAIN + MEASURING)
    for graph, longest in graphs:
        chain = import_graph.longest(graph)
        assert len(chain) <= longest, " > ".join(chain)


def test_no_folder_has_many_modules():
    folders = {path.parent for path in FILES}
    many = {str(f): n for f in folders if (n := len([*f.glob("*.py")]) - (f / "__init__.py").exists()) > MAX_FOLDER}
    assert not many


def test_the_rules_about_detours_chains_and_hidden_imports_can_fail(tmp_path):
    door = 'from poinsot.lazy import door\n__getattr__ = door(__name__, {"second": "b", "third": "c"})'
    files = small_package(
        tmp_path,
        one="from poinsot import p\ndef f(): return p.b",
        two="from poinsot.three import x",
        three="def f():\n    from poinsot.two import y",
        p__=door,
        p__second="from poinsot.one import f",
        p__third="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from poinsot.two import x",
    )
    graph = import_graph.read(files, tmp_path / "poinsot")
    assert graph.hidden == {("poinsot.three", "poinsot.two")}
    assert graph.annotations == {("poinsot.p.third", "poinsot.two")}
    assert ("poinsot.one", "poinsot.p.second") in graph.lazy
    found = import_graph.cycles(graph.loaded | graph.hidden | graph.lazy)
    assert found == [["poinsot.one", "poinsot.p.second"], ["poinsot.three", "poinsot.two"]]
    assert import_graph.longest(graph) == ["poinsot.p.second", "poinsot.one"]  # the door of p does not count


def compared_kinds(tree: ast.AST) -> list[int]:
    """Lines that compare or match a `kind` by attribute, name, call or key; dtypes and channels are no laws."""
    found = []
    for node in ast.walk(tree):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        sides += [node.subject] if isinstance(node, ast.Match) else []
        for side in (s.func if isinstance(s, ast.Call) else s for s in sides):
            name = getattr(side, "attr", getattr(side, "id", ""))
            value = getattr(side, "value", None)
            of = getattr(value, "attr", getattr(value, "id", ""))
            found += [node.lineno] if name == "kind" and of not in ("dtype", "channel") else []
    return found


@pytest.mark.parametrize("path", [p for p in FILES if "elements" not in p.parts], ids=module_name)
def test_nobody_tests_the_kind_of_a_law(path):
    assert not compared_kinds(import_graph.parsed(path)), f"{path}: the law should say what is asked of it"


@pytest.mark.parametrize(
    "code",
    [
        "if joint.kind == 'revolute': pass",
        "x = [f for f in forces if f.kind not in ('spring', 'end-stop')]",
        "kind = joint.kind\nturns = 'hinge' == kind",
        "match law.kind:\n    case 'spring': pass",
        "fixed = self.kind(joint) != 'fixed'",
    ],
)
def test_the_rule_on_kinds_can_fail(code):
    assert compared_kinds(ast.parse(code))
    assert not compared_kinds(ast.parse("text = f'a {joint.kind} joint'\nreal = x.dtype.kind in 'fiub'"))


@pytest.mark.parametrize("path", [*FILES, *sorted((ROOT / "tests").rglob("*.py"))], ids=str)
def test_no_file_or_function_needs_scrolling(path):
    text = path.read_text()
    assert text.count("\n") <= MAX_FILE, f"{path} has {text.count(chr(10))} lines"
    for f in functions(ast.parse(text)):
        assert f.end_lineno - f.lineno <= MAX_BODY, f"{path}: {f.name} has {f.end_lineno - f.lineno} lines"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_everything_public_has_a_docstring(path):
    tree = import_graph.parsed(path)
    assert ast.get_docstring(tree), f"{path} has no docstring"
    public = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    inside = {id(child) for f in functions(tree) for child in ast.walk(f) if child is not f}
    for node in public:
        private = node.name.startswith("_") or id(node) in inside or _in_private_class(tree, node)
        assert private or ast.get_docstring(node), f"{path}: {node.name} has no docstring"


def _in_private_class(tree: ast.AST, node: ast.AST) -> bool:
    classes = [c for c in ast.walk(tree) if isinstance(c, ast.ClassDef) and c.name.startswith("_")]
    return any(node in c.body for c in classes)


@pytest.mark.parametrize("path", [p for p in FILES if "__main__" not in p.name], ids=module_name)
def test_exported_names_exist(path):
    module = importlib.import_module(module_name(path))
    exported = getattr(module, "__all__", ())
    assert len(set(exported)) == len(exported)
    for name in exported:
        assert hasattr(module, name), f"{module.__name__}.__all__ names '{name}', which does not exist"


def dangling_citations(text: str) -> list[str]:
    """Equations and sections of theory pages that a text cites and that do not exist."""
    found = []
    for page, given, section in re.findall(r'theory/([\w-]+),\s+(?:eq\.\s+([\d, to]*\d)|"([^"]+)")', text):
        path = ROOT / "docs" / "theory" / f"{page}.md"
        theory = path.read_text() if path.exists() else ""
        there = {int(a or b) for a, b in re.findall(r"^\| (\d+) \||Eq\. (\d+)\b", theory, re.M)}
        cited = [int(number) for number in re.findall(r"\d+", given)]
        cited = [*range(cited[0], cited[-1] + 1)] if " to " in given else cited
        found += [f"{page}, eq. {number}" for number in cited if number not in there]
        found += [f"{page}, {section}"] if section and f"**{section}.**" not in theory else []
    return found


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_equation_that_the_code_cites_is_in_the_theory_pages(path):
    assert not dangling_citations(path.read_text())


def test_the_rule_on_citations_can_fail():
    text = "(theory/dynamics, eq. 1, 99), (theory/dynamics,\neq. 18 to 24), (theory/gone, eq. 1)"
    assert dangling_citations(text) == [f"dynamics, eq. {n}" for n in (99, 23, 24)] + ["gone, eq. 1"]
    assert dangling_citations('(theory/dynamics, "Solution"; theory/dynamics, "Nothing")') == ["dynamics, Nothing"]


def test_importing_poinsot_is_quick_because_heavy_parts_load_when_used():
    heavy = ("casadi", "llvmlite", "scipy", "pydantic", "numpy")
    code = f"import sys, poinsot; print(*[m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def test_the_published_schema_is_current():
    from poinsot.model.schema import json_schema

    assert (ROOT / "docs" / "model.schema.json").read_text() == json_schema()


def test_no_machine_paths_or_pickles_in_the_tree():
    for path in [*FILES, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
        text = path.read_text()
        assert not re.search(r"/(home|root|work|tmp)/\w", text), f"{path} names a path of one machine"
        assert "pickle" not in text or path.suffix == ".md", f"{path} uses pickle"


def repeated_classes(trees: dict[str, ast.AST]) -> dict[str, list[str]]:
    """Names of classes that several modules define, with the modules."""
    homes: dict[str, list[str]] = {}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    return {name: modules for name, modules in homes.items() if len(modules) > 1}


def test_no_two_classes_have_one_name():
    assert not repeated_classes({module_name(path): import_graph.parsed(path) for path in FILES})


def test_the_rule_on_names_of_classes_can_fail():
    trees = {"a": ast.parse("class Link: pass"), "b": ast.parse("def f():\n    class Link: pass"), "c": ast.parse("")}
    assert repeated_classes(trees) == {"Link": ["a", "b"]}


def foreign_privates(tree: ast.AST) -> list[str]:
    """Private names that a module reads and does not define."""
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = [n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and ast.unparse(n.value) != "os"]
    used += [a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names]
    return [name for name in used if re.match(r"_[a-z]", name, re.I) and name not in own]


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_nobody_reads_private_names_of_others(path):
    assert not foreign_privates(import_graph.parsed(path))


def test_the_rule_on_private_names_can_fail():
    assert foreign_privates(ast.parse("x = system._kernels\nfrom poinsot.a import _b")) == ["_kernels", "_b"]
    assert not foreign_privates(ast.parse("class A:\n    def f(self): self._x = 1\n    def g(self): return self._x"))


def map_gaps(folder: Path) -> tuple[set[str], set[str]]:
    """Modules that the map in the door of a package does not name, and names in it that do not exist."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    there = {p.stem for p in folder.glob("*.py")} | {p.parent.name for p in folder.glob("*/__init__.py")}
    there -= {"__init__", "__main__"}
    entries = [
        re.split(r"\s{2,}", line.strip())[0] for line in text.splitlines()[1:] if re.search(r"\S\s{2,}\S", line)
    ]
    named = {name.strip().rstrip("/") for entry in entries for name in entry.split(",")}
    return there - set(re.findall(r"\w+", text)), named - there


@pytest.mark.parametrize("folder", sorted({p.parent for p in FILES} - {SOURCE / "library"}), ids=str)
def test_the_map_of_a_package_names_its_modules(folder):
    assert map_gaps(folder) == (set(), set())


def test_the_rule_on_maps_can_fail(tmp_path):
    small_package(tmp_path, p__='"""A package.\n\none, two    modules\n"""', p__one="", p__three="")
    assert map_gaps(tmp_path / "poinsot" / "p") == ({"three"}, {"two"})


@pytest.mark.parametrize("name", [n for n in poinsot.__all__ if inspect.isfunction(getattr(poinsot, n))])
def test_public_functions_document_every_argument(name):
    verb = getattr(poinsot, name)
    missing = [p for p in inspect.signature(verb).parameters if not re.search(rf"\b{p}\b", verb.__doc__ or "")]
    assert not missing, f"{name} says nothing of {missing}"
