"""What Python takes besides numbers in SI: texts with units, arrays at given times; and what it refuses by name."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import poinsot
from poinsot.errors import PoinsotError

BAR, T = poinsot.load("four_bar"), np.linspace(0, 1, 50)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (1j * T, "holds complex numbers, which samples over time are not"),
        (T > 0.5, "holds truth values"),
        (T.astype(str), "holds texts"),
    ],
)
def test_samples_that_are_no_real_numbers_are_refused(values, words):
    with pytest.raises(PoinsotError, match=f"channel 'theta1' {words}"):
        poinsot.Recording.of(T, {"theta1": values})


def test_poses_and_constant_motions_take_units():
    assert poinsot.hold(BAR, {"theta1": "60 deg"})["A"] == poinsot.hold(BAR, {"theta1": np.radians(60)})["A"]
    still = poinsot.kinematics(BAR, {"theta1": "60 deg"}, T)
    assert still.coordinates["theta1"][0] == pytest.approx(np.pi / 3)
    with pytest.raises(PoinsotError, match="theta1: expected a quantity in rad, got '60 mm'"):
        poinsot.kinematics(BAR, {"theta1": "60 mm"}, T)


FLEXIBLE = {
    "format": 1,
    "planar": True,
    "bodies": {
        "arm": {
            "frames": {"tip": [0.5, 0]},
            "beams": {"web": {"between": ["arm", "arm.tip"], "material": "steel", "section": "strip"}},
        }
    },
    "materials": {"steel": {"E": 2.1e11, "G": 8e10, "density": 7800}},
    "sections": {"strip": {"area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "torsion": 2e-9}},
    "joints": {"A": {"type": "revolute", "between": ["ground", "arm"], "actuated": True}},
    "coordinates": {"phi": {"joint": "A"}},
    "pose": {"phi": 0.3},
}
ASKED = {
    "modes": lambda machine, pose: poinsot.modes(machine, pose=pose).frequencies,
    "compliance": lambda machine, pose: poinsot.compliance(machine, "arm.tip", pose=pose).matrix,
    "frf": lambda machine, pose: poinsot.frf(machine, "arm.tip y", "arm.tip y", [1.0], pose=pose, damping=0.01).H,
    "linearise": lambda machine, pose: poinsot.linearise(machine, pose=pose).A,
    "equilibrium": lambda machine, pose: poinsot.equilibrium(machine, pose=pose, locked="all").coordinates["phi"],
    "singularity": lambda machine, pose: poinsot.singularity(machine, pose).actuators,
    "a map": lambda machine, pose: poinsot.frequency_map(machine, {k: [x] for k, x in pose.items()}).frequencies,
}


@pytest.mark.parametrize("stops", [None, {"upper": 1.0, "lower": -1.0}], ids=["free", "stops"])
@pytest.mark.parametrize("verb", ASKED)
@pytest.mark.parametrize("links", ["flexible", "rigid"])
def test_every_verb_of_a_pose_takes_its_units(links, verb, stops):
    if links == "flexible" and verb in ("equilibrium", "singularity", "linearise"):
        pytest.skip("these are of rigid links")
    document = copy.deepcopy(FLEXIBLE)
    if links == "rigid":
        document["bodies"]["arm"] |= {"mass": 1.0, "com": [0.2, 0], "inertia": 0.05}
        del document["bodies"]["arm"]["beams"]
    if stops:
        document["forces"] = {"stop": {"type": "end-stop", "on": {"joint": "A"}, **stops}}
    machine = poinsot.build(document)
    wanted = ASKED[verb](machine, {"phi": np.radians(20)})
    for name in ("phi", "A"):
        np.testing.assert_allclose(ASKED[verb](machine, {name: "20 deg"}), wanted, rtol=1e-9)


def test_an_array_as_long_as_the_times_is_the_samples_there():
    values = 1 + 0.2 * np.sin(3 * T)
    wanted = poinsot.inverse_dynamics(BAR, {"theta1": (T, values)}, T).forces["A"]
    for given in (values, values.tolist()):
        np.testing.assert_array_equal(poinsot.inverse_dynamics(BAR, {"theta1": given}, T).forces["A"], wanted)
    with pytest.raises(PoinsotError, match=r"as many values as there are times t, not ndarray of 49"):
        poinsot.inverse_dynamics(BAR, {"theta1": values[1:]}, T)
    with pytest.raises(PoinsotError, match=r"\(times, values\) or as many values"):
        poinsot.inverse_dynamics(BAR, {"theta1": values})


def test_the_noise_of_channels_takes_units():
    motion = {"theta1": poinsot.Fourier(3.0, (0.5, 0.2), (0.1,), 1.2)}
    plain = poinsot.determinable(BAR, motion, T, noise=0.05)
    assert str(poinsot.determinable(BAR, motion, T, noise="50 mN·m")) == str(plain)
    assert str(poinsot.determinable(BAR, motion, T, noise={"A": "0.05 N·m"})) == str(plain)
    with pytest.raises(PoinsotError, match="the noise of 'A': expected a quantity in N·m, got '1 mm'"):
        poinsot.determinable(BAR, motion, T, noise="1 mm")


def test_frequencies_take_units_and_need_one_that_is_known():
    run = poinsot.ModalRun(["3.2 Hz", "-", "0.01 kHz", 12])
    np.testing.assert_allclose(run.frequencies, [3.2, np.nan, 10, 12])
    with pytest.raises(PoinsotError, match="no frequency is given, all are NaN"):
        poinsot.ModalRun([np.nan, np.nan])
    with pytest.raises(PoinsotError, match="expected a quantity in Hz, got '3 m'"):
        poinsot.ModalRun(["3 m"])


def test_the_rate_of_a_sensor_takes_a_unit():
    document = copy.deepcopy(dict(BAR.document))
    document["sensors"] = {"e": {"type": "encoder", "on": {"joint": "A"}, "rate": "0.2 kHz"}}
    assert poinsot.build(document).sensors["e"].rate == 200
    for rate, words in (("0.2 m", "expected a quantity in Hz"), ("-2 Hz", "positive"), ("fast", "quantity in Hz")):
        document["sensors"]["e"]["rate"] = rate
        with pytest.raises(PoinsotError, match=rf"sensors.e.rate: .*{words}"):
            poinsot.build(document)


def test_a_table_of_too_few_rows_is_named_with_them(tmp_path):
    (path := tmp_path / "short.csv").write_text("t,theta1 [rad]\n0,1\n0.1,1.1\n0.2,1.2\n")
    with pytest.raises(PoinsotError, match=r"short.csv: 3 rows of numbers are too few for a motion, which needs 6"):
        poinsot.kinematics(BAR, path)
