"""Whose code runs: entries know their key, and nothing that others could have written is read."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time

import casadi as ca
import numpy as np
import pytest

from poinsot.engine import kernel
from poinsot.engine.build import build as build_module
from poinsot.errors import PoinsotError
from poinsot.store import Bounded, cache, cache_report, clear_cache, read_entry, write_entry


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch):
    monkeypatch.setattr(build_module, "_builds", {})
    monkeypatch.setattr(cache, "_complained", set())
    monkeypatch.setattr(cache, "_swept", set())


def test_intact_files_under_each_others_names_are_not_read(fresh_cache, caplog):
    for key in ("first", "second"):
        write_entry(key, {"of": key}, key.encode())
        write_entry(key, {"of": key}, key.encode(), "kept")
    names = [fresh_cache / name for name in ("first.code", "second.code", "aside")]
    for source, target in ((0, 2), (1, 0), (2, 1)):
        os.replace(names[source], names[target])
    os.replace(fresh_cache / "first.kept", fresh_cache / "third.code")
    assert [read_entry(key) for key in ("first", "second", "third")] == [None] * 3
    assert "written under another name" in caplog.text
    assert read_entry("second", "kept") == ({"of": "second"}, b"second")
    os.replace(fresh_cache / "second.kept", fresh_cache / "second.code")  # right key, another kind
    assert read_entry("second") is None


def test_functions_whose_code_was_swapped_give_their_own_results(fresh_cache):
    x = ca.SX.sym("x", 3)
    functions = [ca.Function("f", [x], [x**2]), ca.Function("f", [x], [ca.sum1(x), ca.sin(x)])]
    points = np.array([[0.5, 2.0, -1.0]])
    before = [kernel(f)(points) for f in functions]
    one, two = sorted(fresh_cache.glob("*.code"))
    contents = one.read_bytes(), two.read_bytes()
    one.write_bytes(contents[1])
    two.write_bytes(contents[0])
    build_module._builds.clear()
    for f, expected in zip(functions, before):
        again = kernel(f)
        assert not again.info.cached
        for a, b in zip(again(points), expected):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("mode", [0o770, 0o720, 0o777, 0o702])
def test_a_directory_that_others_can_write_is_not_used_and_that_is_said_once(fresh_cache, mode, caplog):
    write_entry("mine", {}, b"content")
    fresh_cache.chmod(mode)
    assert read_entry("mine") is None and not write_entry("other", {}, b"content")
    assert caplog.text.count("other users can write to it") == 1
    assert cache_report().refused and "not used" in str(cache_report())
    with pytest.raises(PoinsotError, match="not cleared: other users can write"):
        clear_cache()
    assert sorted(os.listdir(fresh_cache)) == ["mine.code", "tally"]
    fresh_cache.chmod(0o700)
    assert read_entry("mine") == ({}, b"content")


def test_a_directory_or_file_of_another_user_is_not_used(fresh_cache, monkeypatch, caplog):
    write_entry("theirs", {}, b"content")
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    assert read_entry("theirs") is None and not write_entry("other", {}, b"content")
    assert caplog.text.count("belongs to another user") == 1
    monkeypatch.setattr(os, "geteuid", lambda: mine)
    assert read_entry("theirs") is not None
    (fresh_cache / "theirs.code").chmod(0o666)  # the folder is mine, the file is not mine alone
    assert read_entry("theirs") is None and not (fresh_cache / "theirs.code").exists()


def test_a_pipe_under_the_name_of_an_entry_is_passed_over(fresh_cache):
    write_entry("other", {}, b"")
    os.mkfifo(fresh_cache / "key.code")
    assert read_entry("key") is None  # and does not wait for a writer
    assert write_entry("key", {}, b"content") and read_entry("key") == ({}, b"content")


def test_folders_are_made_for_their_owner_only(tmp_path, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / "a" / "b" / "cache"))
    before = os.umask(0)
    try:
        assert write_entry("key", {}, b"content")
    finally:
        os.umask(before)
    for folder in ("a", "a/b", "a/b/cache"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a/b/cache/key.code").stat().st_mode) == 0o600


def test_a_new_entry_does_not_look_at_all_the_others(fresh_cache, monkeypatch):
    write_entry("first", {}, b"x")
    looked, listed, scanned = [], os.listdir, os.scandir
    monkeypatch.setattr(os, "listdir", lambda path: (looked.append(path), listed(path))[1])
    monkeypatch.setattr(os, "scandir", lambda path: (looked.append(path), scanned(path))[1])
    for k in range(50):
        write_entry(f"key{k}", {}, b"x" * 100)
    assert not looked
    assert cache_report().files == 51


def test_the_tally_bounds_the_cache_and_is_made_again_when_it_is_lost(fresh_cache, monkeypatch):
    limit = 400_000
    monkeypatch.setenv("POINSOT_CACHE_BYTES", str(limit))
    for k in range(60):
        write_entry(f"key{k}", {}, b"x" * 20_000)
        assert cache_report().bytes <= limit
        if k == 30:
            (fresh_cache / "tally").unlink()
    assert cache_report().bytes > limit // 2  # and does not empty it


def test_what_a_killed_process_left_behind_is_removed_when_it_is_old(fresh_cache, monkeypatch):
    write_entry("key", {}, b"")
    for name, age in (("writing-old", 7200), ("writing-new", 60)):
        (fresh_cache / name).write_bytes(b"half")
        os.utime(fresh_cache / name, (time.time() - age,) * 2)
    monkeypatch.setattr(cache, "_swept", set())  # another process
    write_entry("other", {}, b"")
    assert {path.name for path in fresh_cache.glob("writing-*")} == {"writing-new"}


@pytest.mark.parametrize("text", ["abc", "-1", "²", "1e9", "9" * 5000])
def test_odd_sizes_of_the_cache_are_one_sentence(fresh_cache, monkeypatch, text):
    monkeypatch.setenv("POINSOT_CACHE_BYTES", text)
    with pytest.raises(PoinsotError, match="POINSOT_CACHE_BYTES must be a whole number"):
        cache_report()


def test_without_a_home_there_is_a_cache_all_the_same(monkeypatch):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("POINSOT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setattr(cache.Path, "home", nobody)
    assert cache.cache_directory().is_absolute()
    monkeypatch.setenv("POINSOT_CACHE_DIR", "~nobody_of_this_name/cache")
    with pytest.raises(PoinsotError, match="home of a user who is not known"):
        cache_report()


def test_many_threads_may_share_a_bounded_memory():
    memory, failures = Bounded(4), []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for key in rng.integers(0, 12, 3000).tolist():
                assert memory.get_or_make(key, lambda key=key: key * key) == key * key
                memory.get(key)
                memory[key] = key * key
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    assert len(memory) <= 4
