"""The adaptive integrator as LLVM IR: a native loop around a native right-hand side.

    void run(i64 count, ptr args, ptr work)

Every lane has its own time, step and status; lanes that have ended wait for the others of their group. The
numerics of the controller are the SX functions of `controller.py`. A call ends when its budget of steps is used up
and can be made again to go on, with the same arguments and workspace: Python looks for interrupts in between.
"""

from __future__ import annotations

from poinsot.engine.code.batch import Program, lane_samples
from poinsot.engine.code.body import Body, emit_body, support_code
from poinsot.engine.code.ir import Code
from poinsot.engine.code.tape import read_tape
from poinsot.engine.integration import controller
from poinsot.engine.integration.dense_code import dense_output, event_search, watch_events
from poinsot.engine.integration.dop853 import tableau
from poinsot.engine.integration.layout import RESULTS, Layout, Memory
from poinsot.engine.integration.rk4_code import fixed_steps
from poinsot.lazy import casadi


def emit_integrator(
    rhs: casadi.Function,
    lanes: int,
    method: str,
    projection: casadi.Function | None = None,
    events: casadi.Function | None = None,
) -> Program:
    """Write the integrator of y' = rhs(t, y, p) by "dop853" or "rk4"."""
    functions = {"rhs": rhs, "projection": projection, "events": events}
    if method == "dop853":
        rules = (controller.probe, controller.first_step, controller.begin, controller.judge, controller.advance)
        functions |= {rule.__name__: rule() for rule in rules}
    bodies = {
        name: emit_body(read_tape(function), lanes, name)
        for name, function in functions.items()
        if function is not None
    }
    n, m = rhs.nnz_in(1), rhs.nnz_in(2)
    k = events.nnz_out(0) if events is not None else 0
    layout = Layout(n, m, k, max(body.workspace for body in bodies.values()))
    code = Code(lanes)
    _samples_loop(code, layout, method, bodies)
    every = [*bodies.values(), Body("", frozenset(code.called), 0)]
    support, c_functions = support_code(every, lanes)
    lines = "\n".join(code.lines)
    text = "\n".join(
        [
            support,
            *(body.text for body in bodies.values()),
            f"define void @run(i64 %count, ptr %args, ptr %work) {{\nentry:\n{lines}\n}}",
        ]
    )
    return Program(text, lanes, layout.places()["end"] * lanes, tuple(c_functions))


def _samples_loop(code: Code, layout: Layout, method: str, bodies: dict[str, Body]) -> None:
    """Integrate one group of samples after another."""
    memory = Memory(code, layout)
    last = code.let("sub i64 %count, 1")
    rounded = code.let(f"add i64 %count, {code.lanes - 1}")
    groups = code.let(f"sdiv i64 {rounded}, {code.lanes}")
    with code.forever() as end:
        group = memory.argument("group", "i64")
        code.leave_unless(code.let(f"icmp slt i64 {group}, {groups}"), end)
        samples = lane_samples(code, group, last)
        with code.when(code.let(f"icmp eq i64 {memory.argument('inside', 'i64')}, 0")):
            _start(memory, samples)
            if method == "dop853":
                _first_step(memory, bodies)
            else:
                memory.set("active", code.number(1.0))
        if method == "dop853":
            _adaptive_steps(memory, samples, bodies)
        else:
            fixed_steps(memory, samples, "projection" in bodies)
        _report(memory, samples)
        running = code.any(memory.is_set("active"))
        inside = code.let(f"zext i1 {running} to i64")
        memory.set_argument("inside", inside)
        later = code.let(f"add i64 {group}, 1")
        memory.set_argument("group", code.let(f"sub i64 {later}, {inside}"))
        code.leave_unless(code.let(f"xor i1 {running}, true"), end)
    code.do("ret void")


def _start(memory: Memory, samples: list[str]) -> None:
    """Read initial states, parameters and registers; store the first output."""
    code, layout = memory.code, memory.layout
    for name, target, count in (("y0", memory.at["y"], layout.n), ("p", memory.p_of_x, layout.m)):
        base, stride = memory.argument(name, "ptr"), memory.argument(f"{name}_stride", "i64")
        distances = [code.let(f"mul i64 {sample}, {stride}") for sample in samples]
        pointers = [code.let(f"getelementptr i8, ptr {base}, i64 {distance}") for distance in distances]
        if count:
            with code.loop(count) as i:
                places = [code.let(f"getelementptr double, ptr {pointer}, i64 {i}") for pointer in pointers]
                code.store(code.gather([code.let(f"load double, ptr {p}") for p in places]), target, i)
    registers = memory.argument("registers", "ptr")
    with code.loop(len(controller.REGISTERS)) as i:
        place = code.let(f"getelementptr double, ptr {registers}, i64 {i}")
        code.store(code.gather([code.let(f"load double, ptr {place}")] * code.lanes), memory.at["R"], i)
    memory.copy(memory.at["y"], memory.y_of_x, layout.n)
    code.store(memory.get("t"), memory.at["x"], 0)
    times = memory.argument("count_times", "i64")
    with code.loop(max(layout.n, 1)) as i:
        value = code.load(memory.at["y"], i)
        for lane, sample in enumerate(samples):
            place = code.let(f"mul i64 {code.let(f'mul i64 {sample}, {times}')}, {layout.n}")
            place = code.let(f"add i64 {place}, {i}")
            target = code.let(f"getelementptr double, ptr {memory.argument('out', 'ptr')}, i64 {place}")
            code.do(f"store double {code.lane(value, lane)}, ptr {target}")


def _first_step(memory: Memory, bodies: dict[str, Body]) -> None:
    """Evaluate slope and events at the start, and choose the first step."""
    code = memory.code
    memory.call("rhs", memory.at["x"], memory.K[0])
    if "events" in bodies:
        watch_events(memory)
    _norms(memory, lambda i: (code.load(memory.at["y"], i), code.load(memory.K[0], i)), memory.at["y"])
    memory.update("probe")
    memory.stage(1, 1.0, ((0, 1.0),), memory.get("t"), memory.get("step"))
    _norms(memory, lambda i: (code.load(memory.K[0], i), _change(memory, i)), memory.at["y"])
    memory.update("first_step")


def _adaptive_steps(memory: Memory, samples: list[str], bodies: dict[str, Body]) -> None:
    """Step until no lane is active, or the budget is used up."""
    code = memory.code
    with code.forever() as end:
        code.leave_unless(code.any(memory.is_set("active")), end)
        memory.leave_without_budget(end)
        memory.update("begin")
        _stages(memory)
        memory.update("judge")
        accept = memory.is_set("accept")
        with code.when(code.any(accept)):
            _end(memory, "projection" in bodies)
            dense_output(memory, samples, "projection" in bodies)
            if "events" in bodies:
                event_search(memory)
            memory.choose(accept, memory.at["y_new"], memory.at["y"], memory.layout.n)
            memory.choose(accept, memory.K[12], memory.K[0], memory.layout.n)
        memory.update("advance")


def _change(memory: Memory, i: str) -> str:
    """How the slope changed over the probe."""
    slopes = (memory.code.load(memory.K[k], i) for k in (1, 0))
    return memory.code.arithmetic("fsub", *slopes)


def _stages(memory: Memory) -> None:
    """Evaluate the stages of one step, its result, and the norms of its error."""
    code, layout, table = memory.code, memory.layout, tableau()
    t, step = memory.get("t"), memory.get("step")
    for stage, (c, row) in enumerate(table.stages, start=1):
        memory.stage(stage, c, row, t, step)
    with code.loop(layout.n) as i:
        move = code.arithmetic("fmul", step, memory.combine(table.step, i))
        value = code.arithmetic("fadd", code.load(memory.at["y"], i), move)
        code.store(value, memory.at["y_new"], i)
    _norms(memory, lambda i: (memory.combine(table.error5, i), memory.combine(table.error3, i)), memory.at["y_new"])


def _norms(memory: Memory, pair, other: str) -> None:
    """Sum (a/scale)² and (b/scale)² into n5 and n3, with scale = atol + rtol max(|y|, |other|)."""
    code = memory.code
    suffix = "f64" if code.lanes == 1 else f"v{code.lanes}f64"
    rtol, atol = memory.get("rtol"), memory.get("atol")
    memory.set("n5", code.number(0.0))
    memory.set("n3", code.number(0.0))
    with code.loop(memory.layout.n) as i:
        here, there = (code.call(f"llvm.fabs.{suffix}", code.load(a, i)) for a in (memory.at["y"], other))
        size = code.select(code.compare("ogt", there, here), there, here)
        scale = code.arithmetic("fadd", atol, code.arithmetic("fmul", rtol, size))
        for register, value in zip(("n5", "n3"), pair(i)):
            ratio = code.arithmetic("fdiv", value, scale)
            total = code.arithmetic("fadd", memory.get(register), code.arithmetic("fmul", ratio, ratio))
            memory.set(register, total)


def _end(memory: Memory, projected: bool) -> None:
    """The state at the end of the step, back on the constraints, and its slope."""
    n = memory.layout.n
    memory.copy(memory.at["y_new"], memory.y_of_x, n)
    memory.code.store(memory.get("t_try"), memory.at["x"], 0)
    if projected:
        memory.call("projection", memory.at["x"], memory.at["y_new"])
        memory.copy(memory.at["y_new"], memory.y_of_x, n)
    memory.call("rhs", memory.at["x"], memory.K[12])


def _report(memory: Memory, samples: list[str]) -> None:
    """Store how each lane ended."""
    code, k = memory.code, memory.layout.k
    for place, register in enumerate(RESULTS):
        base, value = memory.argument("results", "ptr"), memory.get(register)
        _store_lanes(code, base, samples, len(RESULTS), str(place), value)
    if k:
        with code.loop(k) as i:
            base = memory.argument("event_results", "ptr")
            _store_lanes(code, base, samples, 2 * k, i, code.load(memory.at["first"], i))
            later = code.let(f"add i64 {i}, {k}")
            _store_lanes(code, base, samples, 2 * k, later, code.load(memory.at["changes"], i))


def _store_lanes(code: Code, base: str, samples: list[str], width: int, place: str, value: str) -> None:
    """Store the lanes of a value into column `place` of an array (N, width)."""
    for lane, sample in enumerate(samples):
        index = code.let(f"add i64 {code.let(f'mul i64 {sample}, {width}')}, {place}")
        target = code.let(f"getelementptr double, ptr {base}, i64 {index}")
        code.do(f"store double {code.lane(value, lane)}, ptr {target}")
