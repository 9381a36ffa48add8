"""Loading: a name from the library, or a model file of any kind that is known."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from poinsot.errors import PoinsotError, unknown
from poinsot.model import interchange
from poinsot.model.file_kinds import no_model
from poinsot.model.mechanism import Mechanism, require_mechanism
from poinsot.model.meshes import beside, warn_of_missing
from poinsot.model.toml import as_path, read_toml

LIBRARY = Path(__file__).parents[1] / "library"


def library_names() -> tuple[str, ...]:
    """Names of the mechanisms that come with Poinsot."""
    return tuple(sorted(path.stem for path in LIBRARY.glob("*.toml")))


def _shown(mechanism: Mechanism, path: Path) -> Mechanism:
    """A mechanism that knows where its meshes are; those missing are warned of."""
    mechanism = beside(mechanism, path)
    warn_of_missing(mechanism, path)
    return mechanism


def as_mechanism(given: Mechanism | str | Path) -> Mechanism:
    """A mechanism, or the one of a library name or a model file."""
    return load(given) if isinstance(given, str | PathLike) else require_mechanism(given)


def load(name_or_path: str | Path, drives: Sequence[str] | None = None) -> Mechanism:
    """Load a mechanism: a library name, or a file (.toml, MJCF .xml, .urdf with its sidecar).

    `name_or_path`: one of `library_names()`, or a path. `drives` are the joints of a URDF or MJCF that actuators
    drive, () for none; without them see `read_urdf` and `read_mjcf`.

    >>> load("four_bar").name
    'four_bar'
    """
    path = as_path(name_or_path)
    in_library = isinstance(name_or_path, str) and name_or_path in library_names()
    if drives is not None and (in_library or path.suffix == ".toml"):
        raise PoinsotError(f"{name_or_path}: a TOML model says itself which joints are driven (actuated = true)")
    if in_library:
        return read_toml(LIBRARY / f"{name_or_path}.toml")
    try:
        exists = path.exists()
    except (OSError, ValueError):  # a name that no file can have
        exists = False
    if not exists:
        if path.suffix or len(path.parts) > 1:
            raise PoinsotError(f"{path}: there is no such file")
        raise PoinsotError(unknown("mechanism in the library (and no file)", str(name_or_path), library_names()))
    if path.suffix == ".toml":
        return _shown(read_toml(path), path)
    if path.suffix in (".xml", ".mjcf"):
        return _shown(interchange.read_mjcf(path, drives=drives), path)
    if path.suffix == ".urdf":
        return _shown(interchange.read_urdf(path, drives=drives), path)
    raise PoinsotError(f"{path}: {no_model(path)}")
