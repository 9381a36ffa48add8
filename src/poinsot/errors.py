"""The one exception base of Poinsot, and the words that every message shares."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

LARGEST = 1e300  # numbers beyond overflow when they are squared, or do not fit into a float
LONGEST = 2400  # characters of a message: lists of names to act on stay whole


class PoinsotError(Exception):
    """Something that the user can mend; the text is one sentence that says what, on one line whatever it quotes."""

    def __init__(self, message: str = ""):
        super().__init__(one_line(str(message), LONGEST))


class MotionError(PoinsotError):
    """A motion that cannot be followed; what was found before is kept."""

    def __init__(
        self, message: str, *, t: float, joint: str = "", condition: float = float("nan"), partial: Any = None
    ):
        super().__init__(message)
        self.t = t  # first time that could not be reached  [s]
        self.joint = joint  # the worst-conditioned joint or prescribed coordinate in the last pose
        self.condition = condition  # of the constraints there, prescribed coordinates or actuators included
        self.partial = partial  # the result at the times before; None if there are none


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during an integration, inside Poinsot; users see a KeyboardInterrupt, so that programs end as by any."""

    def __init__(self, message: str, *, partial: Any):
        super().__init__(message)
        self.partial = partial  # the result up to there, with a status that says so


class ConversionWarning(UserWarning):
    """What a mechanism could not hold of another program's file; the text says how much, `notes` what."""

    def __init__(self, file: str, notes: tuple[str, ...]):
        count = f"{len(notes)} notes on how it was read, which stand in the description of the mechanism"
        super().__init__(f"{file}: {notes[0] if len(notes) == 1 else count}")
        self.file, self.notes = file, notes  # one sentence each


class MissingMeshWarning(ConversionWarning):
    """Mesh files that bodies should be drawn with and that are not there."""


class ConsistencyWarning(UserWarning):
    """Parameters that bodies can have stand in place of those that were found; the text is one sentence."""


class OccupiedError(PoinsotError):
    """Something stands already where a result would be written; the text says how to replace it from Python."""

    def __init__(self, place: Any):
        super().__init__(self.said_of(place, "pass overwrite=True"))
        self.place = place  # the file or folder

    @staticmethod
    def said_of(place: Any, advice: str) -> str:
        """The sentence with the advice of whoever was asked: Python, or the command line.

        >>> OccupiedError.said_of("run.csv", "add --force")
        'run.csv: exists already; choose another name or add --force'
        """
        return f"{place}: exists already; choose another name or {advice}"


class MissingExtraError(PoinsotError):
    """An optional dependency is needed and not installed."""

    def __init__(self, purpose: str, package: str, extra: str):
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed: pip install 'poinsot[{extra}]'"
        )


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Write names as one readable list, shortened when it is long.

    >>> listing(["a", "b"])
    'a, b'
    """
    names = list(names)
    if not names:
        return "none"
    more = f", … ({len(names)} in all)" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def counted(number: int, what: str, many: str = "") -> str:
    """So many of a thing, which is told in the singular.

    >>> counted(1, "gap"), counted(2, "gap"), counted(0, "body")
    ('1 gap', '2 gaps', '0 bodies')
    """
    many = many or (what[:-1] + "ies" if what[-1:] == "y" else what + "s")
    return f"{number} {what if number == 1 else many}"


def unknown(kind: str, name: str, existing: Iterable[str]) -> str:
    """Say that a name does not exist, what was probably meant, and what exists.

    >>> unknown("body", "platfrom", ["ground", "platform"])
    "there is no body 'platfrom' (did you mean 'platform'?); there are: ground, platform"
    """
    name, existing = str(name), list(existing)
    return f"there is no {kind} '{name[:80]}'{suggestion(name, existing)}; there are: {listing(existing)}"


def require_known(kind: str, names: Iterable[str], existing: Collection[str]) -> None:
    """Every name must be one of those that exist; the first that is not is an error that lists them."""
    for name in names:
        if name not in existing:
            raise PoinsotError(unknown(kind, name, existing))


def suggestion(name: str, existing: Iterable[str]) -> str:
    """What was probably meant, in brackets; empty when nothing is near.

    >>> suggestion("mas", ["mass", "com"])
    " (did you mean 'mass'?)"
    """
    near = get_close_matches(name[:80], existing, 1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def one_line(text: str, limit: int = 400) -> str:
    """A message that fits on one line of a terminal, whatever the user's file holds: signs that move the cursor
    are written as escapes, and what is too long is cut.

    >>> one_line("a\\nb")
    'a\\\\nb'
    """
    clean = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: 4 * limit])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def by_name(given: Any, what: str, example: str) -> Mapping[str, Any]:
    """What was given, if it maps names to values; nothing for None.

    >>> by_name({"A": 2.0}, "forces are", "{'A': 2.0}")
    {'A': 2.0}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping) and all(isinstance(name, str) for name in given):
        return given
    raise PoinsotError(f"{what} given by name, such as {example}, not as {type(given).__name__}")


def list_of_names(given: Any, what: str) -> tuple[str, ...]:
    """What was given, if it is a list of texts.

    >>> list_of_names(["bob.mass"], "parameters")
    ('bob.mass',)
    """
    if isinstance(given, Iterable) and not isinstance(given, str):
        names = tuple(given)
        if all(isinstance(name, str) for name in names):
            return names
    raise PoinsotError(f"{what} are given as a list of names, not as {one_line(repr(given), 40)}")


def one_or_more_names(given: Any, what: str) -> tuple[str, ...]:
    """What was given, if it is a text or a list of texts.

    >>> one_or_more_names("bob.mass", "parameters")
    ('bob.mass',)
    """
    return (given,) if isinstance(given, str) else list_of_names(given, what)


def number_of(given: float | None, what: str) -> float:
    """What was given, if it is a finite positive number.

    >>> number_of(3, "the noise")
    3.0
    """
    if isinstance(given, Real) and 0 < given <= LARGEST:
        return float(given)
    raise PoinsotError(f"{what} must be a finite positive number, not {one_line(repr(given), 40)}")


def count_of(given: Any, what: str) -> int:
    """What was given, if it is a whole number of at least 1.

    >>> count_of(3, "n")
    3
    """
    if isinstance(given, Integral) and 1 <= int(given) <= 10**9:
        return int(given)
    raise PoinsotError(f"{what} must be a whole number of at least 1, not {one_line(repr(given), 40)}")
