"""One bad part never loses the whole: a part that cannot be made is left plain, and reported.

The report is what a person can send: places in the code and classes of errors, never data.
"""

import hashlib
import logging
import platform
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.process import parent_process
from pathlib import Path
from typing import TypeVar

import platformdirs

from toolplanner_core.errors import PartsFailed, ToolPlannerError
from toolplanner_core.resources import build_info

_FRAME = re.compile(r'\s*File "(.+)", line (\d+), in (.+)')
"""A line of a traceback as Python writes it; workers send theirs as text."""
_ROOTS = ("toolplanner_core", "toolplanner_gui", "site-packages")


def build_fault_report(error: BaseException, *, beside: str = "") -> str:
    """The program, the system, the classes of the errors and where they came from.

    Args:
        beside: versions of further parts, such as "Qt 6.11.1".
    """
    system = [platform.platform(), f"Python {platform.python_version()}", beside]
    lines = [f"ToolPlanner {build_info()}", ", ".join(filter(None, system))]
    seen: BaseException | None = error
    while seen is not None:
        lines.append(f"{type(seen).__module__}.{type(seen).__qualname__}".removeprefix("builtins."))
        lines += [f"  {place}" for place in _places(seen)]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(lines)


def error_location(error: BaseException) -> str:
    """The last place of ours that an error came through, "naming/joining.py:34"; "" if none."""
    own = [place for place in _places(error) if not place.startswith("site-packages")]
    return own[-1].partition(" ")[0] if own else ""


def save_fault_report(text: str) -> Path | None:
    """Write a report into the folder of logs; None where that cannot be.

    The same report gets the same file, so that a fault that comes back a hundred times is one.
    """
    name = f"fault-{hashlib.sha256(text.encode()).hexdigest()[:10]}.txt"
    file = platformdirs.user_log_path("toolplanner", appauthor=False) / name
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")
    except OSError:
        return None
    return file


def send_hint(file: Path | None) -> str:
    """What a person can do about a fault, as a sentence."""
    if file is None:
        return "Please tell those who make ToolPlanner; no report could be written."
    return (
        f"Please send {file} to those who make ToolPlanner: it names places in the code and nothing"
        " of yours."
    )


def _places(error: BaseException) -> Iterator[str]:
    """Where an error came through, the innermost last; in a worker process, too."""
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"{_place(frame.filename)}:{frame.lineno} {frame.name}"
    for note in getattr(error, "__notes__", ()):
        for found in map(_FRAME.match, note.splitlines()):
            if found:
                yield f"{_place(found[1])}:{found[2]} {found[3]}"


def _place(file: str) -> str:
    """A file of code without the folders that are this machine's."""
    parts = Path(file).parts
    begin = next((i for i, part in enumerate(parts) if part in _ROOTS), len(parts) - 1)
    return "/".join(parts[begin:])


_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartKind:
    """A kind of parts, in words.

    Attributes:
        one: "name of a toolkit".
        many: the same of several.
        instead: what stands in their place: "they begin with “Unnamed”".
    """

    one: str
    many: str
    instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFailure:
    """A part that could not be made.

    Attributes:
        part: which one, as it is called now.
        times: for how many parts of its kind it stands.
        report: places in the code, to be sent.
    """

    kind: PartKind
    part: str
    times: int
    report: str


class Isolation:
    """Makes parts one by one and remembers those that failed. One thread at a time."""

    def __init__(self) -> None:
        self._failures: list[PartFailure] = []
        self._reports: dict[str, str] = {}

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """In the order in which they failed."""
        return tuple(self._failures)

    def make(
        self,
        kind: PartKind,
        make: Callable[[], T],
        plain: Callable[[], T],
        *,
        part: str = "",
        times: int = 1,
    ) -> T:
        """What `make` gives; where it fails by a fault of the program, what `plain` gives.

        Args:
            part: which one it is.
            times: how many parts are lost with it.

        Raises:
            ToolPlannerError: as `make` raises it: a cancel, a full disk and what a person can
                mend concern the whole. So do an interrupt and too little memory.
        """
        try:
            return make()
        except (ToolPlannerError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a rule has not foreseen
            # On a worker's terminal Python itself would print a warning with its traceback.
            level = logging.WARNING if parent_process() is None else logging.INFO
            _log.log(level, "No %s could be made: %s", kind.one, part, exc_info=True)
            report = build_fault_report(error)
            # Thousands of equal reports travel back from a worker as one.
            report = self._reports.setdefault(report, report)
            self._failures.append(PartFailure(kind=kind, part=part, times=times, report=report))
        return plain()

    def add(self, failures: Iterable[PartFailure]) -> None:
        """Remember what failed elsewhere, such as in a worker."""
        self._failures.extend(failures)


def problem_of(failures: Sequence[PartFailure]) -> PartsFailed | None:
    """What a person is told, with the file to send, which is written now; None without failures."""
    if not failures:
        return None
    times: Counter[PartKind] = Counter()
    for each in failures:
        times[each.kind] += each.times
    parts = [
        f"{n:,} {kind.one if n == 1 else kind.many} ({kind.instead})" for kind, n in times.items()
    ]
    file = save_fault_report("\n\n".join(dict.fromkeys(each.report for each in failures)))
    return PartsFailed(
        f"Not made, because of a fault in the program: {'; '.join(parts)}",
        why="All else is done",
        todo=send_hint(file),
    )
