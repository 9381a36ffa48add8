"""All that is looked for in a recording, and the mending of what can be mended without knowing the machine."""

from __future__ import annotations

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.findings.against_model import model_findings
from poinsot.recording.findings.rates import rate_findings
from poinsot.recording.findings.repeats import repeat_findings, repeated_rows
from poinsot.recording.findings.samples import sample_findings, spikes
from poinsot.recording.recording import Recording

__all__ = ["compared", "inspected"]


def inspected(recording: Recording, repair: bool = True) -> Recording:
    """The recording with all that is wrong with its samples as findings.

    With `repair`, rows that repeat and single spikes are masked, and the findings say so.
    """
    if not repair:
        return recording.with_findings([*repeat_findings(recording), *sample_findings(recording)])
    alone = [f for f in sample_findings(recording) if f.code != "spikes"]
    rows = repeated_rows(recording)
    if rows.any():
        repeats = tuple(repeat_findings(recording, mended=True))
        recording = recording.masked(rows, repeats[0].message).with_findings(repeats)
    for name in recording:
        recording = _without_spikes(recording, name)
    return recording.with_findings(alone)


def compared(recording: Recording, mechanism: Mechanism | None = None) -> Recording:
    """The recording with what its channels say about each other, and what a mechanism could not have done."""
    found = [*rate_findings(recording)]
    return recording.with_findings(found if mechanism is None else [*found, *model_findings(recording, mechanism)])


def _without_spikes(recording: Recording, name: str) -> Recording:
    x = recording[name]
    good = np.flatnonzero(np.isfinite(x)) if not np.iscomplexobj(x) else np.zeros(0, int)
    at = good[spikes(x[good])] if len(good) > 10 else good[:0]
    if not len(at):
        return recording
    flags = np.zeros(len(x), bool)
    flags[at] = True
    message = f"{len(at)} spikes are masked"
    where = spans(recording.abscissa, at)
    advice = "look at the wiring and the bus if there are many"
    finding = Finding("spikes", name, where, len(at), message, advice, Severity.WARNING, mended=True)
    return recording.masked(flags, f"'{name}': {message}", name).with_findings([finding])
