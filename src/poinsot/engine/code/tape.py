"""A CasADi SX function as a tape: every value is written once and has a number.

CasADi reuses its work registers; the tape gives each result a number of its own (static single
assignment), so that the emitter can see where a value is born and where it is used for the last time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from poinsot.lazy import casadi


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: the name of the operation, its arguments and the number of its result."""

    op: str  # CasADi's name without OP_, in lower case: "add", "sin", "input", …
    args: tuple[int, ...]  # numbers of the values it reads
    result: int  # number of the value it writes; -1 for an output
    slot: int = -1  # position among all inputs' or all outputs' nonzeros, one after another
    constant: float = 0.0


@dataclass(frozen=True)
class Tape:
    """All instructions of a function, in order."""

    steps: tuple[Instruction, ...]
    values: int  # how many numbers are in use
    inputs: int  # nonzeros of all inputs together
    outputs: int  # nonzeros of all outputs together


@cache
def operation_names() -> dict[int, str]:
    """Give CasADi's operation codes their names.

    >>> operation_names()[1]
    'add'
    """
    return {getattr(casadi, name): name[3:].lower() for name in dir(casadi) if name.startswith("OP_")}


def read_tape(function: casadi.Function) -> Tape:
    """Read the instructions of an SX function.

    The same operation on the same values is kept once; sine and cosine of one argument come side by side.
    """
    first_in = _starts([function.nnz_in(i) for i in range(function.n_in())])
    first_out = _starts([function.nnz_out(i) for i in range(function.n_out())])
    names = operation_names()
    register: dict[int, int] = {}  # CasADi's work register -> number of the value in it
    seen: dict[tuple, int] = {}  # what was computed -> its number
    steps: list[Instruction] = []
    for i in range(function.n_instructions()):
        op = names[function.instruction_id(i)]
        source, target = function.instruction_input(i), function.instruction_output(i)
        if op == "output":
            slot = first_out[target[0]] + target[1]
            steps.append(Instruction(op, (register[source[0]],), -1, slot))
            continue
        if op == "assign":
            register[target[0]] = register[source[0]]
            continue
        if op == "input":
            step = Instruction(op, (), i, first_in[source[0]] + source[1])
        elif op == "const":
            step = Instruction(op, (), i, constant=function.instruction_constant(i))
        else:
            step = Instruction(op, tuple(register[s] for s in source), i)
        what = (op, step.args, step.slot, step.constant.hex())
        register[target[0]] = seen.setdefault(what, i)
        if seen[what] == i:
            steps.append(step)
    return Tape(_pair_sines(steps), function.n_instructions(), first_in[-1], first_out[-1])


def _starts(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


def _pair_sines(steps: list[Instruction]) -> tuple[Instruction, ...]:
    """Move the second of sin x and cos x up to the first, where one evaluation gives both."""
    pending: dict[tuple[str, int], Instruction] = {}
    for step in steps:
        if step.op in ("sin", "cos"):
            pending.setdefault((step.op, step.args[0]), step)
    paired: list[Instruction] = []
    done: set[int] = set()
    for step in steps:
        if step.result in done and step.result >= 0:
            continue
        paired.append(step)
        if step.op in ("sin", "cos"):
            other = pending.get(("cos" if step.op == "sin" else "sin", step.args[0]))
            if other is not None and other.result > step.result:
                paired.append(other)
                done.add(other.result)
    return tuple(paired)


def dense_offsets(sparsity: casadi.Sparsity) -> list[int]:
    """Give the place of each nonzero (column by column) in a dense row-major array."""
    rows, columns = sparsity.get_triplet()
    width = sparsity.size2()
    return [r * width + c for r, c in zip(rows, columns)]
