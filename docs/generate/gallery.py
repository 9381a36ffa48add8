"""The gallery: examples with their pictures, from the scripts themselves."""

from __future__ import annotations

import ast
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
PICTURES = "images/gallery"


def scripts() -> list[Path]:
    """Examples of the gallery; the demonstration is a longer story."""
    return [p for p in sorted(EXAMPLES.glob("*.py")) if p.stem != "demo"]


def page() -> str:
    """A section for every example: what it asks, its picture, its code."""
    text = [
        "# Gallery", "", "Every script stands by itself in `examples/`: `python examples/NAME.py` writes its picture",
        "beside you. The first run of a mechanism compiles its equations; later runs take about a second.", "",
    ]  # fmt: skip
    for script in scripts():
        code = script.read_text()
        title, _, question = (ast.get_docstring(ast.parse(code)) or script.stem).partition("\n")
        body = code.split('"""', 2)[2].lstrip("\n")
        text += [f"## {title.rstrip('.')}", "", " ".join(question.split()), "", f"![{title}]({PICTURES}/{script.stem}.png)", ""]
        text += [f'??? example "examples/{script.name}"', "", "    ```python"]
        text += [f"    {line}".rstrip() for line in body.rstrip().splitlines()] + ["    ```", ""]
    return "\n".join(text)
