"""ROS 2 bags (folder, .db3) and MCAP files: numeric fields of all messages over the times of their headers.

Channels are `TOPIC.FIELD`; fields that go with a list of names, as in sensor_msgs/JointState, `TOPIC.NAME.FIELD`.
A topic that is slower than another has no sample at the others' times.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from poinsot.errors import MissingExtraError, PoinsotError, listing
from poinsot.recording.finding import Finding, Severity
from poinsot.recording.readers.foreign import foreign
from poinsot.recording.readers.messages import Definitions, flattened, numbers_of
from poinsot.recording.readers.table import ReadRequest, Table

__all__ = ["is_bag", "read_bag"]

# What fields of standard messages measure: last parts of their names -> kind and unit (REP 103).
MEASURED = {
    "position": ("position", ""),
    "velocity": ("velocity", ""),
    "effort": ("force", ""),
    "angular_velocity": ("rate", "rad/s"),
    "linear_acceleration": ("specific force", "m/s²"),
}
BOOKKEEPING = ("header.", "_covariance")  # parts of names that are no measurements
MOST = 4096  # channels


def is_bag(path: Path) -> bool:
    """Whether a folder is a bag."""
    return (path / "metadata.yaml").is_file()


def read_bag(path: Path, request: ReadRequest) -> Table:
    """A table of the messages of a bag."""
    columns = _Columns(request)
    with foreign("a bag"):
        for topic, logged, message in _messages(path, columns):
            columns.add(topic, logged, message)
    return columns.table()


class _Columns:
    """Samples of channels while a bag is read."""

    def __init__(self, request: ReadRequest):
        self.request = request
        self.values: dict[str, tuple[array, array]] = {}  # times [ns], values
        self.left_out: dict[str, str] = {}  # topic -> why

    def add(self, topic: str, logged: int, message: Mapping[str, Any]) -> None:
        stamp = _stamp(message) or logged
        prefix = topic.strip("/").replace("/", ".")
        for name, value in flattened(message):
            full = f"{prefix}.{name}" if prefix else name
            if any(part in name for part in BOOKKEEPING) or not self.request.wanted(full):
                continue
            if full not in self.values and len(self.values) >= MOST:
                raise PoinsotError(f"it has more than {MOST} channels: name those to read by columns=")
            times, values = self.values.setdefault(full, (array("q"), array("d")))
            times.append(stamp)
            values.append(value)

    def table(self) -> Table:
        if not self.values:
            why = f": {listing(f'{t} ({w})' for t, w in self.left_out.items())}" if self.left_out else ""
            raise PoinsotError(f"no numbers were found in this bag{why}")
        clock = np.unique(np.concatenate([np.frombuffer(times, np.int64) for times, _ in self.values.values()]))
        columns = []
        for times, values in self.values.values():
            column = np.full(len(clock), np.nan)
            column[np.searchsorted(clock, np.frombuffer(times, np.int64))] = np.frombuffer(values)
            columns.append(column)
        about = [_about(name) for name in self.values]
        return Table(
            tuple(self.values),
            tuple(unit for _, unit, _ in about),
            tuple(columns),
            "bag",
            abscissa=(clock - clock[0]) * 1e-9,
            epoch=float(clock[0]) * 1e-9,
            kinds=tuple(kind for kind, _, _ in about),
            places=tuple(place for _, _, place in about),
            findings=tuple(self._findings()),
        )

    def _findings(self) -> Iterator[Finding]:
        if self.left_out:
            said = listing(f"{topic} ({why})" for topic, why in self.left_out.items())
            message = f"topics that cannot be read are left out: {said}"
            yield Finding("left out", "", "", len(self.left_out), message, "record them otherwise", Severity.NOTE)


def _stamp(message: Mapping[str, Any]) -> int:
    """Time of measurement in a message's header  [ns]; 0 if it has none."""
    header = message.get("header")
    stamp = header.get("stamp") if isinstance(header, Mapping) else None
    if not isinstance(stamp, Mapping):
        return 0
    parts = [stamp.get(key, 0) for key in ("sec", "nanosec")]
    valid = all(isinstance(x, int) and 0 <= x < 2**33 for x in parts)
    return parts[0] * 1_000_000_000 + parts[1] if valid else 0


def _about(name: str) -> tuple[str, str, str]:
    """Kind, unit and place that the name of a field tells."""
    parts = name.split(".")
    for k in (-1, -2):
        if len(parts) >= -k and parts[k] in MEASURED:
            kind, unit = MEASURED[parts[k]]
            return kind, unit, parts[-2] if k == -1 and len(parts) > 2 else ""
    return "", "", ""


def _messages(path: Path, columns: _Columns) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Topic, time of logging [ns] and fields of every message."""
    if path.suffix.lower() == ".mcap":
        yield from _from_mcap(path, columns)
    else:
        yield from _from_rosbag(path, columns)


def _from_mcap(path: Path, columns: _Columns) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    try:
        from mcap.reader import make_reader
    except ImportError:
        raise MissingExtraError("reading MCAP files", "mcap", "ros") from None
    known: dict[int, Definitions | None] = {}
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages():
            if channel.message_encoding == "json":
                with suppress(ValueError, RecursionError):
                    held = json.loads(message.data)
                    if isinstance(held, dict):
                        yield channel.topic, message.log_time, held
                continue
            if channel.id not in known:
                form = {"ros2msg": "msg", "ros2idl": "idl"}.get(schema.encoding if schema else "", "")
                text = schema.data.decode("utf-8", "replace") if schema else ""
                known[channel.id] = _defined(schema.name, form, text) if schema and form else None
            if (definitions := known[channel.id]) is None or schema is None:
                columns.left_out[channel.topic] = channel.message_encoding or "unknown encoding"
                continue
            yield channel.topic, message.log_time, numbers_of(message.data, _full(schema.name), definitions)


def _from_rosbag(path: Path, columns: _Columns) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    try:
        from rosbags.rosbag2 import Reader
    except ImportError:
        raise MissingExtraError("reading ROS 2 bags", "rosbags", "ros") from None
    known: dict[tuple[str, str], Definitions | None] = {}
    with Reader(path) as bag:
        for connection, logged, data in bag.messages():
            kind, text = connection.msgtype, connection.msgdef.data
            if (kind, text) not in known:
                known[kind, text] = _defined(kind, connection.msgdef.format.name.lower(), text)
            if (definitions := known[kind, text]) is None or _full(kind) not in definitions:
                columns.left_out[connection.topic] = kind
                continue
            yield connection.topic, logged, numbers_of(bytes(data), _full(kind), definitions)


def _full(kind: str) -> str:
    """sensor_msgs/JointState -> sensor_msgs/msg/JointState."""
    parts = kind.split("/")
    return f"{parts[0]}/msg/{parts[1]}" if len(parts) == 2 else kind


def _defined(kind: str, form: str, text: str) -> Definitions | None:
    """Types of a message from the definition that stands in the file, or the usual ones where there is none."""
    from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

    if form == "msg" and text:
        return get_types_from_msg(text, _full(kind))
    if form == "idl" and text:
        separator = "=" * 80 + "\n"
        parts = [part.split("\n", 1)[-1] for part in text.split(separator)[1:]] or [text]
        return {name: value for part in parts for name, value in get_types_from_idl(part).items()}
    return get_typestore(Stores.ROS2_HUMBLE).fielddefs
