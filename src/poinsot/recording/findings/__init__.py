"""Findings: what is wrong with a recording, one family of faults a file.

inspect          all of them; what can be mended
samples          missing, constant, coarse and clipped samples, spikes
repeats          rows that repeat
rates            velocities against derivatives: gain, sign, unit, delay
against_model    swapped and flipped columns, wrong units and delays, from what the mechanism could do
"""

from poinsot.recording.findings.inspect import compared, inspected

__all__ = ["compared", "inspected"]
