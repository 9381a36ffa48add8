"""What a run is for."""

from __future__ import annotations

from enum import StrEnum

from poinsot.errors import PoinsotError, one_line, unknown


class Role(StrEnum):
    """What a run is for."""

    IDENTIFY = "identify"
    VALIDATE = "validate"
    PAYLOAD = "payload"  # identified with the others; what the payload adds acts in such runs alone

    @classmethod
    def of(cls, given: object, run: str) -> Role:
        """A role from its name."""
        roles = {role.value: role for role in cls}
        if not isinstance(given, str) or given not in roles:
            raise PoinsotError(f"run '{run}': {unknown('role', one_line(str(given), 40), roles)}")
        return roles[str(given)]
