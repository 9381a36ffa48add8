"""Quick code, optimised code, the VM: which runs when, and what happens when a compilation dies."""

import builtins
import logging
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from poinsot.engine import doctor, kernel, kernels
from poinsot.engine.build import build as build_module
from poinsot.engine.build import children, support
from poinsot.engine.build import settings as engine_settings
from poinsot.engine.code.formula import formula
from poinsot.errors import PoinsotError


@pytest.fixture(autouse=True)
def forget_loaded_code(monkeypatch):
    monkeypatch.setattr(build_module, "_builds", {})


def long_function(steps, name="long", sines=True):
    """A chain of about 2 `steps` instructions."""
    x = ca.SX.sym("x", 3)
    a, b, c = ca.vertsplit(x)
    for k in range(steps // 2):
        a, b, c = b, c, a * 0.5 + (ca.sin(b) if sines and k % 50 == 0 else b * (0.3 + 1e-9 * k))
    return ca.Function(name, [x], [ca.vertcat(a, b, c)])


def huge_function(instructions, name):
    """A chain of a little more than so many instructions, made without a long loop in Python."""
    block = long_function(100, sines=False)
    once, twice = (block.fold(k).expand().n_instructions() for k in (1, 2))
    folded = block.fold(instructions // (twice - once) + 1).expand()
    x = ca.SX.sym("x", 3)
    return ca.Function(name, [x], [folded(x)])


SAMPLES = np.random.default_rng(0).normal(size=(37, 3))


def test_quick_code_runs_first_and_optimised_code_gives_the_same_bits(fresh_cache):
    function = long_function(4000)
    runs = kernel(function)
    assert runs.info.tier == "quick" and runs.info.pending
    quick = runs(SAMPLES)[0]
    info = runs.wait(120)
    assert info.tier == "optimised" and not info.pending
    np.testing.assert_array_equal(runs(SAMPLES)[0], quick)
    build_module._builds.clear()
    assert kernel(function).info.cached


def test_wait_can_be_asked_for_by_the_environment(fresh_cache, monkeypatch):
    monkeypatch.setenv("POINSOT_ENGINE_WAIT", "1")
    assert kernel(long_function(3000)).info.tier == "optimised"


def test_code_in_many_parts_gives_the_bits_of_the_vm(fresh_cache):
    function = long_function(9000, sines=False)
    runs = kernel(function)
    runs.wait(120)
    np.testing.assert_array_equal(runs(SAMPLES)[0], kernel(function, engine="vm")(SAMPLES)[0])


def wait_for_child():
    for _ in range(500):
        if pids := children.live_children():
            return pids[0]
        time.sleep(0.01)
    raise AssertionError("no child process was started")


def test_the_process_survives_when_its_child_is_killed(fresh_cache, monkeypatch, caplog):
    monkeypatch.setattr(build_module, "QUICK_INSTRUCTIONS", 10_000)
    function = long_function(20_000)
    with caplog.at_level(logging.INFO):
        runs = kernel(function)
        assert runs.info.tier == "vm" and "child process compiles it" in caplog.text
        os.kill(wait_for_child(), signal.SIGKILL)
        info = runs.wait(60)
    assert info.tier == "vm" and not info.pending
    assert "ended by signal 9" in info.reason
    assert sum("signal 9" in record.message for record in caplog.records) == 1
    vm = kernel(function, engine="vm")(SAMPLES)[0]
    np.testing.assert_array_equal(runs(SAMPLES)[0], vm)
    again = kernel(function)  # a later attempt may succeed
    assert again.info.pending
    assert again.wait(120).tier == "optimised"
    np.testing.assert_allclose(again(SAMPLES)[0], vm, rtol=1e-13)


def test_quick_code_stays_when_its_child_is_killed(fresh_cache, caplog):
    runs = kernel(long_function(30_000))
    before = runs(SAMPLES)[0]
    os.kill(wait_for_child(), signal.SIGKILL)
    info = runs.wait(60)
    assert info.tier == "quick" and "signal 9" in info.reason
    np.testing.assert_array_equal(runs(SAMPLES)[0], before)


def test_a_child_that_takes_too_long_is_ended(fresh_cache):
    request = build_module.Request(kernels.BATCH, {"function": formula(long_function(30_000))}, {"lanes": 4})
    with pytest.raises(children.ChildError, match="more than 0 s"):
        children.compile_in_child(request, "key", seconds=0.2)


def test_a_function_beyond_the_limit_runs_on_the_vm_and_says_so(fresh_cache, monkeypatch, caplog):
    monkeypatch.setattr(support, "MAX_NATIVE_INSTRUCTIONS", 1000)
    monkeypatch.setattr(kernels, "MAX_NATIVE_INSTRUCTIONS", 1000)
    runs = kernel(long_function(2000, "huge"))
    assert runs.info.tier == "vm" and "more than the 1000" in runs.info.reason
    assert len(caplog.records) == 1 and "huge runs on the VM" in caplog.text
    assert runs(SAMPLES)[0].shape == (37, 3)
    with pytest.raises(PoinsotError, match="cannot run as native code"):
        kernel(long_function(2000), engine="native")


@pytest.mark.slow
def test_a_million_instructions_do_not_hurt(fresh_cache, caplog):
    function = huge_function(1_000_000, "million")
    assert function.n_instructions() > 1_000_000
    start = time.perf_counter()
    runs = kernel(function)
    assert time.perf_counter() - start < 10
    assert runs.info.tier == "vm" and len(caplog.records) == 1
    assert np.isfinite(runs(SAMPLES[:2])[0]).all()


@pytest.mark.slow
def test_the_largest_function_that_is_compiled_arrives_from_its_child(fresh_cache):
    function = huge_function(engine_settings.MAX_NATIVE_INSTRUCTIONS - 1000, "largest")
    runs = kernel(function)
    assert runs.info.tier == "vm"
    vm = runs(SAMPLES[:3])[0]
    assert runs.wait(engine_settings.CHILD_SECONDS).tier == "optimised"
    np.testing.assert_array_equal(runs(SAMPLES[:3])[0], vm)


def test_the_environment_chooses_the_engine(monkeypatch):
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [x + 1])
    monkeypatch.setenv("POINSOT_ENGINE", "vm")
    assert kernel(f).info.tier == "vm"
    assert doctor().runs == "vm"
    monkeypatch.setenv("POINSOT_ENGINE", "natve")
    with pytest.raises(PoinsotError, match=r"POINSOT_ENGINE: there is no engine 'natve'.*did you mean 'native'"):
        kernel(f)


@pytest.fixture
def no_llvmlite(monkeypatch):
    from poinsot.engine.build import native

    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("llvmlite"):
            raise ImportError("No module named 'llvmlite'")
        return real(name, *args, **kwargs)

    for cached in (native._llvm, native.host_target, support.llvm_obstacle):
        cached.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    yield
    monkeypatch.undo()
    for cached in (native._llvm, native.host_target, support.llvm_obstacle):
        cached.cache_clear()


def test_without_llvmlite_the_vm_runs(no_llvmlite):
    x = ca.SX.sym("x")
    runs = kernel(ca.Function("f", [x], [x + 1]))
    assert runs.info.tier == "vm" and "llvmlite cannot be imported" in runs.info.reason
    assert runs(np.array([[1.0]]))[0] == 2.0
    diagnosis = doctor()
    assert diagnosis.runs == "vm" and "llvmlite" in diagnosis.reason


def test_code_that_calls_a_missing_c_function_leaves_the_process_alive(fresh_cache, monkeypatch, caplog):
    from poinsot.engine.build import native

    monkeypatch.setattr(native, "_provide", lambda name: _missing(name))
    x = ca.SX.sym("x")
    runs = kernel(ca.Function("f", [x], [ca.tan(x)]))
    assert runs.info.tier == "vm" and "no function 'tan'" in runs.info.reason
    assert runs(np.array([[0.5]]))[0] == pytest.approx(np.tan(0.5))


def _missing(name):
    raise RuntimeError(f"the C library of this machine has no function '{name}'")


def test_many_python_threads_may_call_one_kernel():
    runs = kernel(long_function(1000))
    expected = [runs(sample)[0] for sample in SAMPLES]

    def work(_):
        return all(np.array_equal(runs(s)[0], e) for s, e in zip(SAMPLES, expected))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_neither_hangs_nor_ends_its_parents_compilation(fresh_cache):
    script = (
        "import os, sys, warnings; warnings.simplefilter('ignore')\n"
        "from tests.engine.test_tiers import long_function, SAMPLES\n"
        "from poinsot.engine import kernel\n"
        "k = kernel(long_function(20_000))\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    k.wait(); k(SAMPLES, threads=2); sys.exit(0)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "assert k.wait(120).tier == 'optimised', k.info"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_the_doctor_finds_native_code_that_agrees():
    diagnosis = doctor()
    assert diagnosis.healthy, str(diagnosis)
    assert "samples in a vector" in str(diagnosis)


def test_importing_the_engine_loads_nothing_heavy():
    check = "import sys, poinsot.engine; print([m for m in ('casadi', 'llvmlite', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


ENDING = """
import time
from tests.engine.test_tiers import long_function
from poinsot.engine import kernel
from poinsot.engine.build import build
from poinsot.engine.build import children
build.QUICK_INSTRUCTIONS = {limit}
k = kernel(long_function(15_000))
while not children.live_children(): time.sleep(0.01)
print(children.live_children()[0])
"""


@pytest.mark.parametrize("brief", [True, False])
def test_only_a_brief_compilation_outlives_its_process_and_leaves_its_code(fresh_cache, brief):
    script = ENDING.format(limit=60_000 if brief else 1000)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    if not brief:
        with pytest.raises(ProcessLookupError):
            os.kill(int(done.stdout), 0)
        return
    for _ in range(600):
        if list(fresh_cache.glob("*.code")):
            break
        time.sleep(0.1)
    assert kernel(long_function(15_000)).info.cached
