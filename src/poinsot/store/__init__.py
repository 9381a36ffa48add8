"""What is kept: on disk, between processes, compiled code, functions and models; in memory, what was used last.

read_entry, write_entry     an entry by its key: checked when read, written aside and renamed
cache_report, clear_cache   what there is
Bounded                     a memory that forgets what was not used for longest
fingerprint                 of Poinsot's own code, which is part of every key
"""

from poinsot.store.bounded import Bounded
from poinsot.store.cache import CacheReport, cache_report, clear_cache, read_entry, write_entry
from poinsot.store.container import CorruptEntryError, pack_entry, unpack_entry
from poinsot.store.keys import content_key, fingerprint

__all__ = [
    "Bounded",
    "CacheReport",
    "CorruptEntryError",
    "cache_report",
    "clear_cache",
    "content_key",
    "fingerprint",
    "pack_entry",
    "read_entry",
    "unpack_entry",
    "write_entry",
]
