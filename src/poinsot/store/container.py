"""An entry with its key and a checksum, as it lies in the cache and as code comes from a child process.

8 bytes magic | 32 bytes SHA-256 of all that follows | 4 bytes length | JSON [key, kind, metadata] | content

The key stands inside: a file under the name of another one is noticed, though its checksum is right.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

ENTRY_FORMAT = "POINSOT2"  # part of every key, so that no other version's files are met
_MAGIC = ENTRY_FORMAT.encode()


class CorruptEntryError(Exception):
    """The bytes are not what was written."""


def pack_entry(metadata: dict[str, Any], content: bytes, key: str = "", kind: str = "") -> bytes:
    """Put key, kind, metadata and content into one checked string of bytes."""
    text = json.dumps([key, kind, metadata]).encode()
    rest = struct.pack("<I", len(text)) + text + content
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def unpack_entry(data: bytes, key: str | None = None, purpose: str | None = None) -> tuple[dict[str, Any], bytes]:
    """Check the bytes, and key and purpose where they are given; take metadata and content out."""
    rest = data[40:]
    if data[:8] != _MAGIC:
        raise CorruptEntryError("it does not begin as a file of this cache does")
    if hashlib.sha256(rest).digest() != data[8:40]:
        raise CorruptEntryError("its checksum is wrong")
    length = struct.unpack("<I", rest[:4])[0]
    written_key, written_purpose, metadata = json.loads(rest[4 : 4 + length])
    if key not in (None, written_key) or purpose not in (None, written_purpose):
        raise CorruptEntryError("it was written under another name")
    return metadata, rest[4 + length :]
