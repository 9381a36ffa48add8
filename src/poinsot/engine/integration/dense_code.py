"""Dense output and event search of the native integrator, as LLVM IR.

Within an accepted step, with θ = (t − t_old)/h, F₀ … F₆ from the slopes:

    y(θ) = y_old + θ (F₀ + (1 − θ) (F₁ + θ (F₂ + (1 − θ) (F₃ + …))))
"""

from __future__ import annotations

from poinsot.engine.integration.dop853 import tableau
from poinsot.engine.integration.layout import Memory

_BISECTIONS = 50


def dense_output(memory: Memory, samples: list[str], projected: bool) -> None:
    """Store the state at every output time within the step, for each lane its own."""
    code = memory.code
    accept = memory.is_set("accept")
    time, due = _next_time(memory, accept)
    with code.when(code.any(_within(memory, time, due))):
        _coefficients(memory)
    with code.forever() as end:
        time, due = _next_time(memory, accept)
        code.leave_unless(code.any(due), end)
        memory.copy(memory.at["y_new"], memory.at["z"], memory.layout.n)
        within = _within(memory, time, due)
        with code.when(code.any(within)):
            elapsed = code.arithmetic("fsub", time, memory.get("t"))
            source = _interpolate(memory, code.arithmetic("fdiv", elapsed, memory.get("step")), time)
            if projected:
                memory.call("projection", memory.at["x"], memory.at["z_within"])
                source = memory.at["z_within"]
            memory.choose(within, source, memory.at["z"], memory.layout.n)
        _store_outputs(memory, samples, due, memory.at["z"])
        later = code.arithmetic("fadd", memory.get("next"), code.number(1.0))
        memory.set("next", code.select(due, later, memory.get("next")))


def _within(memory: Memory, time: str, due: str) -> str:
    """Which lanes have an output before the end of the step; at its end the state is known."""
    before = memory.code.compare("olt", time, memory.get("t_try"))
    return memory.code.let(f"and {memory.code.bit} {due}, {before}")


def _next_time(memory: Memory, accept: str) -> tuple[str, str]:
    """Give each lane's next output time, and whether it lies within the accepted step."""
    code = memory.code
    count, times = memory.argument("count_times", "i64"), memory.argument("times", "ptr")
    last = code.let(f"sub i64 {count}, 1")
    number = memory.get("next")
    scalars, inside = [], []
    for lane in range(code.lanes):
        index = code.let(f"fptosi double {code.lane(number, lane)} to i64")
        left = code.let(f"icmp slt i64 {index}, {count}")
        index = code.let(f"select i1 {left}, i64 {index}, i64 {last}")
        place = code.let(f"getelementptr double, ptr {times}, i64 {index}")
        scalars.append(code.let(f"load double, ptr {place}"))
        inside.append(code.let(f"uitofp i1 {left} to double"))
    time = code.gather(scalars)
    left = code.compare("une", code.gather(inside), code.number(0.0))
    reached = code.compare("ole", time, memory.get("t_try"))
    due = code.let(f"and {code.bit} {left}, {reached}")
    return time, code.let(f"and {code.bit} {due}, {accept}")


def _coefficients(memory: Memory) -> None:
    """Evaluate the three further stages and F₀ … F₆."""
    code, table = memory.code, tableau()
    t, step = memory.get("t"), memory.get("step")
    for stage, (c, row) in enumerate(table.extra, start=13):
        memory.stage(stage, c, row, t, step)
    with code.loop(memory.layout.n) as i:
        move = code.arithmetic("fsub", code.load(memory.at["y_new"], i), code.load(memory.at["y"], i))
        old, new = code.load(memory.K[0], i), code.load(memory.K[12], i)
        code.store(move, memory.F[0], i)
        code.store(code.arithmetic("fsub", code.arithmetic("fmul", step, old), move), memory.F[1], i)
        slopes = code.arithmetic("fmul", step, code.arithmetic("fadd", new, old))
        code.store(code.arithmetic("fsub", code.arithmetic("fadd", move, move), slopes), memory.F[2], i)
        for place, row in enumerate(table.dense, start=3):
            code.store(code.arithmetic("fmul", step, memory.combine(row, i)), memory.F[place], i)


def _interpolate(memory: Memory, theta: str, time: str) -> str:
    """Put t and y(θ) into x; gives the place of y."""
    code = memory.code
    rest = code.arithmetic("fsub", code.number(1.0), theta)
    with code.loop(memory.layout.n) as i:
        value = ""
        for turn, F in enumerate(reversed(memory.F)):
            entry = code.load(F, i)
            value = code.arithmetic("fadd", value, entry) if value else entry
            value = code.arithmetic("fmul", value, theta if turn % 2 == 0 else rest)
        code.store(code.arithmetic("fadd", code.load(memory.at["y"], i), value), memory.y_of_x, i)
    code.store(time, memory.at["x"], 0)
    return memory.y_of_x


def _store_outputs(memory: Memory, samples: list[str], due: str, source: str) -> None:
    """Store the state of the lanes that are due."""
    code, n = memory.code, memory.layout.n
    count, out = memory.argument("count_times", "i64"), memory.argument("out", "ptr")
    number = memory.get("next")
    targets = []
    for lane, sample in enumerate(samples):
        index = code.let(f"fptosi double {code.lane(number, lane)} to i64")
        row = code.let(f"add i64 {code.let(f'mul i64 {sample}, {count}')}, {index}")
        place = code.let(f"getelementptr double, ptr {out}, i64 {code.let(f'mul i64 {row}, {n}')}")
        wanted = due if code.lanes == 1 else code.let(f"extractelement {code.bit} {due}, i64 {lane}")
        targets.append(code.let(f"select i1 {wanted}, ptr {place}, ptr {memory.at['nowhere']}"))
    with code.loop(n) as i:
        value = code.load(source, i)
        for lane, target in enumerate(targets):
            place = code.let(f"getelementptr double, ptr {target}, i64 {i}")
            code.do(f"store double {code.lane(value, lane)}, ptr {place}")


def watch_events(memory: Memory) -> None:
    """Evaluate the event functions at the start."""
    code, k = memory.code, memory.layout.k
    memory.call("events", memory.at["x"], memory.at["e"])
    with code.loop(k) as i:
        code.store(code.number(float("nan")), memory.at["first"], i)
        code.store(code.number(0.0), memory.at["changes"], i)


def event_search(memory: Memory) -> None:
    """Count changes of sign over the accepted step; locate the first of each event function."""
    code, k = memory.code, memory.layout.k
    accept = memory.is_set("accept")
    memory.copy(memory.at["y_new"], memory.y_of_x, memory.layout.n)
    code.store(memory.get("t_try"), memory.at["x"], 0)
    memory.call("events", memory.at["x"], memory.at["e_new"])
    with code.loop(k) as i:
        before, after = code.load(memory.at["e"], i), code.load(memory.at["e_new"], i)
        hit = code.let(f"and {code.bit} {_crosses(memory, before, after)}, {accept}")
        changes = code.load(memory.at["changes"], i)
        more = code.arithmetic("fadd", changes, code.number(1.0))
        code.store(code.select(hit, more, changes), memory.at["changes"], i)
        fresh = code.compare("oeq", changes, code.number(0.0))
        wanted = code.let(f"and {code.bit} {hit}, {fresh}")
        with code.when(code.any(wanted)):
            _coefficients(memory)
            time = _bisect(memory, i, before)
            code.store(code.select(wanted, time, code.load(memory.at["first"], i)), memory.at["first"], i)
    memory.choose(accept, memory.at["e_new"], memory.at["e"], k)


def _crosses(memory: Memory, before: str, after: str) -> str:
    """Tell whether zero was reached or passed, from either side."""
    code, zero = memory.code, memory.code.number(0.0)
    passed = []
    for first, second in (("olt", "oge"), ("ogt", "ole")):
        conditions = code.compare(first, before, zero), code.compare(second, after, zero)
        passed.append(code.let(f"and {code.bit} {', '.join(conditions)}"))
    return code.let(f"or {code.bit} {', '.join(passed)}")


def _bisect(memory: Memory, i: str, before: str) -> str:
    """Halve the step around the change of sign of event function i; the bounds are kept in n5 and n3."""
    code = memory.code
    memory.set("n5", code.number(0.0))
    memory.set("n3", code.number(1.0))
    with code.loop(_BISECTIONS):
        low, high = memory.get("n5"), memory.get("n3")
        middle = code.arithmetic("fmul", code.number(0.5), code.arithmetic("fadd", low, high))
        elapsed = code.arithmetic("fmul", middle, memory.get("step"))
        _interpolate(memory, middle, code.arithmetic("fadd", memory.get("t"), elapsed))
        memory.call("events", memory.at["x"], memory.at["e_mid"])
        crossed = _crosses(memory, before, code.load(memory.at["e_mid"], i))
        memory.set("n5", code.select(crossed, low, middle))
        memory.set("n3", code.select(crossed, middle, high))
    elapsed = code.arithmetic("fmul", memory.get("n3"), memory.get("step"))
    return code.arithmetic("fadd", memory.get("t"), elapsed)
