"""All that is looked for in a recording, and the mending of what can be mended without knowing the machine."""

from __future__ import annotations

import logging

import numpy as np

from poinsot.model.mechanism import Mechanism
from poinsot.recording.filtering.held_samples import with_held_told, without_held
from poinsot.recording.finding import Finding, spans
from poinsot.recording.findings.against_model import model_findings
from poinsot.recording.findings.rates import rate_findings
from poinsot.recording.findings.repeats import repeat_finding, repeats_of
from poinsot.recording.findings.samples import missing_findings, sample_findings, spikes
from poinsot.recording.recording import Recording

__all__ = ["compared", "inspected"]

_progress = logging.getLogger("poinsot.progress")


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # samples may be as large as numbers go
def inspected(recording: Recording, repair: bool = True) -> Recording:
    """The recording with all that is wrong with its samples as findings.

    With `repair`, rows that repeat, held samples and single spikes are masked, and the findings say so.
    """
    missing = [*missing_findings(recording)]
    recording = without_held(recording, recording) if repair else with_held_told(recording)
    for group, rows in repeats_of(recording):
        finding = repeat_finding(recording, group, rows, mended=repair)
        recording = recording.masked(rows, finding.message, group) if repair else recording
        recording = recording.with_findings([finding])
    recording = recording.with_findings([*missing, *sample_findings(recording)])
    for name in recording:
        _progress.info("samples of '%s'", name)
        recording = _without_spikes(recording, name, repair)
    return recording


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compared(recording: Recording, mechanism: Mechanism | None = None) -> Recording:
    """The recording with what its channels say about each other, and what a mechanism could not have done."""
    found = [*rate_findings(recording)]
    return recording.with_findings(found if mechanism is None else [*found, *model_findings(recording, mechanism)])


def _without_spikes(recording: Recording, name: str, repair: bool) -> Recording:
    """The recording with a finding about the spikes of a channel, which are masked if they are to be."""
    x, good = recording[name], recording.mask(name)
    if np.iscomplexobj(x):
        return recording
    at, off = spikes(x if good.all() else x[good])
    if not len(at):
        return recording
    at = np.flatnonzero(good)[at]
    spike, masked = ("spike", " is masked") if len(at) == 1 else ("spikes", " are masked")
    message = f"{len(at)} {spike}{masked if repair else ''}, the largest {off.max():.4g} off its neighbours"
    advice = "look at the wiring and the bus if there are many" if repair else "mask them (repair=True) or filter"
    where = spans(recording.abscissa, at)
    recording = recording.with_findings([Finding("spikes", name, where, len(at), message, advice, mended=repair)])
    return recording.masked(at, f"'{name}': {message}", name) if repair else recording
