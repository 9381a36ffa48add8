"""A rehearsal of a designed motion: what a simulated recording tells, with the noise of all sensors of the model.

Predicted standard errors are those of the noise of the forces. Encoders have noise as well, which is differentiated
twice and filtered; how much that costs, an identification tells.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poinsot import estimate
from poinsot.errors import PoinsotError, listing
from poinsot.estimate.study import Run, Study
from poinsot.experiment.record import Prediction
from poinsot.experiment.study import DesignStudy
from poinsot.motion.signals import MotionTable, Signal
from poinsot.recording.measure import measure

MUCH = 1.5  # times a predicted standard error, from which it is told
SHOWN = 4  # unknowns
_progress = logging.getLogger("poinsot.progress")


def rehearsed(
    study: DesignStudy, motion: Mapping[str, Signal], t: np.ndarray, predictions: Sequence[Prediction]
) -> tuple[str, ...]:
    """What is to be said of predicted standard errors, in one sentence."""
    sensors = study.mechanism.sensors.values()
    positions = [one for one in sensors if one.on is not None and float(one.spread("noise")[0]) > 0]
    alone = "Standard errors are predicted from the noise of the forces alone"
    if not positions:
        return (f"{alone}: noise of positions, of which the model's sensors have none, adds to them.",)
    _progress.info("a simulated recording of the motion, with the noise of all sensors")
    try:
        run = Run("rehearsal", measure(study.mechanism, MotionTable(motion), t, seed=int(study.seed)))
        unknowns = tuple(replace(one, prior=None, deviation=None) for one in study.unknowns)
        found = estimate.estimated(Study(study.mechanism, (run,), unknowns, name=study.name))
    except PoinsotError as error:
        return (f"{alone}; what that of positions adds cannot be told: {error}.",)
    bars = {one.name: one.deviation for one in found.parameters}
    told = [one for one in predictions if np.isfinite(bars.get(one.name, np.nan)) and one.deviation > 0]
    larger = sorted(((bars[one.name] / one.deviation, one) for one in told), key=lambda pair: -pair[0])
    texts = [
        f"{one.name} ± {bars[one.name]:.2g} {one.unit} ({more:.2g} times)" for more, one in larger if more > MUCH
    ]
    if not texts:
        return ()
    return (f"{alone}; of a simulated recording with that of all sensors they are larger: {listing(texts, SHOWN)}.",)
