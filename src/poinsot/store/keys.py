"""Keys that change whenever anything changes on which an entry depends."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from poinsot import __version__

# Packages whose code decides what equations look like; others may change without making entries stale.
_WRITERS = (
    *("spatial", "elements", "model", "engine", "formulations", "system", "motion", "simulation", "statics"),
    *("vibration", "identifiability", "recording", "store"),
    *("estimate/closed_loop", "estimate/problems", "estimate/rows", "experiment"),
)
_NEEDED = ("casadi", "numpy")


@cache
def fingerprint() -> str:
    """Digest of Poinsot's version, of its code that writes equations, and of the versions of what it stands on."""
    versions = [__version__, *(_version(name) for name in _NEEDED)]
    return hashlib.sha256(" ".join([*versions, code_digest(Path(__file__).parents[1])]).encode()).hexdigest()


def code_digest(root: Path, packages: tuple[str, ...] = _WRITERS) -> str:
    """Digest of packages in a folder, by default of those that decide what is kept."""
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{str(path)[len(str(root)) :]} {len(content)} ".encode() + content)
    return digest.hexdigest()


def content_key(*parts: str) -> str:
    """Name for an entry that depends on texts, and on Poinsot's own code."""
    digest = hashlib.sha256()
    for part in (fingerprint(), *parts):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _version(package: str) -> str:
    """Names of a package's records of installation, which carry its version (importlib.metadata takes 20 ms)."""
    spec = find_spec(package)
    if spec is None or not spec.origin:
        return "missing"
    return ",".join(sorted(record.name for record in Path(spec.origin).parents[1].glob(f"{package}-*-info")))
