"""Keys that change whenever anything changes on which an entry depends."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from poinsot import __version__

# Packages whose code decides what equations of a mechanism look like; others may change without making entries stale.
_MODEL = (
    *("spatial", "elements", "model", "engine", "formulations", "system", "motion", "simulation", "statics"),
    *("vibration", "identifiability", "store"),
)
_MEASURING = ("parallel", "recording", "estimate", "experiment")  # what they keep depends on their own code too
_ROOT = Path(__file__).parents[1]
_NEEDED = ("casadi", "numpy")


@cache
def fingerprint() -> str:
    """Digest of Poinsot's version, of its code that writes equations, and of the versions of what it stands on."""
    versions = [__version__, *(_version(name) for name in _NEEDED)]
    return hashlib.sha256(" ".join([*versions, code_digest(_ROOT, _MODEL)]).encode()).hexdigest()


def writer_digest(module: str) -> str:
    """Digest of the code beyond the model's on which something that a module writes depends; empty: none."""
    package = module.removeprefix("poinsot.").split(".")[0]
    return "" if package in _MODEL else _measuring_digest()


@cache
def _measuring_digest() -> str:
    return code_digest(_ROOT, _MEASURING)


def code_digest(root: Path, packages: tuple[str, ...]) -> str:
    """Digest of packages in a folder."""
    digest = hashlib.sha256()
    for package in packages:
        for folder, folders, names in os.walk(root / package):
            folders.sort()
            for path in (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")):
                with open(path, "rb", buffering=0) as file:
                    content = file.read()
                digest.update(f"{path[len(str(root)) :]} {len(content)} ".encode())
                digest.update(content)
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
