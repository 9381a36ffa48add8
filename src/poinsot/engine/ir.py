"""Lines of LLVM IR for one function body, over scalars or over vectors of samples."""

from __future__ import annotations

import struct

__all__ = ["Code"]


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
        self._count = 0
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
