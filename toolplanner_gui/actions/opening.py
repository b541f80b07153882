"""Open, make and drop workspaces: the flows behind the File menu, the welcome page and dropping."""

from collections.abc import Sequence
from pathlib import Path

import platformdirs
from PySide6.QtWidgets import QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace.workspace import SUFFIX
from toolplanner_gui.bridge.questions import choose_files, choose_new_file
from toolplanner_gui.context import AppContext

MAKING_DEMO = "Making the demo workspace"
_FILTER = f"ToolPlanner workspaces (*{SUFFIX})"


def demo_path() -> Path:
    """Where this person's copy of the demo workspace is."""
    return platformdirs.user_data_path("toolplanner", appauthor=False) / f"demo{SUFFIX}"


def is_making_demo(context: AppContext) -> bool:
    """Whether the demo workspace is being made, which takes some seconds the first time."""
    return any(job.title == MAKING_DEMO for job in context.jobs.running)


def open_later(context: AppContext, path: Path) -> None:
    """Open a workspace as soon as the window is free."""
    context.tasks.spawn(context.open_workspace(path), owner=context)


def open_demo(context: AppContext, path: Path | None = None) -> None:
    """Open the demo workspace; the first time it is made, which takes some seconds."""
    place = path or demo_path()
    if place.is_file():
        open_later(context, place)
        return
    if is_making_demo(context):
        return

    def make(progress: Progress) -> Path:
        from toolplanner_core.providers.demo.workspace import make_demo_workspace

        place.parent.mkdir(parents=True, exist_ok=True)
        make_demo_workspace(place, progress=progress)
        return place

    job = context.jobs.start(MAKING_DEMO, make)
    job.succeeded.connect(lambda made: open_later(context, made))
    job.failed.connect(lambda error: context.job_failed(job, error))


def ask_and_open(context: AppContext) -> None:
    """Ask for a workspace file and open it."""

    async def flow() -> None:
        for path in await choose_files(_parent(context), "Open a workspace", filters=_FILTER):
            await context.open_workspace(path)
            break

    context.tasks.spawn(flow(), owner=context)


def ask_and_create(context: AppContext) -> None:
    """Ask for a name, make an empty workspace there and open it."""

    async def flow() -> None:
        documents = platformdirs.user_documents_path()
        chosen = await choose_new_file(
            _parent(context),
            "New workspace",
            suffix=SUFFIX,
            suggestion=documents / f"tools{SUFFIX}",
            filters=_FILTER,
        )
        for path in chosen:
            # The dialog asked already whether an existing file may be replaced.
            path.unlink(missing_ok=True)
            await context.new_workspace(path)

    context.tasks.spawn(flow(), owner=context)


def open_dropped(context: AppContext, paths: Sequence[Path]) -> None:
    """Files dropped on the window: a workspace is opened, anything else is offered for import."""
    workspaces = [p for p in paths if p.suffix == SUFFIX]
    if workspaces:
        open_later(context, workspaces[0])
    elif paths:
        import_into_workspace(context, paths)


def import_into_workspace(context: AppContext, paths: Sequence[Path] = ()) -> None:
    """Show the import dialog; without a workspace one is made first."""
    if context.workspace is not None:
        context.shell.open("import", paths=paths)
        return

    async def flow() -> None:
        place = _free_name(platformdirs.user_documents_path())
        place.parent.mkdir(parents=True, exist_ok=True)
        await context.new_workspace(place)
        if context.workspace is not None:
            context.shell.open("import", paths=paths)

    context.tasks.spawn(flow(), owner=context)


def close_workspace(context: AppContext) -> None:
    """Close the workspace and show the welcome page."""
    context.tasks.spawn(context.close_workspace(), owner=context)


def _free_name(folder: Path) -> Path:
    number = 1
    while (path := folder / f"tools{'' if number == 1 else f' {number}'}{SUFFIX}").exists():
        number += 1
    return path


def _parent(context: AppContext) -> QWidget:
    return context.shell.window_widget
