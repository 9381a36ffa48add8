"""Lines of LLVM IR for one function body, over scalars or over vectors of samples."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager


class Code:
    """The lines of one function, with fresh names and the types of `lanes` samples side by side.

    >>> code = Code(lanes=4)
    >>> code.let(f"fadd {code.real} {code.number(1.0)}, %x")
    '%1'
    """

    def __init__(self, lanes: int):
        self.lanes = lanes
        self.lines: list[str] = []
        self.called: set[str] = set()  # names of library functions that the text calls
        self.block = "entry"  # label of the block that is being written
        self._count = 0
        self._labels = 0
        self.real = self.of("double")
        self.whole = self.of("i64")
        self.bit = self.of("i1")

    def of(self, scalar: str) -> str:
        """Give the type of `lanes` scalars."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def let(self, expression: str) -> str:
        """Name the value of an expression."""
        self._count += 1
        self.lines.append(f"  %{self._count} = {expression}")
        return f"%{self._count}"

    def do(self, statement: str) -> None:
        """Add a statement without a value."""
        self.lines.append(f"  {statement}")

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines.append(f"{name}:")
        self.block = name

    def fresh(self, stem: str) -> str:
        """Make a label that is not in use."""
        self._labels += 1
        return f"{stem}{self._labels}"

    @contextmanager
    def loop(self, count: int | str) -> Iterator[str]:
        """Repeat what is written inside `count` times, at least once; gives the index, an i64."""
        name, before = self.fresh("loop"), self.block
        index = f"%{name}.k"
        self.do(f"br label %{name}")
        self.label(name)
        self.do(f"{index} = phi i64 [ 0, %{before} ], [ {index}.next, %{name}.latch ]")
        yield index
        self.do(f"br label %{name}.latch")
        self.label(f"{name}.latch")
        self.do(f"{index}.next = add i64 {index}, 1")
        more = self.let(f"icmp slt i64 {index}.next, {count}")
        self.do(f"br i1 {more}, label %{name}, label %{name}.end")
        self.label(f"{name}.end")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """Do what is written inside only if a condition, an i1, holds."""
        name = self.fresh("when")
        self.do(f"br i1 {condition}, label %{name}, label %{name}.end")
        self.label(name)
        yield
        self.do(f"br label %{name}.end")
        self.label(f"{name}.end")

    @contextmanager
    def forever(self) -> Iterator[str]:
        """Repeat what is written inside until it branches to the label that this gives."""
        name = self.fresh("forever")
        self.do(f"br label %{name}")
        self.label(name)
        yield f"{name}.end"
        self.do(f"br label %{name}")
        self.label(f"{name}.end")

    def leave_unless(self, condition: str, end: str) -> None:
        """Leave a `forever` loop if a condition, an i1, does not hold."""
        on = self.fresh("on")
        self.do(f"br i1 {condition}, label %{on}, label %{end}")
        self.label(on)

    def any(self, condition: str) -> str:
        """Tell whether a condition holds in any lane, as an i1."""
        if self.lanes == 1:
            return condition
        self.called.add(f"llvm.vector.reduce.or.v{self.lanes}i1")
        return self.let(f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({self.bit} {condition})")

    def lane(self, value: str, lane: int) -> str:
        """Take the scalar out of one lane."""
        return value if self.lanes == 1 else self.let(f"extractelement {self.real} {value}, i64 {lane}")

    def gather(self, scalars: list[str]) -> str:
        """Put one scalar into each lane."""
        if self.lanes == 1:
            return scalars[0]
        value = "poison"
        for lane, scalar in enumerate(scalars):
            value = self.let(f"insertelement {self.real} {value}, double {scalar}, i64 {lane}")
        return value

    def number(self, x: float) -> str:
        """Write a constant, the same in every lane, with all its bits."""
        return self._splat("double", f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}")

    def integer(self, x: int) -> str:
        """Write a 64-bit integer constant, the same in every lane."""
        return self._splat("i64", str(x))

    def _splat(self, scalar: str, text: str) -> str:
        if self.lanes == 1:
            return text
        return "<" + ", ".join([f"{scalar} {text}"] * self.lanes) + ">"

    def load(self, pointer: str, index: int | str) -> str:
        """Load lane group `index` of an array."""
        return self.let(f"load {self.real}, ptr {self.at(pointer, index)}, align 8")

    def store(self, value: str, pointer: str, index: int | str) -> None:
        """Store a value into lane group `index` of an array."""
        self.do(f"store {self.real} {value}, ptr {self.at(pointer, index)}, align 8")

    def at(self, pointer: str, index: int | str) -> str:
        """Address lane group `index` of an array."""
        return self.let(f"getelementptr {self.real}, ptr {pointer}, i64 {index}")

    def call(self, name: str, *args: str) -> str:
        """Call a function from reals to a real that `library.py` defines for these lanes."""
        self.called.add(name)
        return self.let(f"call {self.real} @{name}({', '.join(f'{self.real} {a}' for a in args)})")

    def select(self, condition: str, yes: str, no: str) -> str:
        """Choose lane by lane."""
        return self.let(f"select {self.bit} {condition}, {self.real} {yes}, {self.real} {no}")

    def compare(self, how: str, x: str, y: str) -> str:
        """Compare lane by lane, `how` in LLVM's words: olt, ole, oeq, une, …"""
        return self.let(f"fcmp {how} {self.real} {x}, {y}")

    def arithmetic(self, how: str, x: str, y: str) -> str:
        """Add, subtract, multiply or divide: fadd, fsub, fmul, fdiv. Never contracted, never reordered."""
        return self.let(f"{how} {self.real} {x}, {y}")
