"""The batch loop as LLVM IR: pack the samples of one lane group, evaluate the body, unpack.

    void run(i64 count, ptr in, ptr in_strides, ptr out, ptr out_strides, ptr w)

`in` and `out` are arrays of pointers to row-major samples, strides are in bytes; stride 0 shares one sample
with all (it is packed once). The last group is filled up with copies of the last sample: the copies compute
the same bits and store them in the same place, so a tail needs no code of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from poinsot.engine.code.body import Body, emit_body, support_code
from poinsot.engine.code.ir import Code
from poinsot.engine.code.packing import pack, unpack
from poinsot.engine.code.tape import dense_offsets, read_tape
from poinsot.lazy import casadi

_PARAMETERS = "i64 %count, ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, ptr %work"


@dataclass(frozen=True)
class Program:
    """LLVM IR with the entry `run`, and the working memory that each thread must bring."""

    text: str
    lanes: int
    workspace: int  # doubles
    c_functions: tuple[str, ...]  # that the code calls

    @property
    def metadata(self) -> dict[str, Any]:
        """What must be known to run the code."""
        return {"workspace": self.workspace, "lanes": self.lanes, "c_functions": self.c_functions}


def emit_batch(function: casadi.Function, lanes: int, repeat: int = 1) -> Program:
    """Write the batch kernel of a function; `repeat` > 1 feeds outputs back as inputs that often."""
    tape = read_tape(function)
    body = emit_body(tape, lanes)
    code = Code(lanes)
    tables: list[str] = []
    inputs = [dense_offsets(function.sparsity_in(i)) for i in range(function.n_in())]
    outputs = [dense_offsets(function.sparsity_out(i)) for i in range(function.n_out())]
    _loop(code, tables, inputs, outputs, body, repeat)
    lines = "\n".join(code.lines)
    support, c_functions = support_code([body], lanes)
    text = "\n".join([support, *tables, body.text, f"define void @run({_PARAMETERS}) {{\nentry:\n{lines}\n}}"])
    return Program(text, lanes, (tape.inputs + tape.outputs + body.workspace) * lanes, tuple(c_functions))


def _loop(
    code: Code, tables: list[str], inputs: list[list[int]], outputs: list[list[int]], body: Body, repeat: int
) -> None:
    """Write the loop over lane groups."""
    n_x, n_y = sum(map(len, inputs)), sum(map(len, outputs))
    x = "%work"
    y = code.at(x, n_x)
    w = code.at(y, n_y)
    last = code.let("sub i64 %count, 1")
    rounded = code.let(f"add i64 %count, {code.lanes - 1}")
    with code.loop(code.let(f"sdiv i64 {rounded}, {code.lanes}")) as group:
        samples = lane_samples(code, group, last)
        # the first group packs shared inputs too; so does every group when repeating overwrites them
        first = code.let(f"icmp eq i64 {group}, 0" if repeat == 1 else "icmp eq i64 0, 0")
        slot = 0
        for i, offsets in enumerate(inputs):
            pointers, stride = _lane_pointers(code, "in", i, samples)
            moves = code.let(f"icmp ne i64 {stride}, 0")
            goal, table = code.at(x, slot), _table(tables, f"in{i}.offsets", offsets)
            with code.when(code.let(f"or i1 {moves}, {first}")):
                pack(code, pointers, offsets, table, goal)
            slot += len(offsets)
        code.do(f"call void @body(ptr {x}, ptr {y}, ptr {w})")
        if repeat > 1:
            with code.loop(repeat - 1):
                with code.loop(n_y) as k:
                    code.store(code.load(y, k), x, k)
                code.do(f"call void @body(ptr {x}, ptr {y}, ptr {w})")
        slot = 0
        for i, offsets in enumerate(outputs):
            pointers, _ = _lane_pointers(code, "out", i, samples)
            table = _table(tables, f"out{i}.offsets", offsets)
            unpack(code, pointers, offsets, table, code.at(y, slot))
            slot += len(offsets)
    code.do("ret void")


def lane_samples(code: Code, group: str, last: str) -> list[str]:
    """Number the sample in each lane of a group; lanes beyond the end repeat the last one."""
    first = code.let(f"mul i64 {group}, {code.lanes}")
    samples = []
    for lane in range(code.lanes):
        number = code.let(f"add i64 {first}, {lane}")
        inside = code.let(f"icmp slt i64 {number}, {last}")
        samples.append(code.let(f"select i1 {inside}, i64 {number}, i64 {last}"))
    return samples


def _lane_pointers(code: Code, base: str, i: int, samples: list[str]) -> tuple[list[str], str]:
    """Address the samples of argument i in every lane; also give its stride."""
    pointer = code.let(f"load ptr, ptr {code.let(f'getelementptr ptr, ptr %{base}, i64 {i}')}")
    stride = code.let(f"load i64, ptr {code.let(f'getelementptr i64, ptr %{base}.strides, i64 {i}')}")
    pointers = []
    for sample in samples:
        distance = code.let(f"mul i64 {sample}, {stride}")
        pointers.append(code.let(f"getelementptr i8, ptr {pointer}, i64 {distance}"))
    return pointers, stride


def _table(tables: list[str], name: str, offsets: list[int]) -> str:
    """Define the table of an argument's offsets."""
    entries = ", ".join(f"i32 {o}" for o in offsets)
    tables.append(f"@{name} = internal constant [{len(offsets)} x i32] [{entries}]")
    return f"@{name}"
