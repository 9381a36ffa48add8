"""Compiled code on disk: checked, shared by processes, bounded, dispensable."""

import logging
import os
import subprocess
import sys
import time

import casadi as ca
import numpy as np
import pytest

from poinsot.engine import cache_report, clear_cache, kernel
from poinsot.engine.build import build as build_module
from poinsot.store import CorruptEntryError, pack_entry, read_entry, unpack_entry, write_entry


@pytest.fixture(autouse=True)
def forget_loaded_code(monkeypatch):
    """Make every kernel look into the cache, as a new process would."""
    monkeypatch.setattr(build_module, "_builds", {})


def cubic(name="cubic"):
    x = ca.SX.sym("x", 2)
    return ca.Function(name, [x], [x**3 + ca.exp(x)])


def forget():
    build_module._builds.clear()


def test_the_second_kernel_comes_from_the_cache(fresh_cache):
    first = kernel(cubic())
    forget()
    second = kernel(cubic())
    assert not first.info.cached and second.info.cached
    x = np.array([[0.3, -2.0]])
    np.testing.assert_array_equal(first(x)[0], second(x)[0])


@pytest.mark.parametrize("damage", ["flip a bit", "cut off", "empty", "other file", "header"])
def test_a_damaged_file_is_noticed_and_made_again(fresh_cache, damage, caplog):
    x = np.array([[0.3, -2.0]])
    expected = kernel(cubic())(x)[0]
    (path,) = fresh_cache.glob("*.code")
    data = bytearray(path.read_bytes())
    if damage == "flip a bit":
        data[-len(data) // 3] ^= 1
    elif damage == "header":
        data[50] ^= 1
    else:
        data = {"cut off": data[: len(data) // 2], "empty": b"", "other file": b"hello" * 100}[damage]
    path.write_bytes(bytes(data))
    forget()
    with caplog.at_level(logging.WARNING):
        again = kernel(cubic())
    assert "damaged" in caplog.text
    assert not again.info.cached
    np.testing.assert_array_equal(again(x)[0], expected)
    forget()
    assert kernel(cubic()).info.cached


def test_code_with_a_right_checksum_that_is_no_object_file_leaves_the_process_alive(fresh_cache):
    kernel(cubic())
    (path,) = fresh_cache.glob("*.code")
    metadata, _ = unpack_entry(path.read_bytes())
    path.write_bytes(pack_entry(metadata, b"not an object file", path.stem, "code"))
    forget()
    x = np.array([[1.0, 2.0]])
    np.testing.assert_allclose(kernel(cubic())(x)[0], x**3 + np.exp(x), rtol=1e-15)


def test_a_changed_function_or_name_has_a_key_of_its_own(fresh_cache):
    x = ca.SX.sym("x")
    for value in (x + 1, x + 2, x * 2):
        assert not kernel(ca.Function("f", [x], [value])).info.cached
    assert cache_report().files == 3


def test_a_directory_that_cannot_be_written_is_said_once(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POINSOT_CACHE_DIR", str(tmp_path / "file" / "cache"))
    for name in ("a", "b"):
        assert kernel(cubic(name)).info.tier == "optimised"
    assert caplog.text.count("compiled code is not kept") == 1
    assert not cache_report().writable


def test_the_code_not_used_for_longest_goes_first(fresh_cache, monkeypatch):
    monkeypatch.setenv("POINSOT_CACHE_BYTES", "2500")
    now = time.time()
    for age, key in ((30, "old"), (20, "older but used"), (10, "new")):
        write_entry(key, {}, b"x" * 700)
        os.utime(fresh_cache / f"{key}.code", (now - age, now - age))
    assert read_entry("old")  # now the latest used
    write_entry("one more", {}, b"x" * 900)
    kept = {path.stem for path in fresh_cache.glob("*.code")}
    assert kept == {"old", "new", "one more"} or kept == {"old", "one more"}
    assert cache_report().bytes <= 2500


def test_clear_removes_everything(fresh_cache):
    kernel(cubic())
    (fresh_cache / "writing-left-behind").write_text("")
    assert clear_cache().files == 1
    assert cache_report().files == 0
    assert not list(fresh_cache.iterdir())


def test_container_refuses_every_single_changed_byte():
    data = pack_entry({"workspace": 3}, b"code")
    assert unpack_entry(data) == ({"workspace": 3}, b"code")
    for i in range(len(data)):
        with pytest.raises(CorruptEntryError):
            unpack_entry(data[:i] + bytes([data[i] ^ 4]) + data[i + 1 :])


MANY = """
import casadi as ca, numpy as np
from poinsot.engine import kernel
for k in range(12):
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [x * k + ca.tan(x)])
    y = kernel(f)(np.ones((5, 2)))[0]
    assert np.allclose(y, k + np.tan(1.0)), y
print("fine")
"""


def test_several_processes_write_the_same_keys_at_once(fresh_cache):
    running = [
        subprocess.Popen([sys.executable, "-c", MANY], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    answers = [process.communicate(timeout=120) for process in running]
    assert [out for out, _ in answers] == ["fine\n"] * 4, answers
    assert all("damaged" not in err for _, err in answers)
    assert cache_report().files == 12
    assert not list(fresh_cache.glob("writing-*"))
    for path in fresh_cache.glob("*.code"):
        unpack_entry(path.read_bytes(), path.stem, "code")
