"""Rows of runs, kept on disk by content: interrupted work goes on from them, and other methods use them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from poinsot.estimate.rows.motion import RunMotion
from poinsot.estimate.rows.runs import RunRows, prepared, regressor_along, rows_of_run
from poinsot.estimate.study import Processing, Run
from poinsot.estimate.unknowns import Unknowns
from poinsot.identifiability.states import States
from poinsot.model.mechanism import Mechanism
from poinsot.recording.motion import with_recorded
from poinsot.store import Kept, content_key, kept_arrays, writer_digest
from poinsot.system.system import System, start, system
from poinsot.system.variants import careful

STATES = ("t", "q", "v", "a", "p")


def kept_rows(
    run: Run, unknowns: Unknowns, wanted: Sequence[str], processing: Processing, seed: tuple[int, int] | None
) -> tuple[RunRows, tuple[str, ...]]:
    """Rows of a run as `rows_of_run` makes them, from disk if they were made before; `seed` of the motion's noise."""
    made: list[tuple[RunRows, tuple[str, ...]]] = []

    def make() -> Kept:
        rng = None if seed is None else np.random.default_rng(seed)
        made.append(rows_of_run(run, unknowns, wanted, processing, rng))
        return _packed(*made[-1])

    facts, arrays = kept_arrays(_key(run, unknowns, wanted, processing, seed), make)
    if made:
        return made[0]
    recording = prepared(run, unknowns.mechanism)
    mechanism = with_recorded(unknowns.mechanism, facts["coordinates"])
    compiled = _system(mechanism, facts)
    if compiled is None:  # which the code has come to solve in another way
        make()
        return made[0]
    states = States(compiled, size=facts["size"], **{name: arrays[name] for name in STATES})
    motion = RunMotion(mechanism, states, facts["edge"], tuple(facts["steps"]), facts["begin"], facts["every"])
    W = regressor_along(motion, unknowns, facts["channels"], run.role)
    parts = (arrays["rows"], arrays["y"], arrays["W"], arrays["known"])
    rows = RunRows(run.name, run.role, *parts, W, arrays.get("noise"), motion, recording)
    return rows, tuple(facts["said"])


def _packed(rows: RunRows, said: tuple[str, ...]) -> Kept:
    """Rows as facts and arrays."""
    motion, states = rows.motion, rows.motion.states
    facts = {
        "system": states.system.key,
        "begin": None if motion.begin is None else dict(motion.begin),
        "coordinates": [*motion.mechanism.coordinates],
        "channels": list(rows.regressor.channels),
        "size": states.size,
        "edge": motion.edge,
        "every": motion.every,
        "steps": list(motion.steps),
        "said": list(said),
    }
    arrays = {name: getattr(states, name) for name in STATES}
    arrays |= {"rows": rows.t, "y": rows.y, "W": rows.W, "known": rows.known}
    return facts, arrays if rows.noise is None else arrays | {"noise": rows.noise}


def _system(mechanism: Mechanism, facts: dict[str, Any]) -> System | None:
    """The system in which the states of a run are, if it is still the same."""
    compiled = system(mechanism, "joint", home=start(mechanism, facts["begin"]))
    return next((one for one in (compiled, careful(compiled)) if one.key == facts["system"]), None)


def _key(
    run: Run, unknowns: Unknowns, wanted: Sequence[str], processing: Processing, seed: tuple[int, int] | None
) -> str:
    """Digest of all that rows depend on; empty: they are not kept."""
    mechanism, recording = unknowns.mechanism, run.recording
    structure = system(mechanism, "joint").key
    if not structure:
        return ""
    values = {name: float(p.value) for name, p in mechanism.parameters.items()}
    about = [run.begin, run.end, run.role, *wanted, seed, asdict(processing), unknowns.names, values]
    linear = [p.name for p in unknowns.linear]
    channels = [repr(recording.channels), repr(recording.findings), recording.clock, recording.axis]
    code = writer_digest(__name__)
    return content_key(code, structure, recording.digest, json.dumps([about, linear, channels], default=str))
