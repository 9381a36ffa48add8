"""Whatever a public function is given, it works or says in one sentence what it wanted."""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import poinsot
from poinsot.errors import LONGEST

JUNK = {
    "None": None,
    "an object": object(),
    "no text": "",
    "a text": "x",
    "a text with a zero": "\0",
    "half a sign": "\ud800",
    "two lines": "a\nb",
    "a number as text": "1e400",
    "bytes": b"x",
    "-1": -1,
    "0": 0,
    "nan": math.nan,
    "inf": math.inf,
    "huge": 10**400,
    "complex": 1j,
    "True": True,
    "...": ...,
    "a class": int,
    "an empty list": [],
    "a list of nothing": [None],
    "a ragged list": [[1.0], [2.0, 3.0]],
    "a list of nan": [math.nan],
    "a list of texts": ["x"],
    "a tuple": ("x", 1),
    "a set": {1},
    "an empty array": np.zeros((2, 0, 3)),
    "an array of objects": np.array([object()]),
    "an array of texts": np.array(["a"]),
    "an empty table": {},
    "a table by number": {1: 2},
    "a table of nothing": {"x": None},
    "a table of objects": {"phi": object()},
    "a table of nan": {"phi": math.nan},
    "a table of texts": {"phi": "junk"},
    "a table of lists": {"phi": []},
    "a table of pairs": {"x": (1, 2)},
    "a table of events": {"x": ("phi", "y")},
}
NOT_CALLED = (
    "Design",
    "DesignStudy",
    "__version__",
    "Estimate",
    "FrequencyResponse",
    "Mechanism",
    "ModalTest",
    "MotionError",
    "PoinsotError",
    "Processing",
    "Recording",
    "Run",
    "Study",
    "Unknown",
    "read_mjcf",
)  # which needs MuJoCo
TIMES = [0.0, 0.1, 0.2]


def shaken() -> poinsot.Recording:
    """A random force and a response to it."""
    F, y = np.random.default_rng(0).standard_normal((2, 1024))
    units = {"F": "N", "y": "m/s²"}
    return poinsot.Recording.of(np.arange(1024) / 256.0, {"F": F, "y": np.cumsum(F) + y}, units=units)


def turned(bar: poinsot.Mechanism) -> poinsot.Recording:
    """A crank and its torque."""
    t = np.arange(200) / 50
    run = poinsot.inverse_dynamics(bar, {"theta1": poinsot.Fourier(2.0, (0.5,), (), 1.2)}, t)
    return poinsot.Recording.of(t, {"theta1": run.kinematics.coordinates["theta1"], "A": run.forces["A"]})


def posed() -> dict:
    """A small design of poses."""
    options = {"task": "poses", "poses": 4, "sets": 4, "robust": "nominal", "refine": False}
    return {"study": poinsot.load("three_link"), "task": options, "unknowns": ["?.stiffness"]}


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> dict[str, dict]:
    """Arguments with which every public function works."""
    folder = tmp_path_factory.mktemp("written")
    swing, bar, robot = (poinsot.load(name) for name in ("pendulum", "four_bar", "hexapod"))
    found = poinsot.modes(swing)
    moving = {"mechanism": swing, "motion": {"phi": poinsot.Fourier(1.0, (0.1,))}, "t": TIMES}
    driven = {"mechanism": bar, "motion": {"theta1": 1.0}, "t": TIMES}
    (folder / "run.csv").write_text("t,x\n" + "".join(f"{k / 100},{k % 7}\n" for k in range(200)))
    (folder / "arm.urdf").write_text('<robot name="arm"><link name="a"/></robot>')
    sensing = poinsot.load("ex800")
    still = {name: sensing.elements.pose[name] for name in ("x", "y", "z", "rx", "ry", "rz")}
    run = poinsot.measure(sensing, still, [k / 100 for k in range(150)])
    noisy = poinsot.Recording.of(np.arange(200) / 100, {"x": np.random.default_rng(0).standard_normal(200)})
    quiet = {name: replace(channel, noise=1e-3) for name, channel in run.channels.items()}
    special = {
        "allan": {"recording": noisy, "channel": "x"},
        "filter_forces": {"predicted": [[0.0]] * 3, "measured": [[1.0]] * 3},
        "fuse": {"mechanism": sensing, "recording": replace(run, channels=quiet).rows(slice(0, 20), "a part")},
        "Fourier": {"omega": 1.0},
        "ModalRun": {"frequencies": [3.0], "damping": [0.1], "damping_deviation": 0.01},
        "Samples": {"t": [0.0, 1.0, 2.0, 3.0], "s": [0.0, 1.0, 4.0, 9.0]},
        "State": {},
        "build": {"document": {"format": 1}},
        "compare": {
            "results": poinsot.Study(bar, (poinsot.Run("run", turned(bar)),), (poinsot.Unknown("link3.mass"),)),
            "methods": ["weighted", "robust"],
        },
        "compliance": {"mechanism": swing, "at": "bob"},
        "compliance_map": {"mechanism": swing, "at": "bob", "poses": {"phi": [0.0, 0.1]}},
        "design": posed(),
        "determinable": moving,
        "energy_regressor": moving,
        "frequency_map": {"mechanism": swing, "poses": {"phi": [0.0, 0.1]}},
        "frequency_response": {"recording": shaken(), "input": "F", "segment": 0.5},
        "frf": {"mechanism": swing, "inputs": ["phi"], "outputs": ["phi"], "frequencies": [1.0, 2.0]},
        "hold": {"mechanism": bar},
        "identify": {"study": bar, "recording": turned(bar), "unknowns": ["link3.mass"]},
        "inverse_dynamics": driven,
        "kinematics": moving,
        "library_names": {},
        "load": {"name_or_path": "pendulum"},
        "loads": {"text": poinsot.dumps(swing)},
        "mac": {"a": found, "b": found},
        "measure": {"mechanism": sensing, "motion": still, "t": TIMES},
        "modal_test": {"measured": poinsot.frequency_response(shaken(), "F", segment=0.5), "order": 6},
        "motion_sensitivity": {"mechanism": swing, "t_end": 0.1, "wrt": ["bob.mass"]},
        "pair": {"a": found, "b": found},
        "read": {"path": folder / "run.csv"},
        "read_urdf": {"path": folder / "arm.urdf"},
        "regressor": moving,
        "save": {"mechanism": swing, "path": folder / "a.toml", "overwrite": True},
        "sensitivity": {**driven, "wrt": ["link3.mass"]},
        "simulate": {"mechanism": swing, "t_end": 0.1},
        "stiffness": {"mechanism": robot, "at": "platform"},
        "write_mjcf": {"mechanism": swing, "path": folder / "a.xml", "overwrite": True},
        "write_urdf": {"mechanism": swing, "path": folder / "a.urdf", "overwrite": True},
    }
    return {name: special.get(name, {"mechanism": swing}) for name in poinsot.__all__ if name not in NOT_CALLED}


FUNCTIONS = [name for name in poinsot.__all__ if name not in NOT_CALLED]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_junk_is_refused_in_one_sentence(name, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a text that is taken for the name of a file
    function = getattr(poinsot, name)
    failures = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(**good[name])
        for parameter in inspect.signature(function).parameters:
            for label, junk in JUNK.items():
                try:
                    function(**{**good[name], parameter: junk})
                except poinsot.PoinsotError as error:
                    if "\n" in str(error) or len(str(error)) > LONGEST:
                        failures.append((parameter, label, "not one sentence", str(error)[:200]))
                except Exception as error:
                    failures.append((parameter, label, repr(error)[:120]))
    assert not failures, "\n".join(map(str, failures))


def test_arguments_that_do_not_exist_are_type_errors():
    with pytest.raises(TypeError):
        poinsot.simulate(poinsot.load("pendulum"), 0.1, colour="red")
    with pytest.raises(TypeError):
        poinsot.simulate()
