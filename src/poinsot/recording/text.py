"""Blocks of a text file, plain or gzip, in UTF-8: whole lines, as many as are converted at once."""

from __future__ import annotations

import codecs
import gzip
import itertools
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from poinsot.errors import PoinsotError

__all__ = ["BLOCK", "head_of", "text_blocks"]

HEAD = 1 << 18  # bytes that tell the dialect
BLOCK = 1 << 22  # bytes that are converted at once
LONGEST = 1 << 26  # bytes of a line


def text_blocks(path: Path, encoding: str, skip: int, cut: Callable[[str], None]) -> Iterator[bytes]:
    """Blocks of whole lines behind the first `skip` ones; `cut` is told why a damaged file ends before its end."""
    with _opened(path) as file:
        yield from _blocks(_utf8(file, encoding, cut), skip)


def head_of(path: Path) -> bytes:
    """The first bytes of a text, decompressed where it is gzip."""
    with _opened(path) as file:
        try:
            return file.read(HEAD)
        except (EOFError, OSError, zlib.error):
            pass
    with _opened(path) as file:
        return b"".join(_chunks(file, lambda why: None))[:HEAD]


def _opened(path: Path) -> IO[bytes]:
    """A stream of the file's text, decompressed where it is gzip."""
    raw = open(path, "rb", buffering=1 << 20)  # noqa: SIM115
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    if not packed:
        return raw
    raw.close()
    return gzip.open(path, "rb")  # type: ignore[return-value]


def _chunks(file: IO[bytes], cut: Callable[[str], None]) -> Iterator[bytes]:
    """Bytes of a text; where its compression is damaged it ends, and that is noted."""
    read = getattr(file, "read1", file.read)
    while True:
        try:
            chunk = read(BLOCK)
        except (EOFError, OSError, zlib.error) as error:
            cut(f"the compressed file is damaged ({error}): what is before is kept")
            return
        if not chunk:
            return
        yield chunk


def _utf8(file: IO[bytes], encoding: str, cut: Callable[[str], None]) -> Iterator[bytes]:
    """Chunks of the text in UTF-8 without a mark, lines ended by a line feed."""
    chunks = _chunks(file, cut)
    if encoding.startswith("utf-16"):
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        chunks = (decoder.decode(chunk).encode() for chunk in chunks)
    elif encoding == "utf-8-sig":
        first = next(chunks, b"").removeprefix(codecs.BOM_UTF8)
        chunks = itertools.chain([first], chunks)
    held = b""
    for chunk in chunks:
        chunk = held + chunk
        held = b"\r" if chunk.endswith(b"\r") else b""  # a line feed may follow
        chunk = chunk[: len(chunk) - len(held)]
        yield chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in chunk else chunk
    if held:
        yield b"\n"


def _blocks(chunks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """Whole lines of the body, a block at a time."""
    waiting: list[bytes] = []
    size = 0
    for chunk in chunks:
        while skip and (cut := chunk.find(b"\n")) >= 0:
            chunk, skip = chunk[cut + 1 :], skip - 1
        if skip:
            continue  # the line goes on, and is above the numbers
        waiting.append(chunk)
        size += len(chunk)
        if size < BLOCK:
            continue
        last = max((k for k, part in enumerate(waiting) if b"\n" in part), default=None)
        if last is not None:
            cut = waiting[last].rfind(b"\n") + 1
            yield b"".join([*waiting[:last], memoryview(waiting[last])[:cut]])
            waiting = [waiting[last][cut:], *waiting[last + 1 :]]
            size = sum(map(len, waiting))
        elif size > LONGEST:
            raise PoinsotError(f"a line is longer than {LONGEST >> 20} million bytes: this is no table")
    if rest := b"".join(waiting):
        yield rest
