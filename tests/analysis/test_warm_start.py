"""A second process finds the functions of the first: it writes no equations and gives the same bits."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import poinsot
from poinsot.model.assembly import constraints
from poinsot.motion import initial_pose as initial
from poinsot.simulation import integration as integrate
from poinsot.store import keys, pack_entry, unpack_entry
from poinsot.system import home as start
from poinsot.system import system
from poinsot.system.stored import remembered

QUESTIONS = """
import hashlib, json, sys
import numpy as np
import poinsot
from poinsot.system.system import Description

written, write = [], Description.write
Description.write = lambda self: written.append(self) or write(self)
machine = poinsot.load("five_bar")
push = dict.fromkeys(machine.actuators, 0.1)
pose = dict(machine.elements.pose)
motion = {name: lambda t, s=s: s + 0.1 * t * t for name, s in pose.items()}
t = np.linspace(0.0, 0.2, 5)

def bits(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()

def simulated(**options):
    r = poinsot.simulate(machine, 0.2, forces=push, **options)
    return bits(r.q, r.v, r.energy, *r.position.values(), *r.rotation.values(), *r.coordinates.values())

found = {"simulate": simulated()}
found["light"] = [name for name in ("casadi", "pydantic", "scipy") if name in sys.modules]
law = dict.fromkeys(machine.actuators, lambda t, s, v: 0.1 * t - 0.01 * v)
found["law"] = bits(poinsot.simulate(machine, 0.2, forces=law).q)
found["rates"] = simulated(velocity={next(iter(pose)): 0.1})
found["euler"] = simulated(formulation="euler")
found["embedded"] = simulated(formulation="embedded")
chosen = poinsot.simulate(machine, 0.2, formulation="embedded", independent=list(pose)[:1])
found["independent"] = bits(chosen.q, *chosen.reactions.values())
d = poinsot.inverse_dynamics(machine, motion, t)
found["inverse"] = bits(*d.forces.values(), *d.reactions.values(), *d.kinematics.velocity.values())
found["kinematics"] = bits(*poinsot.kinematics(machine, motion, t, formulation="rotation-matrix").position.values())
a = poinsot.accelerations(machine, poinsot.State(forces=push))
found["accelerations"] = bits(*a.bodies.values(), *a.reactions.values())
found["wrote"] = bool(written)
print(json.dumps(found))
"""


def answers(directory) -> dict:
    environment = os.environ | {"POINSOT_CACHE_DIR": str(directory), "POINSOT_ENGINE_WAIT": "1"}
    done = subprocess.run([sys.executable, "-c", QUESTIONS], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"complaints": done.stderr}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with the answers that filled it."""
    directory = tmp_path_factory.mktemp("filled")
    return directory, answers(directory)


def same(first: dict, second: dict) -> bool:
    return all(first[name] == second[name] for name in first if name not in ("light", "wrote", "complaints"))


def test_a_warm_process_writes_no_equations_and_gives_the_same_bits(filled):
    directory, cold = filled
    warm = answers(directory)
    assert cold["wrote"] and not warm["wrote"]
    assert warm["light"] == []
    assert same(cold, warm)


def test_damaged_entries_are_made_again(filled, tmp_path):
    directory, cold = filled
    damages = [
        lambda data, key: data[: len(data) // 2],
        lambda data, key: b"",
        lambda data, key: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data, key: pack_entry({"from": "elsewhere"}, b"with a right checksum", key, "kept"),
        lambda data, key: pack_entry(unpack_entry(data)[0], b"with the right facts", key, "kept"),
    ]
    for k, path in enumerate(sorted(directory.glob("*.kept"))):
        (tmp_path / path.name).write_bytes(damages[k % len(damages)](path.read_bytes(), path.stem))
    again = answers(tmp_path)
    assert again["wrote"] and same(cold, again)
    assert "Traceback" not in again["complaints"]
    assert not answers(tmp_path)["wrote"]


def test_functions_whose_code_is_gone_are_compiled_again(filled, tmp_path):
    directory, cold = filled
    for path in directory.glob("*.kept"):
        shutil.copy(path, tmp_path)
    again = answers(tmp_path)
    assert list(tmp_path.glob("*.code")) and not again["wrote"]
    assert same(cold, again)


def forget():
    """Leave nothing in memory, as in a new process."""
    memories = (system._SYSTEMS, system._DESCRIBED, start._ASSEMBLED, constraints._WRITTEN)
    for memory in (*memories, initial._INITIAL, initial._WAYS):
        memory.clear()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and no memory."""

    def use(name: str):
        monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / name))
        forget()
        return tmp_path / name

    yield use
    forget()


def fallen(mechanism) -> np.ndarray:
    return poinsot.simulate(mechanism, 0.3, pose={"theta1": 1.0}).q


def written(monkeypatch) -> list:
    """Notes every time that equations are written."""
    notes, write = [], system.Description.write
    monkeypatch.setattr(system.Description, "write", lambda self: notes.append(self) or write(self))
    return notes


def test_another_geometry_or_formulation_has_entries_of_its_own(cache, monkeypatch):
    bar = poinsot.load("four_bar")
    name = next(n for n, p in bar.parameters.items() if p.role in ("geometry", "named") and p.value > 0.05)
    longer = bar.with_parameters({name: bar.parameters[name].value * 1.02})
    cache("alone")
    expected = fallen(longer)
    cache("shared")
    first = fallen(bar)
    forget()
    notes = written(monkeypatch)
    np.testing.assert_array_equal(fallen(longer), expected)
    assert len(notes) == 1 and not np.array_equal(first, expected)
    forget()
    np.testing.assert_array_equal(fallen(bar), first)
    assert len(notes) == 1
    poinsot.simulate(bar, 0.1, formulation="embedded")
    assert len(notes) == 2


def test_another_mass_needs_no_new_equations(cache, monkeypatch):
    bar = poinsot.load("four_bar")
    name = next(n for n, p in bar.parameters.items() if n.endswith("mass") and p.value > 0)
    heavier = bar.with_parameters({name: 2 * bar.parameters[name].value})
    cache("alone")
    expected = fallen(heavier)
    cache("shared")
    fallen(bar)
    forget()
    notes = written(monkeypatch)
    np.testing.assert_array_equal(fallen(heavier), expected)
    assert not notes


def test_another_version_of_the_library_does_not_read_old_entries(cache, monkeypatch):
    cache("old")
    bar = poinsot.load("four_bar")
    fallen(bar)
    forget()
    notes = written(monkeypatch)
    monkeypatch.setattr(keys, "__version__", "0.0.0+another")
    keys.fingerprint.cache_clear()
    try:
        fallen(bar)
        assert len(notes) == 1
    finally:
        keys.fingerprint.cache_clear()


def test_digests_follow_the_code_that_writes_equations(tmp_path, monkeypatch):
    for package in ("formulations", "estimate/search", "app"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "code.py").write_text("x = 1\n")
    monkeypatch.setattr(keys, "_ROOT", tmp_path)

    def digests():
        return keys.fingerprint.__wrapped__(), keys._measuring_digest.__wrapped__()

    model, measuring = digests()
    (tmp_path / "app" / "code.py").write_text("x = 2\n")
    assert digests() == (model, measuring)
    (tmp_path / "estimate" / "search" / "code.py").write_text("x = 2\n")
    assert digests()[0] == model and digests()[1] != measuring
    (tmp_path / "formulations" / "code.py").write_text("x = 2\n")
    changed = digests()[0]
    (tmp_path / "formulations" / "more.py").write_text("")
    assert len({model, changed, digests()[0]}) == 3


def test_laws_that_say_the_same_share_one_compiled_motion(monkeypatch):
    bar = poinsot.load("four_bar")
    made, integrator = [], integrate.integrator
    monkeypatch.setattr(integrate, "integrator", lambda **given: made.append(given) or integrator(**given))

    def run(law):
        return poinsot.simulate(bar, 0.1, forces={"A": law}).q

    first = run(lambda t, s, v: 0.3 * t - 0.011 * v)
    np.testing.assert_array_equal(run(lambda t, s, v: 0.3 * t - 0.011 * v), first)
    assert len(made) == 1
    gain = [0.3]
    law = lambda t, s, v: gain[0] * t - 0.011 * v  # noqa: E731
    np.testing.assert_array_equal(run(law), first)
    assert len(made) == 1
    gain[0] = 0.4
    assert not np.array_equal(run(law), first)
    assert len(made) == 2


def test_what_a_system_remembers_is_bounded():
    bar = poinsot.load("four_bar")
    compiled = system.system(bar)
    thing = remembered(lambda _, k: k)
    for k in range(2 * compiled.memory.limit):
        thing(compiled, k)
    assert len(compiled.memory) == compiled.memory.limit


def test_forces_of_a_body_follow_its_mass():
    bar, t = poinsot.load("four_bar"), [0.0, 0.1]
    motion = {"theta1": lambda t: 1 + 2 * t}
    name = next(n for n, p in bar.parameters.items() if n.endswith("mass") and p.value > 0)
    poinsot.inverse_dynamics(bar, motion, t)
    heavier = bar.with_parameters({name: 2 * bar.parameters[name].value})
    shared = poinsot.inverse_dynamics(heavier, motion, t).body_forces
    forget()
    alone = poinsot.inverse_dynamics(heavier, motion, t).body_forces
    for body in alone:
        np.testing.assert_array_equal(shared[body], alone[body])


def test_all_code_that_writes_stored_functions_makes_them_stale():
    """A module with stored functions is in a package of the model, or its key has the measuring half's digest."""
    root = Path(keys.__file__).parents[1]
    writers = [path.relative_to(root) for path in root.rglob("*.py") if "\n@stored" in path.read_text()]
    assert len(writers) > 10
    for path in writers:
        assert path.parts[0] in keys._MODEL + keys._MEASURING
        digest = keys.writer_digest(".".join(["poinsot", *path.with_suffix("").parts]))
        assert bool(digest) == (path.parts[0] in keys._MEASURING), path
    assert keys.writer_digest("somebody.elses.module")
