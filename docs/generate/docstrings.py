"""Docstrings as Markdown: examples become code blocks, and indices of arrays no links."""

from __future__ import annotations

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """Rewrites docstrings before they are shown."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """A docstring with its examples fenced."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Examples between fences, and `a[0][1]` outside of them without a meaning in Markdown.

    >>> print(fenced("A verb.\\n\\n>>> 1 + 1\\n2"))
    A verb.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    paragraphs = re.split(r"\n\s*\n", text.strip("\n"))
    written = []
    for paragraph in paragraphs:
        if paragraph.lstrip().startswith(">>>"):
            written += [f"```pycon\n{paragraph}\n```"]
        else:
            written.append(paragraph if paragraph.startswith("    ") else paragraph.replace("][", "]\\["))
    return "\n\n".join(written)
