"""Damaged recordings: every fault is found and named, and good recordings raise no alarm."""

from __future__ import annotations

import pytest

import poinsot
from poinsot.recording.finding import Severity
from tests.recording.damage import DAMAGES
from tests.recording.good import GOOD

ALARM = (Severity.ERROR, Severity.WARNING)


@pytest.mark.parametrize("name", DAMAGES)
def test_every_damage_is_found_and_named(name, tmp_path):
    damage = DAMAGES[name]
    good = damage.good()
    rec = poinsot.read(damage.damaged(good, tmp_path), mechanism=good.mechanism)
    named = [
        f
        for f in rec.findings
        if f.code == damage.code and (f.channel == damage.channel or damage.channel in f.message)
    ]
    assert named, "\n".join(map(str, rec.findings))
    for finding in named:
        assert finding.severity in ALARM
        assert finding.message and finding.advice and "\n" not in str(finding)
        assert finding.amount == finding.amount  # a number says how much


def test_many_clipped_samples_make_results_wrong(tmp_path):
    damage = DAMAGES["a force is clipped above"]
    good = damage.good()
    rec = poinsot.read(damage.damaged(good, tmp_path), mechanism=good.mechanism)
    assert [f.advice for f in rec.problems if f.code == "clipped" and "recording.masked" in f.advice]


@pytest.mark.parametrize("name", DAMAGES)
def test_what_was_mended_is_no_error(name, tmp_path):
    damage = DAMAGES[name]
    good = damage.good()
    rec = poinsot.read(damage.damaged(good, tmp_path), mechanism=good.mechanism)
    assert [str(f) for f in rec.findings if f.mended and f.severity is Severity.ERROR] == []


def test_there_are_at_least_thirty_damages():
    assert len(DAMAGES) >= 30


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", GOOD)
def test_good_recordings_raise_no_alarm(name, seed, tmp_path):
    good = GOOD[name](seed)
    rec = poinsot.read(good.written(tmp_path), mechanism=good.mechanism)
    assert [str(f) for f in rec.findings if f.severity in ALARM] == []
    assert not rec.steps  # nothing was changed
