"""What the environment says about the engine, and the limits that were measured for it."""

from __future__ import annotations

import os

from poinsot.errors import PoinsotError, unknown

# Measured on one core of 2.45 GHz, LLVM 22, see docs/decisions/0003-engine.md.
DIRECT_INSTRUCTIONS = 2_000  # up to here optimised code is made at once, in about 0.2 s
QUICK_INSTRUCTIONS = 60_000  # up to here quick code is made in this process, in about 1.5 s
MAX_NATIVE_INSTRUCTIONS = 500_000  # up to here a child process makes native code, in about a minute
CHILD_SECONDS = 600.0  # a child that takes longer is ended

ENGINES = ("auto", "native", "vm")
LANES = (1, 2, 4, 8)


def chosen_engine(asked: str | None = None) -> str:
    """Tell which engine to use: the one asked for, else POINSOT_ENGINE, else "auto"."""
    source = "engine" if asked is not None else "POINSOT_ENGINE"
    name = asked if asked is not None else os.environ.get("POINSOT_ENGINE", "").strip().lower() or "auto"
    if name not in ENGINES:
        raise PoinsotError(f"{source}: {unknown('engine', name, ENGINES)}")
    return name


def chosen_lanes() -> int | None:
    """Tell how many samples to put in one vector: POINSOT_LANES, or None if the processor is to decide."""
    text = os.environ.get("POINSOT_LANES", "").strip()
    if text and text not in map(str, LANES):
        raise PoinsotError(f"POINSOT_LANES must be 1, 2, 4 or 8 samples in a vector, not '{text}'")
    return int(text) if text else None


def waits_for_optimised() -> bool:
    """Tell whether every kernel waits for its optimised code (POINSOT_ENGINE_WAIT=1)."""
    return os.environ.get("POINSOT_ENGINE_WAIT", "").strip() not in ("", "0")


def default_threads() -> int:
    """Count the threads to use: POINSOT_THREADS, else the processors this process may run on."""
    text = os.environ.get("POINSOT_THREADS", "").strip()
    if text:
        if not (text.isdecimal() and len(text) <= 9) or int(text) < 1:
            raise PoinsotError(f"POINSOT_THREADS must be a whole number from 1 upwards, not '{text[:40]}'")
        return int(text)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
