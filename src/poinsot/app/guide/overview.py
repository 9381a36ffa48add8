"""The overview: commands in groups. Plain text, which starts sooner than panels and reads the same in a pipe."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class GroupedCommands(TyperGroup):
    """Lists the commands under the heading that each was registered with, in that order."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names as they were registered."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for every heading."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.commands[name]
            heading = getattr(command, "rich_help_panel", None) or "Others"
            groups.setdefault(heading, []).append((name, _first_sentence(command.help or "")))
        widest = max(map(len, self.commands))
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), text) for name, text in rows])


def _first_sentence(text: str) -> str:
    """What a command does, on one line or folded; details after the first paragraph are its own help's."""
    return " ".join(text.split("\n\n")[0].split()).removesuffix(".")
