"""viser, if it is installed and new enough; an old one is named with the command that replaces it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from poinsot.errors import MissingExtraError, PoinsotError

CLOSED = "Queued a .* on a closed connection"  # said of threads that are late when the page closes
LEAST = (1, 1)  # pip takes an older one without a word where rich or websockets are too new


def viser_module(purpose: str = "the viewer", extra: str = "view") -> Any:
    """The package viser; an error says how to install it."""
    try:
        import viser
    except ImportError:
        raise MissingExtraError(purpose, "viser", extra) from None
    require_version(str(getattr(viser, "__version__", "0")))
    return viser


def require_version(version: str) -> None:
    """Raise unless this version of viser can be used.

    >>> require_version("1.1.1")
    """
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < LEAST:
        raise PoinsotError(
            f"viser {version} is too old, {LEAST[0]}.{LEAST[1]} or newer is needed: "
            "pip install --upgrade 'viser>=1.1' 'rich<15' 'websockets<17'"
        )


@contextmanager
def silent() -> Iterator[None]:
    """viser prints nothing of its own on the terminal meanwhile."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


@contextmanager
def server(host: str = "127.0.0.1", port: int = 0) -> Iterator[Any]:
    """A viser server that is gone afterwards; port 0 takes one that is free."""
    viser = viser_module()
    with silent():
        running = viser.ViserServer(host=host, port=port, verbose=False)
        try:
            yield running
        finally:
            warnings.filterwarnings("ignore", CLOSED, UserWarning)
            running.stop()
