"""XML of unknown origin: parsed without entities, external files or endless nesting, one sentence an error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from poinsot.errors import PoinsotError, counted, listing
from poinsot.model.toml import read_text

MAX_DEPTH = 400  # a chain of some hundred bodies nests that deeply in MJCF
MAX_ELEMENTS = 200_000


class _Bounded(TreeBuilder):
    """Builds the tree of elements and refuses one that is too deep or too large."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.depth, self.count = path, 0, 0

    def start(self, tag, attrs):
        self.depth, self.count = self.depth + 1, self.count + 1
        if self.depth > MAX_DEPTH:
            raise PoinsotError(f"{self.path}: elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise PoinsotError(f"{self.path}: more than {MAX_ELEMENTS} elements")
        return super().start(tag, attrs)

    def end(self, tag):
        self.depth -= 1
        return super().end(tag)


def parse_xml(path: Path, *roots: str) -> Element:
    """Root element of an XML file; DTDs, entities and external files are refused."""
    text = read_text(path)
    parser = DefusedXMLParser(target=_Bounded(path), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(text.encode())
        element = parser.close()
    except DefusedXmlException:
        raise PoinsotError(f"{path}: the file declares a document type or entities, which are not read") from None
    except ParseError as error:
        raise PoinsotError(f"{path}: not well-formed XML: {error}") from None
    except (LookupError, ValueError) as error:
        raise PoinsotError(f"{path}: not an XML file that can be read: {' '.join(str(error).split())}") from None
    if element.tag not in roots:
        raise PoinsotError(f"{path}: the root element is <{element.tag[:40]}>, expected <{roots[0]}>")
    return element


class FileContext:
    """Reads attributes of one file's elements; every error names the file and the element."""

    def __init__(self, path: Path):
        self.path = path

    def fail(self, element: str, message: str) -> PoinsotError:
        """An error at an element, as one sentence."""
        return PoinsotError(f"{self.path}: {element}: {message}")

    def text(self, at: Element, where: str, attribute: str) -> str:
        """An attribute that must be there."""
        value = at.get(attribute)
        if value is None or not value.strip():
            given = listing([repr(key) for key in at.attrib])
            raise self.fail(where, f"<{at.tag}> needs the attribute '{attribute}'; it has: {given}")
        return value.strip()

    def numbers(
        self, at: Element | None, where: str, attribute: str, count: int, default: tuple[float, ...] | None
    ) -> list[float]:
        """Finite numbers of an attribute; `default` when it is absent, None meaning that it must be there."""
        if at is None or at.get(attribute) is None:
            if default is not None:
                return list(default)
            if at is None:
                raise self.fail(where, f"the attribute '{attribute}' is missing")
            self.text(at, where, attribute)
        text = at.get(attribute, "")
        try:
            values = [float(part) for part in text.split()]
        except ValueError:
            xacro = "; the file seems to be for xacro: write it out first (xacro FILE > robot.urdf)" * ("${" in text)
            raise self.fail(where, f"{attribute}={_short(text)} of <{at.tag}> is not a number{xacro}") from None
        if len(values) != count:
            number = counted(len(values), "number")
            raise self.fail(where, f"{attribute}={_short(text)} of <{at.tag}> has {number}, expected {count}")
        if not all(math.isfinite(value) for value in values):
            raise self.fail(where, f"{attribute}={_short(text)} of <{at.tag}> is not finite")
        return values

    def number(self, at: Element | None, where: str, attribute: str, default: float | None = None) -> float:
        """One finite number of an attribute."""
        return self.numbers(at, where, attribute, 1, None if default is None else (default,))[0]


def number_text(value: float) -> str:
    """A number with all its digits; minus zero is zero."""
    return repr(float(value) + 0.0)


def numbers_text(values: Iterable[float]) -> str:
    """Numbers of an attribute with all their digits."""
    return " ".join(map(number_text, values))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 40 else text[:39] + "…")
