"""Where a result comes from: versions and the command."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any


def provenance() -> dict[str, Any]:
    """Versions of what computed it, and the command that was given."""
    return {
        "versions": {name: version(name) for name in ("poinsot", "numpy", "scipy", "casadi")},
        "python": platform.python_version(),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]] if sys.argv else [],
    }
