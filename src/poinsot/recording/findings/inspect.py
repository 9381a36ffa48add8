"""All that is looked for in a recording, and the mending of what can be mended without knowing the machine."""

from __future__ import annotations

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.recording.finding import Finding, Severity, spans
from poinsot.recording.findings.against_model import model_findings
from poinsot.recording.findings.rates import rate_findings
from poinsot.recording.findings.repeats import repeat_finding, repeats_of
from poinsot.recording.findings.samples import missing_findings, sample_findings, spikes
from poinsot.recording.recording import Recording

__all__ = ["compared", "inspected"]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # samples may be as large as numbers go
def inspected(recording: Recording, repair: bool = True) -> Recording:
    """The recording with all that is wrong with its samples as findings.

    With `repair`, rows that repeat and single spikes are masked, and the findings say so.
    """
    missing = [*missing_findings(recording)]
    for group, rows in repeats_of(recording):
        finding = repeat_finding(recording, group, rows, mended=repair)
        recording = recording.masked(rows, finding.message, group) if repair else recording
        recording = recording.with_findings([finding])
    faults = [f for f in sample_findings(recording) if not repair or f.code != "spikes"]
    recording = recording.with_findings([*missing, *faults])
    for name in recording if repair else ():
        recording = _without_spikes(recording, name)
    return recording


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
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
