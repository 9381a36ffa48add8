"""Each drive has a lag of its own, with an error that holds; what is no delay is not called one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import poinsot
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.findings import against_model, compared
from poinsot.recording.findings.delays import Delay, delay_of
from poinsot.recording.findings.trial import trial_of
from poinsot.recording.place import placed
from tests.recording.test_late_forces import MECHANISMS, rough, run

GEARED = """
format = 1
name = "geared"
planar = true
[bodies.ground.frames]
r = ["0.3 m", 0]
[bodies.arm]
mass = "5 kg"
com = ["0.2 m", 0.02]
inertia = 0.15
[bodies.rotor]
mass = 0.4
inertia = 2e-4
placement = { position = [0.3, 0] }
[joints.h]
type = "revolute"
between = ["ground", "arm"]
[joints.m]
type = "revolute"
between = ["ground.r", "rotor"]
actuated = true
FRICTION
[couplings.g.on]
combination = { m = 1, h = 40 }
[coordinates]
q = { joint = "h" }
"""
ROTOR = """
format = 1
name = "rotor"
planar = true
[bodies.disc]
mass = "2 kg"
com = ["COM m", 0]
inertia = INERTIA
[joints.h]
type = "revolute"
between = ["ground", "disc"]
actuated = true
[coordinates]
q = { joint = "h" }
"""
GANTRY = """
format = 1
name = "gantry"
[bodies.bridge]
mass = "20 t"
[bodies.hook]
mass = "3 t"
[joints.x]
type = "prismatic"
between = ["ground", "bridge"]
axis = [1, 0, 0]
actuated = true
friction = { viscous = "3e3 N·s/m", coulomb = "200 N" }
[joints.z]
type = "prismatic"
between = ["bridge", "hook"]
axis = [0.1, 0, 1]
actuated = true
friction = { viscous = "3e3 N·s/m", coulomb = "200 N" }
[coordinates]
x = { joint = "x" }
z = { joint = "z" }
"""
T = np.arange(0, 8, 0.01)
AT = (("x", 20.0), ("z", -10.0))  # middles of the crane's motions  [m]


def rotor(inertia: float, com: float = 0.0) -> poinsot.Mechanism:
    return poinsot.loads(ROTOR.replace("INERTIA", str(inertia)).replace("COM", str(com)))


def lifted(kind: str, late: float = 0.0) -> tuple[poinsot.Mechanism, poinsot.Recording]:
    """Forty seconds of a gantry crane, with the force of z so late."""
    t, rng, model = np.arange(800) * 0.05, np.random.default_rng(5), poinsot.loads(GANTRY)

    def sweep(size: float, at: float, phase: float):
        return lambda t: at + size * np.sin(phase + 0.157 * t + 0.01767 * t**2)

    motion = {"x": sweep(4.0, 20.0, 0.5), "z": sweep(1.5, -10.0, 1.4)}
    if kind == "sine":
        motion = {
            c: poinsot.Fourier(0.2 * np.pi / (1 + 0.3 * k), [8 - 5 * k], [0.0], at) for k, (c, at) in enumerate(AT)
        }
    positions = poinsot.kinematics(model, motion, t).coordinates
    forces = poinsot.inverse_dynamics(model, motion, t).forces
    forces |= {"z": poinsot.inverse_dynamics(model, motion, t - late).forces["z"]}
    steps = {c: 20 * np.ptp(y) / 2**16 for c, y in positions.items()}
    channels = {c: steps[c] * np.round(y / steps[c]) for c, y in positions.items()}
    channels |= {f"{f}.force": y + 0.02 * np.std(y) * rng.standard_normal(800) for f, y in forces.items()}
    return model, poinsot.Recording.of(t, channels)


def said(model: poinsot.Mechanism, recording: poinsot.Recording) -> list[Finding]:
    """What a model says of a recording, notes aside."""
    return [one for one in compared(placed(recording, model), model).findings if one.severity is not Severity.NOTE]


def moved(name: str, **lags: float) -> poinsot.Recording:
    """A recording some of whose forces are late."""
    return run(name).with_channels({force: run(name, lag)[force] for force, lag in lags.items()}, run(name).channels)


def delay(model: poinsot.Mechanism, recording: poinsot.Recording) -> Delay | None:
    trial = trial_of(placed(recording, model), model)
    return delay_of(trial, against_model._needed(trial)[0])


@pytest.mark.parametrize(
    ("name", "lags"),
    [
        ("arm", {"waist": 0.05}),
        ("arm", {"elbow": 0.05}),
        ("arm", {"shoulder": -0.1}),
        ("arm", {"waist": 0.2, "elbow": -0.04}),
        ("five_bar", {"shoulder2": 0.1}),
    ],
)
def test_a_drive_that_is_late_is_named_alone_with_its_own_delay(name, lags):
    found = said(rough(name), moved(name, **lags))
    assert {one.channel: one.code for one in found} == dict.fromkeys(lags, "delay")
    for one in found:
        assert one.amount == pytest.approx(lags[one.channel], abs=4e-3)
        assert one.message.startswith("it is ") and f"'delay {one.channel}'" in one.advice


def test_drives_that_are_late_alike_are_told_together_and_each_is_named_as_an_unknown():
    (one,) = said(rough("arm"), run("arm", 0.05))
    assert one.message.startswith("it and 'shoulder' and 'elbow' are 50")
    assert all(f"'delay {name}'" in one.advice for name in ("waist", "shoulder", "elbow"))


@cache
def scatter(late: float, count: int = 10) -> np.ndarray:
    """Deviations of delays from the true ones, in standard errors, over noise (count, 3)."""
    clean, found = moved("arm", waist=late) if late else run("arm", 0.05), []
    true = np.array([late, 0, 0]) if late else np.full(3, 0.05)
    for seed in range(count):
        rng = np.random.default_rng(seed)
        noise = {f: 0.05 * np.std(clean[f]) * rng.standard_normal(len(clean)) for f in MECHANISMS["arm"].actuators}
        noisy = clean.with_channels({f: clean[f] + x for f, x in noise.items()}, clean.channels)
        one = delay(rough("arm"), noisy)
        found.append((one.lags - true) / one.errors)
    return np.array(found)


@pytest.mark.parametrize("late", [0.0, 0.05])
def test_delays_scatter_as_their_errors_say(late):
    z = scatter(late)
    assert 0.5 < np.sqrt(np.mean(z**2)) < 2.0


def test_a_delay_within_five_of_its_errors_or_without_which_as_much_is_explained_is_not_told():
    lags, errors = np.array([0.02, 0.02, -0.02, 0.02]), np.array([0.003, 0.005, 0.003, 0.003])
    told = Delay(lags, errors, np.array([0.5, 0.5, 0.5, 0.9]), 0.1, False)
    assert told.sure(0.0).tolist() == [0, 2] and told.sure(0.03).tolist() == []


@pytest.mark.parametrize(("samples", "told"), [(0.6, 0), (1.0, 1)])
def test_less_than_a_sample_is_not_told_however_sure(samples, told):
    model, motion = rotor(0.1, 0.2), {"q": poinsot.Fourier(1.6, [0.5, 0.2, 0.1], [0.2, 0.3, 0.1], 0.3)}
    force = poinsot.inverse_dynamics(model, motion, T - 0.01 * samples).forces["h"]
    recording = poinsot.Recording.of(T, {"q": motion["q"].at(T)[0], "h.force": force})
    assert len(said(model, recording)) == told


def test_a_shorter_delay_that_needs_negative_inertia_is_not_believed():
    w = 2 * np.pi / 0.7
    late = T - 0.2
    force = 0.1 * w**2 * (-np.sin(w * late) - 4.5 * np.sin(3 * w * late))
    force += 0.02 * force.std() * np.random.default_rng(0).standard_normal(len(T))
    recording = poinsot.Recording.of(T, {"q": np.sin(w * T) + 0.5 * np.sin(3 * w * T), "h.force": force})
    assert delay(rotor(0.04), recording).lags[0] == pytest.approx(0.2, abs=2e-3)  # not 0.2 s less half a period


@pytest.mark.parametrize("kind", ["sine", "fourier"])
@pytest.mark.parametrize("late", [0.0, 0.06])
def test_friction_of_a_motor_behind_a_gear_is_no_delay_though_the_model_lacks_it(kind, late):
    has, lacks = (
        poinsot.loads(GEARED.replace("FRICTION", x)) for x in ("friction = { viscous = 4e-4, coulomb = 3e-3 }", "")
    )
    b = [0.0] if kind == "sine" else [0.1, 0.2, 0.1]
    motion = {"q": poinsot.Fourier(np.pi, [0.5] if kind == "sine" else [0.4, 0.1, 0.1], b, 0.4)}
    force, rng = poinsot.inverse_dynamics(has, motion, T - late).forces["m"], np.random.default_rng(0)
    noisy = force + 0.02 * force.std() * rng.standard_normal(len(T))
    recording = poinsot.Recording.of(T, {"q": motion["q"].at(T)[0] + 1e-5 * rng.standard_normal(len(T)), "m": noisy})
    found = said(lacks, recording)
    assert [one.code for one in found] == (["delay"] if late else [])
    assert not late or found[0].amount == pytest.approx(late, abs=5e-3)


@pytest.mark.parametrize("noise", [0.003, 0.01])
@pytest.mark.parametrize("size", [0.1, 0.2])
def test_a_sine_with_a_noisy_encoder_is_no_quarter_of_a_period_late(noise, size):
    model, rng = rotor(0.05, 0.3), np.random.default_rng(1)
    q, a = np.pi + size * np.sin(3 * T), -9 * size * np.sin(3 * T)
    force = (0.05 + 2 * 0.09) * a + 2 * 9.81 * 0.3 * np.cos(q)
    channels = {"q": q + noise * rng.standard_normal(len(T)), "h.force": force + 0.05 * rng.standard_normal(len(T))}
    assert said(model, poinsot.Recording.of(T, channels)) == []


@pytest.mark.parametrize("jitter", [0.0, 1e-4])
@pytest.mark.parametrize("dead", ["q1", "q2", "q3", "waist", "shoulder", "elbow"])
def test_where_a_channel_is_dead_no_other_is_blamed(dead, jitter):
    whole, rng = run("arm"), np.random.default_rng(2)
    x = whole[dead].mean() + jitter * np.ptp(whole[dead]) * rng.standard_normal(len(whole))
    codes = {one.code for one in said(MECHANISMS["arm"], whole.with_channels({dead: x}, whole.channels))}
    assert codes.isdisjoint({"swapped", "sign", "degrees", "delay", "gain", "force unit", "time unit"})


def test_what_changes_by_noise_or_flickers_alone_is_dead():
    rng, whole = np.random.default_rng(3), run("arm")
    flicker = 1e-4 * np.repeat(rng.integers(-1, 2, len(whole) // 8), 8)
    still = whole.with_channels(
        {"q2": flicker, "elbow": rng.standard_normal(len(whole)), "waist": np.sign(whole["waist"])}, whole.channels
    )
    trial = trial_of(placed(still, MECHANISMS["arm"]), MECHANISMS["arm"])
    assert trial.dead == {"q2", "elbow"} and trial.silent == {"q2", "elbow", "shoulder"}
    assert not trial_of(placed(whole, MECHANISMS["arm"]), MECHANISMS["arm"]).silent


def test_a_late_force_is_found_beside_an_axis_that_is_held():
    held = {c: poinsot.Fourier(1.6, [0.3, 0.1, 0.1], [0.2, 0.2, 0.1], at) for c, at in (("q2", -0.8), ("q3", 1.2))}
    motion, rng = held | {"q1": poinsot.Fourier(1.6, [0.0], [0.0], 0.3)}, np.random.default_rng(4)
    both = [poinsot.inverse_dynamics(MECHANISMS["arm"], motion, T - late).forces for late in (0.0, 0.08)]
    forces = {f: y + 0.01 * np.std(y) * rng.standard_normal(len(T)) for f, y in both[0].items()}
    forces["elbow"] = both[1]["elbow"]
    recording = poinsot.Recording.of(T, {c: motion[c].at(T)[0] for c in ("q1", "q2", "q3")} | forces)
    (one,) = said(MECHANISMS["arm"], recording)
    assert one.code == "delay" and one.channel == "elbow" and one.amount == pytest.approx(0.08, abs=3e-3)


def test_a_drive_whose_delay_a_motion_does_not_tell_is_not_named_beside_one_that_is_late():
    found = said(*lifted("sine", 1.0))
    assert [(one.channel, one.message[:6]) for one in found] == [("z.force", "it is ")]
    assert found[0].amount == pytest.approx(1.0, abs=0.04)


def test_a_force_that_needs_the_motion_of_a_dead_encoder_is_not_late():
    model, whole = lifted("sweep")
    assert said(model, whole.with_channels({"x": np.full(len(whole), 20.0)}, whole.channels)) == []


def with_noise(recording: poinsot.Recording, share: float, seed: int, but: str = "") -> poinsot.Recording:
    """A recording of the arm with more noise in its forces, but for one."""
    rng, forces = np.random.default_rng(seed), [name for name in MECHANISMS["arm"].actuators if name != but]
    noise = {f: share * np.std(recording[f]) * rng.standard_normal(len(recording)) for f in forces}
    return recording.with_channels({f: recording[f] + x for f, x in noise.items()}, recording.channels)


@pytest.mark.parametrize(("name", "late"), [("waist", 0.03), ("shoulder", 0.05), ("elbow", -0.03)])
def test_a_late_drive_is_named_though_most_of_what_is_left_is_noise_of_others(name, late):
    for seed in range(5):
        (one,) = said(rough("arm"), with_noise(moved("arm", **{name: late}), 0.4, seed, name))
        assert one.channel == name and one.amount == pytest.approx(late, abs=4e-3)
        assert "% remains" in one.message


def test_noise_alone_makes_no_drive_late():
    noisy = [with_noise(run("arm"), share, seed) for share in (0.3, 0.8) for seed in range(10)]
    assert [said(rough("arm"), one) for one in noisy] == [[]] * 20
