"""A function as text: all that native code is made from, and what must be known to call that code.

Whoever has the formula of a function that was compiled before needs neither CasADi nor the text itself: the digest
finds the code. The text is read when there is no code, or when the VM is to run.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import OrderedDict
from dataclasses import asdict
from functools import cached_property
from typing import Any

from poinsot.engine.arguments import Signature, read_signature
from poinsot.engine.build.support import portable_form
from poinsot.errors import PoinsotError
from poinsot.lazy import casadi


class Formula:
    """A CasADi function in a form that can be kept on disk; whatever is not known is found when it is asked for."""

    def __init__(self, signature: Signature, **known: Any):
        self.signature = signature
        self.__dict__.update(known)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Formula) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def function(self) -> casadi.Function:
        """The function itself, for the VM."""
        return casadi.Function.deserialize(self.text)

    @cached_property
    def _portable(self) -> tuple[casadi.Function, str]:
        return portable_form(self.function)

    @cached_property
    def obstacle(self) -> str:
        """Why no machine can run it as native code; empty if one can."""
        return self._portable[1]

    @cached_property
    def instructions(self) -> int:
        """Scalar operations; 0 if it has no form in those."""
        symbolic = self._portable[0]
        return symbolic.n_instructions() if symbolic.is_a("SXFunction") else 0

    @cached_property
    def text(self) -> str:
        """The function as CasADi serialises it."""
        if "packed" not in self.__dict__:
            return self._portable[0].serialize()
        try:
            text = zlib.decompress(self.packed)
        except zlib.error:
            text = b""
        if hashlib.sha256(text).hexdigest() != self.digest:
            raise PoinsotError(f"{self.signature.name} in the cache is not what was written: clear the cache")
        return text.decode()

    @cached_property
    def packed(self) -> bytes:
        """The text, compressed."""
        return zlib.compress(self.text.encode(), 1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

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
        known = {"instructions": int(facts["instructions"]), "obstacle": str(facts["obstacle"])}
        return cls(signature, digest=str(facts["digest"]), packed=packed, **known)


_seen: OrderedDict[int, tuple[casadi.Function, Formula]] = OrderedDict()


def formula(function: casadi.Function | Formula) -> Formula:
    """The formula of a function, written once; itself if it is one already."""
    if isinstance(function, Formula):
        return function
    entry = _seen.get(id(function))
    if entry is None or entry[0] is not function:  # the function is kept with its formula: its id stays its own
        entry = _seen[id(function)] = (function, Formula(read_signature(function), function=function))
        while len(_seen) > 32:
            _seen.popitem(last=False)
    return entry[1]
