"""How large an MJCF model becomes when its copies are made: counted before anybody makes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from poinsot.errors import PoinsotError

MAX_MJCF_BODIES = 5_000  # many of them become frames of others; a mechanism has fewer
MAX_MJCF_ELEMENTS = 100_000
MAX_CELLS = 50_000_000  # of textures and height fields, together
MAX_VALUES = 100_000  # of the user, in one table of <size>
GRIDS = {"texture": ("width", "height"), "hfield": ("nrow", "ncol")}

Files = Mapping[Path, tuple[Element, Mapping[Element, list[Path]]]]


def refuse_large(main: Path, files: Files) -> None:
    """Refuse a model with too many bodies or elements, given all its files with those that each includes."""
    count = _Count(files)
    bodies, elements = count.file(main)
    grids = [(e, GRIDS[e.tag]) for root, _ in files.values() for e in root.iter() if e.tag in GRIDS]
    cells = sum(math.prod(_product(element.get(side)) for side in sides) for element, sides in grids)
    for number, most, what in (
        (bodies, MAX_MJCF_BODIES, "bodies with all copies"),
        (elements, MAX_MJCF_ELEMENTS, "elements with all copies"),
        (cells, MAX_CELLS, "pixels of textures and height fields"),
    ):
        if number > most:
            many = str(number) if number < 10**9 else f"about 1e{len(str(number)) - 1}"
            raise PoinsotError(f"{main}: {many} {what}; at most {most} are read")
    for root, _ in files.values():
        for element in root.iter("size"):
            for attribute in element.attrib:
                if attribute.startswith("nuser") and _product(element.get(attribute)) > MAX_VALUES:
                    raise PoinsotError(f"{main}: <size> asks for too many values: {attribute} is above {MAX_VALUES}")


class _Count:
    """Bodies and elements of files with all copies that MuJoCo would make."""

    def __init__(self, files: Files):
        self.files = files
        self.counted: dict[Path, tuple[int, int]] = {}

    def file(self, path: Path) -> tuple[int, int]:
        """Count one file; files do not include each other in circles."""
        if path not in self.counted:
            root, included = self.files[path]
            attached = {e.get("name", ""): paths for e, paths in included.items() if e.tag == "model"}
            self.counted[path] = self._element(root, included, attached)
        return self.counted[path]

    def _element(
        self, element: Element, included: Mapping[Element, list[Path]], attached: Mapping[str, list[Path]]
    ) -> tuple[int, int]:
        bodies, elements = int(element.tag == "body"), 1
        for child in element:
            more = self._element(child, included, attached)
            bodies, elements = bodies + more[0], elements + more[1]
        for path in self._brought(element, included, attached):
            more = self.file(path)
            bodies, elements = bodies + more[0], elements + more[1]
        if element.tag in ("composite", "flexcomp"):
            made = _product(element.get("count", "10"))
            bodies, elements = bodies + made, elements + made
        copies = _product(element.get("count")) if element.tag == "replicate" else 1
        return bodies * copies, elements * copies

    def _brought(self, element: Element, included, attached) -> list[Path]:
        if element.tag == "include":
            return included[element]
        if element.tag == "attach":  # a model by its name; one that another file declares is counted as the largest
            named = attached.get(element.get("model", ""))
            return named or [
                path for _, inner in self.files.values() for e in inner if e.tag == "model" for path in inner[e]
            ]
        return []


def _product(text: str | None) -> int:
    """Product of whole numbers in a text, each at least 1; words are left to MuJoCo to complain of."""
    product = 1
    for part in (text or "").split():
        try:
            product *= max(1, int(min(float(part), 1e18)))
        except ValueError:
            continue
    return product
