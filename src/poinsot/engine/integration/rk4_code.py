"""The classical Runge–Kutta method of order four with fixed steps, as LLVM IR.

k₁ = f(t, y),  k₂ = f(t + h/2, y + h k₁/2),  k₃ = f(t + h/2, y + h k₂/2),  k₄ = f(t + h, y + h k₃)
y ← y + h (k₁ + 2 k₂ + 2 k₃ + k₄)/6
"""

from __future__ import annotations

from poinsot.engine.integration.controller import Status
from poinsot.engine.integration.layout import Memory

STAGES = ((0.0, ()), (0.5, ((0, 0.5),)), (0.5, ((1, 0.5),)), (1.0, ((2, 1.0),)))
WEIGHTS = ((0, 1 / 6), (1, 1 / 3), (2, 1 / 3), (3, 1 / 6))


def fixed_steps(memory: Memory, samples: list[str], projected: bool) -> None:
    """Step from each output time to the next in equal substeps, or until the budget is used up."""
    code = memory.code
    times, substeps = memory.argument("times", "ptr"), memory.argument("substeps", "i64")
    intervals = code.let(f"sub i64 {memory.argument('count_times', 'i64')}, 1")
    total = code.let(f"mul i64 {intervals}, {substeps}")
    with code.forever() as leave:
        done = code.let(f"fptosi double {code.lane(memory.get('steps'), 0)} to i64")
        code.leave_unless(code.let(f"icmp slt i64 {done}, {total}"), leave)
        memory.leave_without_budget(leave)
        interval = code.let(f"sdiv i64 {done}, {substeps}")
        later = code.let(f"add i64 {interval}, 1")
        start, end = (_time(memory, times, index) for index in (interval, later))
        length = code.arithmetic("fsub", end, start)
        step = code.arithmetic("fdiv", length, _real(memory, substeps))
        memory.set("step", step)
        k = code.let(f"sub i64 {done}, {code.let(f'mul i64 {interval}, {substeps}')}")
        passed = code.arithmetic("fmul", _real(memory, k), step)
        _one_step(memory, code.arithmetic("fadd", start, passed), step, projected)
        with code.when(code.let(f"icmp eq i64 {code.let(f'add i64 {k}, 1')}, {substeps}")):
            memory.set("t", end)
            _store(memory, samples, later)
    running = code.compare("olt", memory.get("steps"), _real(memory, total))
    memory.set("active", code.select(running, code.number(1.0), code.number(0.0)))
    ended = (code.number(float(status)) for status in (Status.RUNNING, Status.FINISHED))
    memory.set("status", code.select(running, *ended))


def _real(memory: Memory, whole: str) -> str:
    """A whole number as a real one, the same in every lane."""
    code = memory.code
    return code.gather([code.let(f"sitofp i64 {whole} to double")] * code.lanes)


def _time(memory: Memory, times: str, index: str) -> str:
    code = memory.code
    place = code.let(f"getelementptr double, ptr {times}, i64 {index}")
    return code.gather([code.let(f"load double, ptr {place}")] * code.lanes)


def _one_step(memory: Memory, t: str, step: str, projected: bool) -> None:
    code, n = memory.code, memory.layout.n
    memory.copy(memory.at["y"], memory.y_of_x, n)
    code.store(t, memory.at["x"], 0)
    memory.call("rhs", memory.at["x"], memory.K[0])
    for stage, (c, row) in enumerate(STAGES[1:], start=1):
        memory.stage(stage, c, row, t, step)
    with code.loop(n) as i:
        move = code.arithmetic("fmul", step, memory.combine(WEIGHTS, i))
        code.store(code.arithmetic("fadd", code.load(memory.at["y"], i), move), memory.at["y"], i)
    if projected:
        memory.copy(memory.at["y"], memory.y_of_x, n)
        code.store(code.arithmetic("fadd", t, step), memory.at["x"], 0)
        memory.call("projection", memory.at["x"], memory.at["z"])
        memory.copy(memory.at["z"], memory.at["y"], n)
    memory.set("steps", code.arithmetic("fadd", memory.get("steps"), code.number(1.0)))


def _store(memory: Memory, samples: list[str], number: str) -> None:
    """Store the state at output time `number`."""
    code, n = memory.code, memory.layout.n
    count, out = memory.argument("count_times", "i64"), memory.argument("out", "ptr")
    rows = [code.let(f"add i64 {code.let(f'mul i64 {s}, {count}')}, {number}") for s in samples]
    starts = [code.let(f"mul i64 {row}, {n}") for row in rows]
    with code.loop(n) as i:
        value = code.load(memory.at["y"], i)
        for lane, start in enumerate(starts):
            target = code.let(f"getelementptr double, ptr {out}, i64 {code.let(f'add i64 {start}, {i}')}")
            code.do(f"store double {code.lane(value, lane)}, ptr {target}")
