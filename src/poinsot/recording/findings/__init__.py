"""Findings: what is wrong with a recording, one family of faults a file.

inspect          all of them; what can be mended
samples          missing, constant and coarse samples, spikes
held             values that stay: clipped samples, sensors that stand still
repeats          rows that repeat
rates            velocities against derivatives: gain, sign, unit, delay
against_model    what the mechanism could not have done: limits, power, gains, and
delays           forces that are late or early
hypotheses       swapped and flipped columns, wrong units of positions
mixed_units      units of forces and times, by
scales           how many times the model's gravity and inertia are measured
trial, explained samples that hypotheses are tried on; how much of the forces a motion explains
plain_path       motions that are tried, found quickly or not at all
jumps            positions that jump: rows that are lost, encoders that slip
contradictions   encoders beyond the freedoms that do not follow from the others
"""

from poinsot.recording.findings.against_model import column_findings
from poinsot.recording.findings.inspect import compared, inspected

__all__ = ["column_findings", "compared", "inspected"]
