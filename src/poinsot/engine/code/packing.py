"""Copying between row-major samples and lane groups, as LLVM IR.

Whole blocks of W numbers of W samples are transposed in registers; what is left, and sparse arguments, go
number by number.
"""

from __future__ import annotations

from poinsot.engine.code.ir import Code


def pack(code: Code, pointers: list[str], offsets: list[int], table: str, goal: str) -> None:
    """Copy numbers of one sample a lane into lane groups; number k of a sample lies at offsets[k]."""
    blocks = _whole_blocks(code, offsets)
    if blocks:
        with code.loop(blocks) as block:
            start = code.let(f"mul i64 {block}, {code.lanes}")
            rows = [code.let(f"load {code.real}, ptr {_place(code, p, start)}, align 8") for p in pointers]
            for j, column in enumerate(_transpose(code, rows)):
                code.store(column, goal, code.let(f"add i64 {start}, {j}"))
    for k in _rest(code, offsets, blocks):
        place = _offset(code, offsets, table, k)
        code.store(code.gather([code.let(f"load double, ptr {_place(code, p, place)}") for p in pointers]), goal, k)


def unpack(code: Code, pointers: list[str], offsets: list[int], table: str, origin: str) -> None:
    """Copy lane groups to one sample a lane."""
    blocks = _whole_blocks(code, offsets)
    if blocks:
        with code.loop(blocks) as block:
            start = code.let(f"mul i64 {block}, {code.lanes}")
            indices = [code.let(f"add i64 {start}, {j}") for j in range(code.lanes)]
            columns = [code.load(origin, index) for index in indices]
            for pointer, row in zip(pointers, _transpose(code, columns)):
                code.do(f"store {code.real} {row}, ptr {_place(code, pointer, start)}, align 8")
    for k in _rest(code, offsets, blocks):
        place = _offset(code, offsets, table, k)
        value = code.load(origin, k)
        for lane, pointer in enumerate(pointers):
            code.do(f"store double {code.lane(value, lane)}, ptr {_place(code, pointer, place)}")


def _place(code: Code, pointer: str, index: str) -> str:
    return code.let(f"getelementptr double, ptr {pointer}, i64 {index}")


def _is_plain(offsets: list[int]) -> bool:
    return offsets == list(range(len(offsets)))


def _whole_blocks(code: Code, offsets: list[int]) -> int:
    return len(offsets) // code.lanes if code.lanes > 1 and _is_plain(offsets) else 0


def _rest(code: Code, offsets: list[int], blocks: int):
    """Go through the numbers that are not in whole blocks: a loop, or a few by their indices."""
    if blocks:
        yield from (str(k) for k in range(blocks * code.lanes, len(offsets)))
    elif offsets:
        with code.loop(len(offsets)) as k:
            yield k


def _offset(code: Code, offsets: list[int], table: str, k: str) -> str:
    """Look up where number k lies; a plain vector needs no table."""
    if _is_plain(offsets):
        return k
    entry = code.let(f"load i32, ptr {code.let(f'getelementptr i32, ptr {table}, i64 {k}')}")
    return code.let(f"zext i32 {entry} to i64")


def _transpose(code: Code, rows: list[str]) -> list[str]:
    """Transpose W vectors of W numbers by exchanging blocks of 1, 2, 4, … numbers."""
    lanes, size = code.lanes, 1
    rows = list(rows)
    while size < lanes:
        for i in range(lanes):
            if not i & size:
                upper = [j if not j & size else lanes + j - size for j in range(lanes)]
                lower = [j + size if not j & size else lanes + j for j in range(lanes)]
                rows[i], rows[i + size] = (_shuffle(code, rows[i], rows[i + size], m) for m in (upper, lower))
        size *= 2
    return rows


def _shuffle(code: Code, a: str, b: str, mask: list[int]) -> str:
    picks = ", ".join(f"i32 {m}" for m in mask)
    return code.let(f"shufflevector {code.real} {a}, {code.real} {b}, <{code.lanes} x i32> <{picks}>")
