"""Mechanisms on disk: the same again, and nothing but mechanisms; constraint equations shared by a structure."""

import json

import numpy as np
import pytest

import poinsot
from poinsot.model.assembly.constraints import Constraints
from poinsot.model.assembly.first_guess import first_guess
from poinsot.model.assembly.topology import topology
from poinsot.model.mechanism import build
from poinsot.model.record import from_record, kept_mechanism, to_record
from poinsot.store import content_key

LIBRARY = poinsot.library_names()


@pytest.mark.parametrize("name", LIBRARY)
def test_a_mechanism_comes_back_as_it_was(name):
    read = poinsot.load(name)
    built = build(read.document, name, read.text)
    again = from_record(json.loads(json.dumps(to_record(built))))
    for mechanism in (read, again):
        assert mechanism == built
        assert mechanism.document == built.document and mechanism.text == built.text
        assert repr(mechanism.elements) == repr(built.elements)
        assert [p.source for p in mechanism.parameters.values()] == [p.source for p in built.parameters.values()]
        assert [p.copies for p in mechanism.parameters.values()] == [p.copies for p in built.parameters.values()]


@pytest.mark.parametrize(
    "home", ["os:system", "subprocess:Popen", "poinsot.model.load:load", "poinsot.store.cache:CacheReport", "os"]
)
def test_a_record_makes_parts_of_mechanisms_only(home):
    record = to_record(poinsot.load("pendulum"))
    record["classes"][0] = home
    with pytest.raises((AttributeError, ValueError)):
        from_record(record)


def test_a_file_is_built_again_after_a_change(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / "cache"))
    text = poinsot.load("pendulum").text
    path = tmp_path / "model.toml"
    path.write_text(text)
    first = poinsot.load(path)
    assert kept_mechanism(content_key("model", "model", text)) == first
    path.write_text(text.replace("format", "# a comment\nformat", 1))
    assert poinsot.load(path).text != first.text
    path.write_text(text.replace("format = 1", "format = 2", 1))
    with pytest.raises(poinsot.PoinsotError, match="format"):
        poinsot.load(path)


@pytest.mark.parametrize("name", LIBRARY)
def test_equations_of_a_structure_give_the_joints_own_residuals(name):
    """The function takes the geometry as numbers: against the laws themselves, two geometries, random poses."""
    rng = np.random.default_rng(3)
    mechanism = poinsot.load(name)
    shapes = [p.name for p in mechanism.parameters.values() if p.role == "geometry" and p.value != 0]
    changed = mechanism.with_parameters({n: mechanism.parameters[n].value * 1.01 for n in shapes})
    for one in (mechanism, changed):
        law = Constraints(one.elements, tuple(one.elements.coordinates.values()))
        xi = 0.1 * rng.normal(size=law.freedom * len(law.names))
        poses = law.displaced(first_guess(one.elements, topology(one.elements).branches, one.elements.pose), xi)
        expected = []
        for joint in one.elements.joints.values():
            residual = np.asarray(joint.residual(joint.relative(poses[joint.a.body], poses[joint.b.body])), float)
            expected.extend(residual.ravel()[list(law.kept(joint.name))])
        expected += [float(c.value(poses, one.elements.joints)) for c in law.held]
        phi, jacobian = law.evaluate(poses)
        np.testing.assert_allclose(phi, expected, atol=1e-13, rtol=1e-12)
        way, h = rng.normal(size=len(xi)), 1e-5
        at = {k: law.evaluate(law.displaced(poses, k * h * way))[0] for k in (-2, -1, 1, 2)}
        slope = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)  # of fourth order: a screw turns fast
        np.testing.assert_allclose(jacobian @ way, slope, atol=2e-7 * np.abs(jacobian).max())


def test_mechanisms_of_one_structure_share_their_equations():
    hexapod = poinsot.load("hexapod")
    other = hexapod.with_parameters({"base.radius": 1.01 * hexapod.parameters["base.radius"].value})
    first, second = Constraints(hexapod.elements), Constraints(other.elements)
    assert first._function is second._function
    assert not np.array_equal(first._numbers[1], second._numbers[1])
