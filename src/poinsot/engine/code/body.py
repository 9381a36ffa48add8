"""A tape as LLVM IR: `void body(ptr x, ptr y, ptr w)` over lane groups.

x holds the inputs' nonzeros one after another, y the outputs', w the values that live from one part of the
code to a later one. A long function is cut into parts of PART_LENGTH steps: LLVM's time for one straight
piece of code grows faster than its length, and the parts also run faster than one long piece.
"""

from __future__ import annotations

from dataclasses import dataclass

from poinsot.engine.code.ir import Code
from poinsot.engine.code.library import c_functions, definitions
from poinsot.engine.code.operations import OPERATIONS
from poinsot.engine.code.tape import Instruction, Tape

PART_LENGTH = 1500


@dataclass(frozen=True)
class Body:
    """The text of a function body, what it calls and how much working memory it wants."""

    text: str
    called: frozenset[str]
    workspace: int  # lane groups


def emit_body(tape: Tape, lanes: int, name: str = "body", part_length: int = PART_LENGTH) -> Body:
    """Write the function `name` that evaluates a tape for `lanes` samples at once."""
    parts = [tape.steps[i : i + part_length] for i in range(0, len(tape.steps), part_length)] or [()]
    slots, workspace = _assign_slots(parts)
    sources = {s.result: s for s in tape.steps if s.op in ("input", "const")}
    texts, called = [], set()
    for k, part in enumerate(parts):
        code = Code(lanes)
        _Part(code, slots, sources).emit(part)
        body = "\n".join(code.lines)
        texts.append(
            f"define internal void @{name}.{k}(ptr noalias %x, ptr noalias %y, ptr noalias %w) "
            f"noinline nounwind {{\n{body}\n  ret void\n}}"
        )
        called |= code.called
    calls = "\n".join(f"  call void @{name}.{k}(ptr %x, ptr %y, ptr %w)" for k in range(len(parts)))
    texts.append(f"define internal void @{name}(ptr %x, ptr %y, ptr %w) nounwind {{\n{calls}\n  ret void\n}}")
    return Body("\n".join(texts), frozenset(called), workspace)


def support_code(bodies: list[Body], lanes: int) -> tuple[str, list[str]]:
    """Define once what several bodies of one program call; also list the C functions among it."""
    called = set().union(*(body.called for body in bodies))
    return definitions(called, lanes), c_functions(called)


def _assign_slots(parts: list[tuple[Instruction, ...]]) -> tuple[dict[int, int], int]:
    """Give a place in the workspace to every value that is used in a later part than its own."""
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, part in enumerate(parts):
        for step in part:
            if step.op not in ("input", "const", "output"):
                born[step.result] = k
            for a in step.args:
                if a in born:
                    last[a] = k
    births: list[list[int]] = [[] for _ in parts]
    deaths: list[list[int]] = [[] for _ in parts]
    for value, k in born.items():
        if last.get(value, k) > k:
            births[k].append(value)
            deaths[last[value]].append(value)
    slots: dict[int, int] = {}
    free: list[int] = []
    size = 0
    for k in range(len(parts)):
        for value in births[k]:
            if free:
                slots[value] = free.pop()
            else:
                slots[value], size = size, size + 1
        free.extend(slots[value] for value in deaths[k])
    return slots, size


class _Part:
    """Emits the steps of one part, fetching what earlier parts left in the workspace."""

    def __init__(self, code: Code, slots: dict[int, int], sources: dict[int, Instruction]):
        self.code = code
        self.slots = slots
        self.sources = sources
        self.known: dict[int, str] = {}  # number of a value -> its name in this part
        self.sines: dict[int, str] = {}  # argument -> pair of sine and cosine

    def emit(self, part: tuple[Instruction, ...]) -> None:
        """Add the code of these steps."""
        for step in part:
            if step.op in ("input", "const"):
                continue  # fetched where it is used
            args = [self.value(a) for a in step.args]
            if step.op == "output":
                self.code.store(args[0], "%y", step.slot)
                continue
            name = self.sincos(step, args[0]) if step.op in ("sin", "cos") else self.apply(step.op, args)
            self.known[step.result] = name
            if step.result in self.slots:
                self.code.store(name, "%w", self.slots[step.result])

    def apply(self, op: str, args: list[str]) -> str:
        """Emit one operation."""
        return OPERATIONS[op](self.code, *args)

    def value(self, number: int) -> str:
        """Name a value, loading it when it comes from outside this part."""
        if number not in self.known:
            source = self.sources.get(number)
            if source is None:
                self.known[number] = self.code.load("%w", self.slots[number])
            elif source.op == "const":
                self.known[number] = self.code.number(source.constant)
            else:
                self.known[number] = self.code.load("%x", source.slot)
        return self.known[number]

    def sincos(self, step: Instruction, argument: str) -> str:
        """Take sine or cosine out of one evaluation of both."""
        code, key = self.code, step.args[0]
        pair = f"{{ {code.real}, {code.real} }}"
        if key not in self.sines:
            code.called.add("lanes.sincos")
            self.sines[key] = code.let(f"call {pair} @lanes.sincos({code.real} {argument})")
        return code.let(f"extractvalue {pair} {self.sines[key]}, {0 if step.op == 'sin' else 1}")
