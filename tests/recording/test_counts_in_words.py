"""Findings of one thing are told of one."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot

T = np.arange(200) / 100
PENDULUM = """
format = 1
name = "pendulum"
[bodies.arm]
mass = 1
[joints.A]
type = "revolute"
between = ["ground", "arm"]
[actuators.motor]
on = { joint = "A" }
"""


def written(tmp_path, fields: dict[int, str], constant: str = "") -> poinsot.Recording:
    texts = [f"{x:.9f}" for x in np.sin(3 * T) + 0.2 * np.sin(11 * T)]
    for row, text in fields.items():
        texts[row] = text
    rows = [f"{t:.2f},{x}{',' * bool(constant)}{constant}" for t, x in zip(T, texts)]
    (tmp_path / "r.csv").write_text("\n".join(["t [s],x [m]" + ",still" * bool(constant), *rows]))
    return poinsot.read(tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({50: "lost"}, ("1 field is no number and is masked", "1 sample masked")),
        ({50: "lost", 90: "bad"}, ("2 fields are no numbers and are masked", "2 samples masked")),
        ({50: "90"}, ("1 spike is masked", "1 sample masked")),
        ({50: "90", 120: "-70"}, ("2 spikes are masked", "2 samples masked")),
    ],
)
def test_one_is_not_told_as_many(tmp_path, fields, said):
    found = str(written(tmp_path, fields))
    assert all(words in found for words in said), found


def test_a_channel_without_a_unit_that_never_changes_is_told_with_single_spaces(tmp_path):
    assert "it is 0 all the time" in str(written(tmp_path, {}, "0"))


@pytest.mark.parametrize("lost, said", [([80], "1 gap, the longest"), ([80, 120], "2 gaps, the longest")])
def test_gaps_of_the_clock_are_counted(tmp_path, lost, said):
    t = np.delete(T, [k + j for k in lost for j in range(3)])
    rows = "".join(f"{a:.2f},{np.sin(3 * a):.9f}\n" for a in t)
    (path := tmp_path / "r.csv").write_text(f"t,x\n{rows}")
    assert said in str(poinsot.read(path))


def test_a_machine_with_one_of_a_kind_is_told_with_one():
    assert "with 1 body, 1 joint, 1 actuator," in repr(poinsot.loads(PENDULUM))
