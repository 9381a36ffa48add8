"""The memory of the native integrator: what lies where in the workspace, in lane groups."""

from __future__ import annotations

from dataclasses import dataclass

from poinsot.engine.code.ir import Code
from poinsot.engine.integration.controller import REGISTERS

# The words, of eight bytes each, that a call brings.
ARGUMENTS = (
    "times",  # pointer, (T,)
    "count_times",
    "y0",  # pointer
    "y0_stride",  # bytes; 0 is shared by all samples
    "p",  # pointer
    "p_stride",
    "out",  # pointer, (N, T, n)
    "results",  # pointer, (N, len(RESULTS))
    "event_results",  # pointer, (N, 2 k): time of the first change of sign, number of changes
    "registers",  # pointer, (len(REGISTERS),) initial values
    "substeps",  # of the fixed-step method
    "budget",  # steps that this call may still take; what is left is written back
    "group",  # number of the lane group to go on with; written back
    "inside",  # 1 if that group was begun by an earlier call: its state is in the workspace; written back
)
RESULTS = ("status", "steps", "rejections", "t", "h")


@dataclass(frozen=True)
class Layout:
    """Sizes of a problem: n states, m parameters, k event functions."""

    n: int
    m: int
    k: int
    body_workspace: int  # lane groups

    def places(self) -> dict[str, int]:
        """Give the first lane group of every array, and under "end" the size of all."""
        n, k = self.n, self.k
        sizes = {
            "x": 1 + n + self.m,  # t, y, p as the right-hand side wants them
            "y": n,
            "y_new": n,
            "z": max(n, 1),  # state at an output time
            "z_within": max(n, 1),  # the same of lanes that interpolate, projected
            "K": 16 * n,
            "F": 7 * n,
            "R": len(REGISTERS),
            "R_new": len(REGISTERS),
            "e": max(k, 1),  # event functions before the step, after it, within it
            "e_new": max(k, 1),
            "e_mid": max(k, 1),
            "first": max(k, 1),  # time of the first change of sign
            "changes": max(k, 1),
            "nowhere": max(n, 1),  # lanes without a result write here
            "w": self.body_workspace,
        }
        places, start = {}, 0
        for name, size in sizes.items():
            places[name] = start
            start += size
        return places | {"end": start}


class Memory:
    """Writes code that reads and writes the integrator's arrays and registers by name."""

    def __init__(self, code: Code, layout: Layout):
        self.code, self.layout = code, layout
        self.at = {name: code.at("%work", place) for name, place in layout.places().items() if name != "end"}
        self.y_of_x = code.at(self.at["x"], 1)
        self.p_of_x = code.at(self.at["x"], 1 + layout.n)
        self.K = [code.at(self.at["K"], j * layout.n) for j in range(16)]
        self.F = [code.at(self.at["F"], j * layout.n) for j in range(7)]

    def get(self, register: str) -> str:
        """Read a register."""
        return self.code.load(self.at["R"], REGISTERS.index(register))

    def set(self, register: str, value: str) -> None:
        """Write a register."""
        self.code.store(value, self.at["R"], REGISTERS.index(register))

    def is_set(self, register: str) -> str:
        """Compare a register with zero, lane by lane."""
        return self.code.compare("une", self.get(register), self.code.number(0.0))

    def argument(self, name: str, kind: str) -> str:
        """Read an argument of the call."""
        place = self.code.let(f"getelementptr i64, ptr %args, i64 {ARGUMENTS.index(name)}")
        return self.code.let(f"load {kind}, ptr {place}")

    def set_argument(self, name: str, value: str) -> None:
        """Write a whole number back into an argument of the call."""
        place = self.code.let(f"getelementptr i64, ptr %args, i64 {ARGUMENTS.index(name)}")
        self.code.do(f"store i64 {value}, ptr {place}")

    def leave_without_budget(self, end: str) -> None:
        """Leave a `forever` loop if no step is left to this call, else take one."""
        left = self.argument("budget", "i64")
        self.code.leave_unless(self.code.let(f"icmp sgt i64 {left}, 0"), end)
        self.set_argument("budget", self.code.let(f"sub i64 {left}, 1"))

    def call(self, function: str, x: str, y: str) -> None:
        """Call a body."""
        self.code.do(f"call void @{function}(ptr {x}, ptr {y}, ptr {self.at['w']})")

    def update(self, function: str) -> None:
        """Let a function of the controller change the registers."""
        self.call(function, self.at["R"], self.at["R_new"])
        self.copy(self.at["R_new"], self.at["R"], len(REGISTERS))

    def copy(self, source: str, target: str, count: int) -> None:
        """Copy an array."""
        if count:
            with self.code.loop(count) as i:
                self.code.store(self.code.load(source, i), target, i)

    def choose(self, condition: str, source: str, target: str, count: int) -> None:
        """Copy an array in the lanes where a condition holds."""
        if count:
            with self.code.loop(count) as i:
                value = self.code.select(condition, self.code.load(source, i), self.code.load(target, i))
                self.code.store(value, target, i)

    def combine(self, row: tuple[tuple[int, float], ...], i: str) -> str:
        """Sum coefficients times slopes of state i."""
        code, total = self.code, ""
        for stage, a in row:
            term = code.arithmetic("fmul", code.number(a), code.load(self.K[stage], i))
            total = code.arithmetic("fadd", total, term) if total else term
        return total

    def stage(self, stage: int, c: float, row: tuple[tuple[int, float], ...], t: str, step: str) -> None:
        """Evaluate the slope k_stage = rhs(t + c h, y + h Σ a_j k_j)."""
        code = self.code
        with code.loop(self.layout.n) as i:
            move = code.arithmetic("fmul", step, self.combine(row, i))
            code.store(code.arithmetic("fadd", code.load(self.at["y"], i), move), self.y_of_x, i)
        later = code.arithmetic("fadd", t, code.arithmetic("fmul", code.number(c), step))
        code.store(later, self.at["x"], 0)
        self.call("rhs", self.at["x"], self.K[stage])
