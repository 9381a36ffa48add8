"""Names: what another program allows and a model file does not is made safe, and said."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from poinsot.elements import GROUND


def safe_name(name: str) -> str:
    """A name of letters, digits and _ (and inner dots) that begins with a letter.

    >>> safe_name("left arm/2")
    'left_arm_2'
    """
    parts = [re.sub(r"\W", "_", part) or "_" for part in name.strip().split(".")]
    text = ".".join(parts)
    return text if re.match(r"[^\W\d]", text) else f"n{text}"


@dataclass
class Names:
    """Safe and distinct names for one kind of thing; remembers which name became which."""

    kind: str
    taken: set[str] = field(default_factory=lambda: {GROUND})
    given: dict[str, str] = field(default_factory=dict)  # name in the other file -> name here
    changed: dict[str, str] = field(default_factory=dict)  # name here -> note on what it was

    def add(self, name: str, fallback: str = "") -> str:
        """The name to use here for one of theirs; a name that changes is noted."""
        wanted = safe_name(name or fallback or self.kind)
        chosen, count = wanted, 1
        while chosen in self.taken:
            count += 1
            chosen = f"{wanted}_{count}"
        self.taken.add(chosen)
        self.given[name] = chosen
        if name and chosen != name:
            self.changed[chosen] = f"The {self.kind} '{name}' is called '{chosen}' here."
        return chosen

    def __getitem__(self, name: str) -> str:
        return self.given[name]


def changed_names(names: Iterable[Names], tables: dict[str, dict[str, Any]]) -> list[str]:
    """Notes on the names that changed, of elements and frames that stand in the tables."""
    kept = {name for table in tables.values() for name in table}
    kept |= {frame for body in tables["bodies"].values() for frame in body.get("frames", ())}
    return [note for those in names for name, note in those.changed.items() if name in kept]
