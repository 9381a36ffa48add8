"""What is fused: an inertial unit, encoders, the states that are estimated, and what is known before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from poinsot.elements import GROUND
from poinsot.errors import PoinsotError, by_name, listing, number_of, one_or_more_names, unknown
from poinsot.model.mechanism import Mechanism
from poinsot.recording.fusion.navigation import LEVER, NOISE, OFFSET, SIZE, TURN, Navigation
from poinsot.recording.fusion.nodes import Nodes, nodes_of
from poinsot.recording.fusion.pose_measurement import PoseMeasurement, pose_measurement
from poinsot.recording.recording import Recording

__all__ = ["PRIOR", "UNKNOWNS", "Setting", "setting_of"]

UNKNOWNS = {"lever arm": LEVER, "misalignment": TURN, "time offset": OFFSET}
PRIOR = {  # standard deviations before anything is measured
    "position": 1.0,  # of the machine's size
    "attitude": 0.5,  # [rad]
    "velocity": 10.0,  # of the machine's size per second
    "accelerometer bias": 0.5,  # [m/s²]
    "gyroscope bias": 0.2,  # [rad/s]
    "lever arm": 0.1,  # [m]
    "misalignment": 0.2,  # [rad]
    "time offset": 0.1,  # [s]
}
AT_REST = 1e-3  # of the machine's size per second


@dataclass(frozen=True, eq=False)
class Setting:
    """What is fused, and what is known before."""

    mechanism: Mechanism
    recording: Recording
    unit: str  # the sensor
    seen: PoseMeasurement  # what encoders and loops say
    noise: np.ndarray  # of the encoders (e,)  [m or rad]
    X_BS: tuple[np.ndarray, np.ndarray]  # R (3, 3) and p (3,) of the unit in its body
    active: np.ndarray  # indices of the states that are estimated
    x0: Navigation  # one state
    P0: np.ndarray  # (28,) variances of its errors
    reach: float  # standard deviation of the place about the first, inf if nothing is known  [m]

    @property
    def free(self) -> bool:
        """Whether neither encoders nor loops say anything about the body."""
        return not self.seen.encoders and not self.seen.system.outline.all_rows and self.seen.square

    def nodes(self, offset: float = 0.0) -> Nodes:
        """Samples of unit and encoders, whose clock is `offset` late  [s]."""
        sensors, rec = self.mechanism.sensors, self.recording
        sensor, encoders = sensors[self.unit], [sensors[name] for name in self.seen.encoders]
        read = rec.table([s.channels[0].name for s in encoders]) if encoders else np.zeros((len(rec), 0))
        read = read - [float(getattr(s, "offset", 0.0)) for s in encoders]
        return nodes_of(
            rec.require_times(),
            rec.table([c.name for c in sensor.channels]),
            read,
            _noise(self.mechanism, rec, [self.unit]),
            np.array(sensor.spread("drift"), float),
            np.asarray(self.mechanism.elements.gravity, float),
            offset,
        )


def setting_of(
    mechanism: Mechanism,
    recording: Recording,
    imu: str | None,
    encoders: Sequence[str] | str | None,
    unknowns: Sequence[str] | str,
    at_rest: bool,
    prior: Mapping[str, float] | None,
    reach: float | None,
) -> Setting:
    """What a user asks to be fused, or a sentence that says what is missing."""
    unit, names = _unit(mechanism, recording, imu), _encoders(mechanism, recording, encoders)
    wanted = one_or_more_names(unknowns, "unknowns")
    prior = by_name(prior, "priors are", '{"gyroscope bias": 0.05}')
    for kind, asked, known in (("unknown of a fusion", wanted, UNKNOWNS), ("prior", prior, PRIOR)):
        for name in asked:
            if name not in known:
                raise PoinsotError(unknown(kind, name, known))
    at = mechanism.sensors[unit].at
    if at is None or at.body == GROUND:
        raise PoinsotError(f"'{unit}' is fixed to the ground, which does not move")
    seen = pose_measurement(mechanism, at.body, names)
    if not names and reach is None and seen.system.outline.mobility >= 6:
        raise PoinsotError("without encoders positions are not known: give reach=, how far the body goes [m]")
    X_BS, home = at.pose(), seen.system.home.poses[at.body]
    R_BS, p_BS, R, p = (np.asarray(x, float) for x in (X_BS.R, X_BS.p, home.R, home.p))
    x0 = Navigation((R @ R_BS)[None], (p + R @ p_BS)[None], np.zeros((1, 3)), np.zeros((1, SIZE - 9)))
    asked = {name: number_of(value, f"the prior of the {name}") for name, value in prior.items()}
    sigma = PRIOR | ({"velocity": AT_REST} if at_rest else {}) | asked
    spread = [sigma["attitude"], sigma["position"] * seen.size, sigma["velocity"] * seen.size]
    spread += [sigma[name] for name in ("accelerometer bias", "gyroscope bias", "lever arm", "misalignment")]
    deviations = [*np.repeat(spread, 3), sigma["time offset"], *_noise(mechanism, recording, [unit])]
    active = [*range(15), *range(SIZE)[NOISE], *(k for name in wanted for k in range(SIZE)[UNKNOWNS[name]])]
    return Setting(
        mechanism,
        recording,
        unit,
        seen,
        _noise(mechanism, recording, names),
        (R_BS, p_BS),
        np.array(sorted(active)),
        x0,
        np.square(deviations),
        np.inf if reach is None else number_of(reach, "reach"),
    )


def _unit(mechanism: Mechanism, recording: Recording, imu: str | None) -> str:
    """The inertial unit that the recording has."""
    known = [n for n, s in mechanism.sensors.items() if {"specific force", "rate"} <= set(s.quantities())]
    if imu is not None and not (isinstance(imu, str) and imu in known):
        raise PoinsotError(unknown("inertial unit", str(imu), known))
    found = [imu] if imu is not None else [n for n in known if mechanism.sensors[n].channels[0].name in recording]
    if len(found) != 1:
        raise PoinsotError(f"name the inertial unit by imu=; the recording has: {listing(found) or 'none'}")
    for channel in mechanism.sensors[found[0]].channels:
        recording[channel.name]
    return found[0]


def _encoders(mechanism: Mechanism, recording: Recording, encoders: Sequence[str] | str | None) -> tuple[str, ...]:
    """The encoders that are used: those that are named, else all that the recording has."""
    known = {n: s.channels[0].name for n, s in mechanism.sensors.items() if s.on is not None}
    if encoders is None:
        return tuple(name for name, channel in known.items() if channel in recording)
    wanted = one_or_more_names(encoders, "encoders")
    for name in wanted:
        if name not in known:
            raise PoinsotError(unknown("encoder", name, known))
        recording[known[name]]
    return wanted


def _noise(mechanism: Mechanism, recording: Recording, names: Sequence[str]) -> np.ndarray:
    """Standard deviations of the channels of sensors."""
    found = []
    for name in names:
        for channel, spread in zip(mechanism.sensors[name].channels, mechanism.sensors[name].spread("noise")):
            sigma = recording.channels[channel.name].noise or float(spread)
            if not sigma > 0:
                advice = "give it in the model file or in columns="
                raise PoinsotError(f"the noise of '{channel.name}' is not known: {advice}")
            found.append(sigma)
    return np.array(found)
