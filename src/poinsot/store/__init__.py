"""What is stored: on disk, between processes, compiled code, functions and models; in memory, what was used last.

cache        an entry by its key: checked when read, written aside and renamed; what there is
container    an entry as bytes, with its key and a checksum
arrays       arrays that took long to make
files        a file of unknown origin: no pipe or device is opened; one's own, written aside and renamed
bounded      Bounded, an LRU cache
folder       a new folder of results, written aside and renamed
provenance   what a result was made with
keys         fingerprint of Poinsot's own code, which is part of every key
"""

from poinsot.store.arrays import Kept, arrays_digest, keep_arrays, kept_arrays, read_arrays
from poinsot.store.bounded import Bounded
from poinsot.store.cache import CacheReport, cache_report, clear_cache, read_entry, write_entry
from poinsot.store.container import ENTRY_FORMAT, CorruptEntryError, pack_entry, unpack_entry
from poinsot.store.files import IrregularFileError, distrust, file_kind, read_regular
from poinsot.store.keys import content_key, fingerprint, writer_digest
