"""A function as text: all that native code is made from, and what must be known to call that code.

Whoever has the formula of a function that was compiled before needs neither CasADi nor the text itself: the digest
finds the code. The text is read when there is no code, or when the VM is to run.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import OrderedDict
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PoinsotError
from .arguments import Signature, read_signature
from .support import portable_form

if TYPE_CHECKING:
    import casadi

__all__ = ["Formula", "formula"]


@dataclass(frozen=True, eq=False)
class Formula:
    """A CasADi function in a form that can be kept on disk."""

    signature: Signature
    instructions: int
    obstacle: str  # why no machine can run it as native code; empty if one can
    digest: str  # SHA-256 of the text
    packed: bytes  # the text, compressed

    @cached_property
    def text(self) -> str:
        """The function as CasADi serialises it."""
        try:
            text = zlib.decompress(self.packed)
        except zlib.error:
            text = b""
        if hashlib.sha256(text).hexdigest() != self.digest:
            raise PoinsotError(f"{self.signature.name} in the cache is not what was written: clear the cache")
        return text.decode()

    @cached_property
    def function(self) -> casadi.Function:
        """The function itself, for the VM."""
        import casadi

        return casadi.Function.deserialize(self.text)

    def facts(self) -> dict[str, Any]:
        """All but the text, for JSON."""
        return asdict(self.signature) | {
            "instructions": self.instructions,
            "obstacle": self.obstacle,
            "digest": self.digest,
            "bytes": len(self.packed),
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any], packed: bytes) -> Formula:
        """What `facts` and the text give; KeyError, TypeError or ValueError if they are not what was written."""
        signature = Signature(
            str(facts["name"]),
            tuple(map(str, facts["input_names"])),
            tuple(tuple(map(int, shape)) for shape in facts["inputs"]),
            tuple(tuple(map(int, shape)) for shape in facts["outputs"]),
            tuple(map(bool, facts["full"])),
        )
        if len(packed) != facts["bytes"]:
            raise ValueError("a function is cut off")
        return cls(signature, int(facts["instructions"]), str(facts["obstacle"]), str(facts["digest"]), packed)


_seen: OrderedDict[int, tuple[casadi.Function, Formula]] = OrderedDict()


def formula(function: casadi.Function | Formula) -> Formula:
    """The formula of a function, written once; itself if it is one already."""
    if isinstance(function, Formula):
        return function
    entry = _seen.get(id(function))
    if entry is None or entry[0] is not function:  # the function is kept with its formula: its id stays its own
        entry = _seen[id(function)] = (function, _write(function))
        while len(_seen) > 32:
            _seen.popitem(last=False)
    return entry[1]


def _write(function: casadi.Function) -> Formula:
    symbolic, obstacle = portable_form(function)
    text = symbolic.serialize() if not symbolic.has_free() else ""
    count = symbolic.n_instructions() if symbolic.is_a("SXFunction") else 0
    digest = hashlib.sha256(text.encode()).hexdigest()
    made = Formula(read_signature(function), count, obstacle, digest, zlib.compress(text.encode(), 1))
    made.__dict__.update(text=text, function=function)
    return made
