"""What menus share that ask for files: forms of files, work that they spawn, writing as a job."""

from collections.abc import Callable, Coroutine, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec

import platformdirs

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import file_size
from toolplanner_gui.bridge.standard_dialogs import choose_new_file
from toolplanner_gui.context import AppContext

P = ParamSpec("P")


class FileForm(NamedTuple):
    """A form in which something is exported: its id in the core, what menu and dialog say."""

    id: str
    title: str
    suffix: str
    filters: str


def spawned(
    work: Callable[Concatenate[AppContext, P], Coroutine[Any, Any, None]],
) -> Callable[Concatenate[AppContext, P], None]:
    """A menu entry that asks before it works: it goes on by itself, as long as the window."""

    @wraps(work)
    def start(context: AppContext, *args: P.args, **kwargs: P.kwargs) -> None:
        context.tasks.spawn(work(context, *args, **kwargs), owner=context)

    return start


async def ask_where(context: AppContext, form: FileForm, name: str) -> list[Path]:
    """Ask for a file to export to, `name` among a person's documents being offered."""
    place = platformdirs.user_documents_path() / f"{name}{form.suffix}"
    return await choose_new_file(context.shell.window_widget, "Export", place, form.filters)


def write_later(
    context: AppContext,
    parts: Callable[[], Iterable[str]],
    place: Path,
    *,
    what: str,
    note: Callable[[], str] = str,
) -> None:
    """Write a file as a job.

    Args:
        what: for people, what is in it.
        note: finds off the GUI thread what else to tell of it when it is written.
    """

    def work(progress: Progress) -> tuple[int, str]:
        from toolplanner_core.workspace.export_file import write_file

        progress.report(f"Exporting {what}", 0, None)
        return write_file(parts(), place), note()

    def tell(written: tuple[int, str]) -> None:
        size, said = written
        context.show_message(f"Wrote {place}, {file_size(size)}{f'. {said}' if said else ''}")

    context.start_job(f"Exporting to {place.name}", work, tell)
