"""Compilations in child processes, as many at once as there are processors.

When this process ends, a compilation of seconds goes on and leaves its code in the cache, for the next run
of a short program; a long one is ended.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from poinsot.engine.build.request import Request, write_request
from poinsot.engine.build.settings import CHILD_SECONDS, default_threads
from poinsot.store import CorruptEntryError, unpack_entry

_children: dict[subprocess.Popen, bool] = {}  # with True: may outlive this process
_lock = threading.Lock()
_delivery = threading.Lock()  # held while code is being loaded: the process must not end then
_places = threading.BoundedSemaphore(max(1, default_threads()))
_ending = threading.Event()
_owner = os.getpid()


class ChildError(Exception):
    """A child process did not deliver; the text says why."""


def live_children() -> list[int]:
    """List the process numbers of running compilations."""
    with _lock:
        return [child.pid for child in _children if child.poll() is None]


def start_compilation(
    request: Request, key: str, done: Callable[[Any], None], brief: bool = False
) -> threading.Thread:
    """Compile in the background; `done` gets (metadata, code) or a ChildError, in another thread.

    The code is also kept under its key. A `brief` compilation may outlive this process.
    """

    def work() -> None:
        with _places:
            try:
                result: Any = compile_in_child(request, key, brief)
            except ChildError as error:
                result = error
            except Exception as error:  # whoever waits must hear of it
                result = ChildError(f"the compilation could not be started ({error})")
        with _delivery:
            if not _ending.is_set():
                done(result)

    thread = threading.Thread(target=work, name="poinsot-compile", daemon=True)
    thread.start()
    return thread


def compile_in_child(
    request: Request, key: str, brief: bool = False, seconds: float = CHILD_SECONDS
) -> tuple[dict[str, Any], bytes]:
    """Compile in a child process and wait for it."""
    child = _spawn(write_request(request, key), brief)
    try:
        answer, complaint = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise ChildError(f"the compilation took more than {seconds:.0f} s") from None
    finally:
        with _lock:
            _children.pop(child, None)
    if child.returncode != 0:
        raise ChildError(_reason(child.returncode, complaint))
    try:
        return unpack_entry(answer, key)
    except (CorruptEntryError, ValueError):
        raise ChildError("the compiling process gave an incomplete answer") from None


def _spawn(message: bytes, brief: bool) -> subprocess.Popen:
    """Start a child that reads its request from a nameless file, which is there even if we are gone."""
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    if not sys.executable:
        raise ChildError("this Python does not know its own program file")
    try:
        with tempfile.TemporaryFile() as file, _lock:
            file.write(message)
            file.seek(0)
            if _ending.is_set():
                raise ChildError("the process is ending")
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", "poinsot.engine.compile_worker"],  # -P: no modules of ours
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": path},
            )
            _children[child] = brief
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
    """Leave no long compilation behind; those of a parent that forked are not ours to end."""
    if os.getpid() != _owner:
        return
    _ending.set()
    with _delivery, _lock:
        for child, brief in _children.items():
            if not brief and child.poll() is None:
                child.kill()
                child.wait()
