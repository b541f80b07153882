"""Read our own JSON lines (`runs/export/jsonl.py`) back.

A run comes in whole or not at all: one broken line, and its run is rejected with the line's number
and the reason, while the others of the file are read. Before it is stored, a run's tree is folded
once, so what was imported can be opened.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, TypeGuard, cast, get_args, get_origin, get_type_hints

from toolplanner_core import __version__
from toolplanner_core.domain.ids import NodePath, RunId, parent_of
from toolplanner_core.domain.outcome import AnswerVerdict
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.events.event import Actor, Event, all_event_types
from toolplanner_core.runs.events.event import event_from_body as typed_event
from toolplanner_core.runs.export.jsonl import AS_STORED, FORMAT, VERSION
from toolplanner_core.runs.importing.lines import Line
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.sources.documents import MAX_DEPTH
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.blobs import Packed, pack
from toolplanner_core.workspace.run_log import LogRow, PackedRow
from toolplanner_core.workspace.runs import IMPORT_MARK, NewRun

_LARGEST = 2**62
_NO_RUN = RunId(0)
_UNFIT = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError)
"""What the fold makes of fields whose inside is not what their event says."""


class ReadRun(NamedTuple):
    """A run ready to be stored, or why it cannot be; `line` is where it begins or breaks."""

    line: int
    run: NewRun | None
    problem: str = ""


class _BadValue(ValueError):
    """Something in a line is not as it must be."""


@dataclasses.dataclass(slots=True)
class _Open:
    """The run whose lines are being read."""

    line: int
    header: dict[str, Any]
    events: list[PackedRow] = dataclasses.field(default_factory=list[PackedRow])
    tree: RunTree = dataclasses.field(default_factory=RunTree)
    rejected: ReadRun | None = None

    def reject(self, line: int, problem: str) -> None:
        """Give the run up; the first reason stays."""
        self.rejected = self.rejected or ReadRun(line, None, problem)

    def end(self) -> ReadRun:
        """The run, now that its lines are over."""
        expected = self.header["events"]
        if self.rejected is None and len(self.events) != expected:
            self.reject(
                self.line,
                f"the run has {counted(expected, 'event')},"
                f" and the file {len(self.events)} of them",
            )
        return self.rejected or ReadRun(self.line, _stored(self.header, self.events))


def is_header(data: dict[str, Any]) -> bool:
    """Whether a line is the header of one of our runs."""
    return data.get("format") == FORMAT


def read_jsonl(lines: Iterable[Line]) -> Iterator[ReadRun]:
    """The runs of a file, one after the other."""
    current: _Open | None = None
    is_skipping = False
    for line in lines:
        if not line.problem and is_header(line.data):
            if current is not None:
                yield current.end()
            current, is_skipping = None, False
            try:
                current = _Open(line.number, _header(line.data))
            except _BadValue as error:
                is_skipping = True  # the header's reason stands for all lines of its run
                yield ReadRun(line.number, None, str(error))
        elif current is None:
            if is_skipping:
                continue
            yield ReadRun(line.number, None, line.problem or "it belongs to no run")
        elif current.rejected is None:
            try:
                if line.problem:
                    raise _BadValue(line.problem)
                _add_event(current, line.data)
            except _BadValue as error:
                current.reject(line.number, str(error))
    if current is not None:
        yield current.end()


def _header(data: dict[str, Any]) -> dict[str, Any]:
    version = data.get("version")
    if version != VERSION:
        raise _BadValue(f"the format's version is {version!r}, this program reads {VERSION}")
    for name in ("query", "strategy", "model", "provider", "status", "answer"):
        _storable(data.get(name), name)
    for name in ("events", "started_us"):
        _whole(data.get(name), name)
    if data.get("ended_us") is not None:
        _whole(data["ended_us"], "ended_us")
    for name in ("options", "totals"):
        if not isinstance(data.get(name), dict):
            raise _BadValue(f"{name} is no object")
        _check_storable(data[name], name)
    for name, value in _plain_totals(data["totals"]):
        is_unknown_cost = name == "cost" and value is None
        if name in _ENDS:
            if not isinstance(value, _ENDS[name]):
                raise _BadValue(f"totals.{name} is of another kind")
        elif not is_unknown_cost and not isinstance(value, int | float):
            raise _BadValue(f"totals.{name} is no number")
    _check_verdicts(data.get("verdicts", []))
    if data["status"] not in {str(status) for status in Status}:
        raise _BadValue(f"the status {data['status']!r} is unknown")
    return data


def _check_verdicts(verdicts: Any) -> None:
    """What was said of the answer; it stands in no file of an earlier program."""
    if not isinstance(verdicts, list):
        raise _BadValue("verdicts is no list")
    _check_storable(verdicts, "verdicts")
    for each in cast("list[Any]", verdicts):
        try:
            AnswerVerdict.from_json(each)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise _BadValue("verdicts holds what is no verdict") from error


_ENDS: dict[str, type] = {"reason": str, "outcome": str, "checked": dict, "verdicts": list}
"""What says how a run ended, beside the numbers."""


def _plain_totals(totals: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """All totals, those that a strategy counts by names of its own among them."""
    for name, value in totals.items():
        if name == "counts" and isinstance(value, dict):
            yield from cast("dict[str, Any]", value).items()
        else:
            yield name, value


def _stored(header: dict[str, Any], events: list[PackedRow]) -> NewRun:
    options = dict(header["options"])
    options[IMPORT_MARK] = {"format": FORMAT, "run": header.get("run"), "fork": header.get("fork")}
    known: dict[str, Any] = {name: header.get(name) for name in AS_STORED}
    if header.get("verdicts"):  # those that were given after the run stand nowhere else
        known["totals"] = {**known["totals"], "verdicts": header["verdicts"]}
    return NewRun(**known, options=options, app_version=__version__, events=events)


def _add_event(run: _Open, data: dict[str, Any]) -> None:
    seq = _whole(data.get("seq"), "seq")
    if seq != len(run.events) + 1:
        raise _BadValue(f"event {len(run.events) + 1} was expected, not {seq}")
    type_name, path = _storable(data.get("type"), "type"), _storable(data.get("path"), "path")
    parent = None if data.get("parent") is None else _storable(data["parent"], "parent")
    cause = None if data.get("cause") is None else _whole(data["cause"], "cause")
    _check_place(path, parent)
    actor = data.get("actor")
    if not isinstance(actor, str) or actor not in set(Actor):
        raise _BadValue(f"the actor {actor!r} is unknown")
    body = data.get("body")
    if not isinstance(body, dict):
        raise _BadValue("body is no object")
    event = _event(type_name, cast("dict[str, Any]", body))
    record = LogRow(
        _NO_RUN,
        seq,
        _whole(data.get("wall_us"), "wall_us"),
        _whole(data.get("mono_ns"), "mono_ns"),
        type_name,
        NodePath(path),
        None if parent is None else NodePath(parent),
        cause,
        actor,
        event,
    )
    try:
        run.tree.apply([record])
    except _UNFIT as error:
        raise _BadValue(f"the event does not fit into the tree of its run: {error}") from error
    run.events.append(record.holding(_packed(cast("dict[str, Any]", body))))


def _check_place(path: str, parent: str | None) -> None:
    if parent is not None and parent != parent_of(NodePath(path)):
        raise _BadValue(f"the parent of {path!r} cannot be {parent!r}")
    if path.count("/") >= MAX_DEPTH:
        raise _BadValue(f"the tree is more than {MAX_DEPTH} levels deep")


def _packed(body: dict[str, Any]) -> Packed:
    packed = pack(body)
    _storable(packed.text, "body")
    for link in packed.links:
        _storable(link.role, "role")
    return packed


def _event(type_name: str, body: dict[str, Any]) -> Event:
    cls = all_event_types().get(type_name)
    if cls is not None:
        for name, (kind, is_needed) in _hints(cls).items():
            if name not in body and not is_needed:
                continue
            if name not in body:
                raise _BadValue(f"{type_name} has no {name}")
            if not _fits(body[name], kind):
                raise _BadValue(f"{type_name}.{name} has the wrong type")
    return typed_event(type_name, body)


@cache
def _hints(cls: type[Event]) -> dict[str, tuple[Any, bool]]:
    """Type of each field, and whether it must be there: older programs wrote fewer fields."""
    needed = {field.name: field.default is dataclasses.MISSING for field in dataclasses.fields(cls)}
    hints = get_type_hints(cls)
    return {name: (hints[name], is_needed) for name, is_needed in needed.items()}


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if get_origin(kind) is UnionType:
        return any(_fits(value, option) for option in get_args(kind))
    if kind is NoneType:
        return value is None
    if get_origin(kind) is list:
        return isinstance(value, list) and all(
            _fits(item, get_args(kind)[0]) for item in cast("list[Any]", value)
        )
    if kind in (int, float):
        numbers = (int,) if kind is int else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool)
    if kind in (str, bool):
        return isinstance(value, kind)
    return isinstance(value, dict)  # the only other kind of field is a mapping


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST


def _whole(value: Any, name: str) -> int:
    if not _is_whole(value):
        raise _BadValue(f"{name} is no whole number")
    return value


def _storable(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _BadValue(f"{name} is no text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _BadValue(f"{name} holds half a surrogate pair") from None
    return value


def _check_storable(value: Any, name: str) -> None:
    """The JSON of a header's field is stored as text."""
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            mapping = cast("dict[str, Any]", item)
            stack.extend([*mapping.keys(), *mapping.values()])
        elif isinstance(item, list):
            stack.extend(cast("list[Any]", item))
        elif isinstance(item, str):
            _storable(item, name)
