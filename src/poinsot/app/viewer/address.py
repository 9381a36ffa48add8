"""Where the page is: on this machine alone unless the user asks for more; a port that is taken is said."""

from __future__ import annotations

import socket

from poinsot.errors import PoinsotError

LOCAL = "127.0.0.1"
PORT = 8080
TRIED = 20  # ports after one that is taken


def require_free(host: str, port: int) -> None:
    """Raise unless a page can be put at this place; the message names a port that is free."""
    if not 0 <= port <= 65535:
        raise PoinsotError(f"a port is a number from 0 to 65535, not {port}")
    try:
        _listen(host, port)
    except OSError as error:
        if port == 0 or isinstance(error, socket.gaierror):
            raise PoinsotError(f"no page can be opened on the host '{host}': {_reason(error)}") from None
        other = next((p for p in range(port + 1, min(port + TRIED, 65536)) if _is_free(host, p)), 0)
        advice = f"try --port {other}" if other else "try --port 0, which takes any that is free"
        raise PoinsotError(f"port {port} cannot be used ({_reason(error)}); {advice}") from None


def _listen(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind((host, port))
        tried.listen(1)


def _is_free(host: str, port: int) -> bool:
    try:
        _listen(host, port)
        return True
    except OSError:
        return False


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
