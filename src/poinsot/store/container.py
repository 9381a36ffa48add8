"""An entry with a header and a checksum, as it lies in the cache and as code comes from a child process.

8 bytes magic | 32 bytes SHA-256 of all that follows | 4 bytes length | JSON metadata | content
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

__all__ = ["CorruptEntryError", "pack_entry", "unpack_entry"]

_MAGIC = b"POINSOT1"


class CorruptEntryError(Exception):
    """The bytes are not what was written."""


def pack_entry(metadata: dict[str, Any], content: bytes) -> bytes:
    """Put metadata and content into one checked string of bytes."""
    text = json.dumps(metadata).encode()
    rest = struct.pack("<I", len(text)) + text + content
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def unpack_entry(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Check the bytes and take metadata and content out."""
    rest = data[40:]
    if data[:8] != _MAGIC:
        raise CorruptEntryError("it does not begin as a file of this cache does")
    if hashlib.sha256(rest).digest() != data[8:40]:
        raise CorruptEntryError("its checksum is wrong")
    length = struct.unpack("<I", rest[:4])[0]
    return json.loads(rest[4 : 4 + length]), rest[4 + length :]
