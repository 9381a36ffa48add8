"""Which module imports which, read from the sources: when loaded, inside a function, for annotations, or lazily.

A door is the `__init__` of a package. Names that it loads lazily, `door(__name__, {"module": "names"})`, count as
imports of the module that asks for them: `package.name`, or `from package import name`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Edges = set[tuple[str, str]]


@cache
def parsed(path: Path) -> ast.Module:
    """The tree of a source file, read once; nobody changes it."""
    return ast.parse(path.read_text())


@dataclass
class Graph:
    """Imports between modules (from, to)."""

    modules: set[str]
    doors: set[str]
    loaded: Edges = field(default_factory=set)  # at the top of the module
    hidden: Edges = field(default_factory=set)  # inside functions
    annotations: Edges = field(default_factory=set)  # under TYPE_CHECKING
    lazy: Edges = field(default_factory=set)  # through the door of a package


def read(files: Iterable[Path], root: Path) -> Graph:
    """The graph of a package in a folder."""
    trees = {_name(path, root): parsed(path) for path in files}
    doors = {_name(path, root) for path in files if path.name == "__init__.py"}
    graph = Graph(set(trees), doors)
    homes = {door: _homes(door, trees[door]) for door in doors}
    for module, tree in trees.items():
        annotating = {id(n) for i in ast.walk(tree) if _for_types(i) for n in ast.walk(i)}
        top = {id(statement) for statement in tree.body}
        called: dict[str, str] = {}  # names in this module of doors
        for node in ast.walk(tree):
            edges = graph.annotations if id(node) in annotating else graph.loaded if id(node) in top else graph.hidden
            for base, name, alias in _imports(node):
                target = f"{base}.{name}" if f"{base}.{name}" in trees else base
                if target in trees and target != module:
                    edges.add((module, target))
                if f"{base}.{name}" in doors:
                    called[alias] = f"{base}.{name}"
                if name in homes.get(base, {}) and id(node) not in annotating:
                    graph.lazy.add((module, homes[base][name]))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
                home = homes[called[node.value.id]].get(node.attr)
                graph.lazy |= {(module, home)} if home else set()
    return graph


def cycles(edges: Edges) -> list[list[str]]:
    """Groups of modules that import each other, directly or by others."""
    following: dict[str, set[str]] = {}
    for a, b in edges:
        following.setdefault(a, set()).add(b)

    def reached(start: str) -> set[str]:
        found, waiting = set(), [start]
        while waiting:
            fresh = following.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found

    from_each = {module: reached(module) for module in following}
    groups = {
        tuple(sorted(m for m in seen if module in from_each.get(m, ())))
        for module, seen in from_each.items()
        if module in seen
    }
    return sorted(map(list, groups))


def longest(graph: Graph) -> list[str]:
    """The longest chain of modules that load each other; doors are not counted."""
    following: dict[str, list[str]] = {}
    for a, b in sorted(graph.loaded):
        following.setdefault(a, []).append(b)
    known: dict[str, list[str]] = {}

    def chain(module: str) -> list[str]:
        if module not in known:
            rest = max((chain(b) for b in following.get(module, ())), key=len, default=[])
            known[module] = rest if module in graph.doors else [module, *rest]
        return known[module]

    return max(map(chain, sorted(graph.modules)), key=len)


def _name(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def _imports(node: ast.AST) -> list[tuple[str, str, str]]:
    """(module, name, name here) of what a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "", a.name, a.asname or a.name) for a in node.names]
    if isinstance(node, ast.Import):
        return [(*a.name.rpartition(".")[::2], a.asname or a.name) for a in node.names]
    return []


def _homes(door: str, tree: ast.AST) -> dict[str, str]:
    """Modules of the names that a door loads lazily: those of every table of texts in it."""
    tables = [n for n in ast.walk(tree) if isinstance(n, ast.Dict)]
    pairs = [(key.value, value.value) for table in tables for key, value in zip(table.keys, table.values)]
    return {name: f"{door}.{home}" for home, names in pairs for name in names.split()}
