"""Compilations in child processes: as many at once as there are processors, ended when this process ends."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .container import CorruptCodeError, unpack_code
from .request import Request, write_request
from .settings import CHILD_SECONDS, default_threads

__all__ = ["ChildError", "compile_in_child", "live_children", "start_compilation"]

_children: set[subprocess.Popen] = set()
_lock = threading.Lock()
_places = threading.BoundedSemaphore(max(1, default_threads()))
_ending = threading.Event()
_owner = os.getpid()


class ChildError(Exception):
    """A child process did not deliver; the text says why."""


def live_children() -> list[int]:
    """List the process numbers of running compilations."""
    with _lock:
        return [child.pid for child in _children if child.poll() is None]


def start_compilation(request: Request, done: Callable[[Any], None]) -> threading.Thread:
    """Compile in the background; `done` gets (metadata, code) or a ChildError, in another thread."""

    def work() -> None:
        with _places:
            try:
                result: Any = compile_in_child(request)
            except ChildError as error:
                result = error
        if not _ending.is_set():
            done(result)

    thread = threading.Thread(target=work, name="poinsot-compile", daemon=True)
    thread.start()
    return thread


def compile_in_child(request: Request, seconds: float = CHILD_SECONDS) -> tuple[dict[str, Any], bytes]:
    """Compile in a child process and wait for it."""
    child = _spawn()
    try:
        answer, complaint = child.communicate(write_request(request), timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise ChildError(f"the compilation took more than {seconds:.0f} s") from None
    except OSError as error:
        child.kill()
        child.communicate()
        raise ChildError(f"the compilation could not be started ({error})") from None
    finally:
        with _lock:
            _children.discard(child)
    if child.returncode != 0:
        raise ChildError(_reason(child.returncode, complaint))
    try:
        return unpack_code(answer)
    except (CorruptCodeError, ValueError):
        raise ChildError("the compiling process gave an incomplete answer") from None


def _spawn() -> subprocess.Popen:
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    if not sys.executable:
        raise ChildError("this Python does not know its own program file")
    try:
        with _lock:
            if _ending.is_set():
                raise ChildError("the process is ending")
            child = subprocess.Popen(
                [sys.executable, "-m", "poinsot.engine.compile_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": path},
            )
            _children.add(child)
    except OSError as error:
        raise ChildError(f"no child process could be started ({error})") from None
    return child


def _reason(code: int, complaint: bytes) -> str:
    if code < 0:
        return f"the compiling process was ended by signal {-code}"
    lines = complaint.decode(errors="replace").strip().splitlines()
    return f"the compiling process failed ({lines[-1] if lines else f'exit code {code}'})"


@atexit.register
def _end_children() -> None:
    """Leave no compilation behind; those of a parent that forked are not ours to end."""
    if os.getpid() != _owner:
        return
    _ending.set()
    with _lock:
        for child in _children:
            if child.poll() is None:
                child.kill()
                child.wait()
