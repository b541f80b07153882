"""Open, make, copy and close workspace files."""

from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs

from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import count, counted
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.file_exports import spawned
from toolplanner_gui.bridge.single_instance import activate_other_window
from toolplanner_gui.bridge.standard_dialogs import choose_files, choose_new_file, confirm
from toolplanner_gui.context import AppContext

MAKING_DEMO = "Making the demo workspace"
_RUN_KEPT = "What the run has done is kept, and it can be forked from there."
_JOB_LOST = "What a job has not written is lost."
_RECORDINGS = "Recorded calls (*.jsonl *.jsonl.gz *.ndjson *.json);;All files (*)"
WORKSPACES = f"ToolPlanner workspaces (*{SUFFIX})"


def demo_path() -> Path:
    """Where this person's copy of the demo workspace is."""
    return platformdirs.user_data_path("toolplanner", appauthor=False) / f"demo{SUFFIX}"


def is_making_demo(context: AppContext) -> bool:
    """Whether the demo workspace is being made, which takes some seconds the first time."""
    return any(job.title == MAKING_DEMO for job in context.jobs.running)


@spawned
async def open_later(context: AppContext, path: Path) -> None:
    """Open a workspace as soon as the window is free."""
    await open_here(context, path)


@spawned
async def open_first(context: AppContext, path: Path) -> None:
    """Open what the program was started with: start-up holds it, so no other window has it."""
    await context.open_workspace(path)


async def open_here(context: AppContext, path: Path) -> None:
    """Open a workspace here, or show the window that has it already."""
    own = context.workspace

    def is_elsewhere() -> bool:
        is_here = own is not None and own.path.resolve() == path.resolve()
        return not is_here and activate_other_window(path)

    if await context.tasks.in_thread(is_elsewhere):
        context.show_message(f"{path.name} is open in another window, which is in front now.")
        return
    if await may_stop(context, "Open the other one"):
        await context.open_workspace(path)


async def may_stop(context: AppContext, yes: str) -> bool:
    """Ask once whether what is under way may be stopped; `yes` is the verb on the button."""
    under_way, is_live = context.running_work, context.is_run_live
    if not under_way:
        return True
    return await confirm(
        context.shell.window_widget,
        f"{under_way[0]}. Stop it?",
        why="\n".join(
            [
                *under_way[1:],
                *[_RUN_KEPT] * is_live,
                *[_JOB_LOST] * (len(under_way) > is_live),
            ]
        ),
        yes=yes,
    )


def open_demo(context: AppContext, path: Path | None = None) -> None:
    """Open the demo workspace; the first time it is made, which takes some seconds."""
    place = path or demo_path()
    if place.is_file():
        open_later(context, place)
        return
    if is_making_demo(context):
        return

    def make(progress: Progress) -> Path:
        from toolplanner_core.runs.demo.demo_workspace import make_demo_workspace

        place.parent.mkdir(parents=True, exist_ok=True)
        make_demo_workspace(place, progress=progress)
        return place

    context.start_job(MAKING_DEMO, make, lambda made: open_later(context, made))


@spawned
async def ask_and_open(context: AppContext) -> None:
    """Ask for a workspace file and open it."""
    parent = context.shell.window_widget
    for path in (await choose_files(parent, "Open a workspace", WORKSPACES))[:1]:
        await open_here(context, path)


@spawned
async def ask_and_create(context: AppContext) -> None:
    """Ask for a name, make an empty workspace there and open it."""
    suggestion = _free_name(platformdirs.user_documents_path())
    parent = context.shell.window_widget
    for path in await choose_new_file(parent, "New workspace", suggestion, WORKSPACES):
        # The dialog asked already whether an existing file may be replaced.
        path.unlink(missing_ok=True)
        await context.new_workspace(path)


def open_dropped(context: AppContext, paths: Sequence[Path]) -> None:
    """Files dropped on the window: a workspace is opened, anything else is offered for import."""
    workspaces = [p for p in paths if p.suffix == SUFFIX]
    if workspaces:
        open_later(context, workspaces[0])
    elif paths:
        import_into_workspace(context, paths)


def import_into_workspace(context: AppContext, paths: Sequence[Path] = ()) -> None:
    """Show the import dialog; without a workspace, importing makes one."""
    context.shell.open(dialog_commands.import_tools, paths=paths)


async def make_workspace(context: AppContext) -> None:
    """Make and open a workspace among the documents of this person, where none is open."""
    place = _free_name(platformdirs.user_documents_path())
    place.parent.mkdir(parents=True, exist_ok=True)
    await context.new_workspace(place)
    context.show_message(f"A new workspace keeps what comes in: {place}")


@spawned
async def close_workspace(context: AppContext) -> None:
    """Close the workspace and show the welcome page."""
    if await may_stop(context, "Close the workspace"):
        await context.close_workspace()


@spawned
async def ask_and_import_calls(context: AppContext) -> None:
    """Ask for files of recorded calls and take them in: the workspace then answers with them."""
    for path in await choose_files(
        context.shell.window_widget, "Import recorded calls", _RECORDINGS
    ):
        import_calls(context, path)


def import_calls(context: AppContext, path: Path) -> None:
    """Take in a file of recorded calls, as a job."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> str:
        from toolplanner_core.sources.recordings import import_recordings

        report = import_recordings(workspace, path, progress=progress)
        added, left_out = counted(report.added, "recorded call"), count(len(report.rejected))
        return f"{added} added, {count(report.unchanged)} known, {left_out} left out: {path.name}"

    context.start_job(f"Importing recorded calls from {path.name}", work, context.show_message)


def _free_name(folder: Path) -> Path:
    number = 1
    while (path := folder / f"tools{'' if number == 1 else f' {number}'}{SUFFIX}").exists():
        number += 1
    return path


@spawned
async def save_copy(context: AppContext) -> None:
    """Ask for a name and write a copy there; the window goes on with this file."""
    await _ask_and_copy(
        context, "Save a copy", lambda place: context.show_message(f"Saved a copy as {place}")
    )


@spawned
async def save_as(context: AppContext) -> None:
    """Ask for a name, write all there and go on with that file: also when this one has gone."""
    await _ask_and_copy(context, "Save as", lambda place: _go_on_in(context, place))


@spawned
async def _go_on_in(context: AppContext, place: Path) -> None:
    """Open the new file as the old one stands: the same look, the same APIs selected. Else the keys
    that a person goes on with mean something else there."""
    before = context.opened
    if before is None:
        return
    before.view.flush()
    context.choices.keep_view(place, context.choices.view_of(before.workspace.path))
    toolkit, rowids, made = before.selection.toolkit, before.selection.apis, before.selection.made
    await open_here(context, place)
    opened = context.opened
    if opened is None or opened is before:
        return

    def select_again() -> None:
        opened.catalogue_changed.disconnect(select_again)
        if toolkit is not None:
            opened.selection.select_toolkit(toolkit)
        elif len(rowids):
            opened.selection.select_apis(rowids, made=made)

    opened.catalogue_changed.connect(select_again)


async def _ask_and_copy(context: AppContext, title: str, then: Callable[[Path], object]) -> None:
    workspace = context.file
    name = f"{workspace.path.stem} copy{SUFFIX}"
    folder = workspace.path.parent
    if not folder.is_dir():
        folder = platformdirs.user_documents_path()
    parent = context.shell.window_widget
    for place in await choose_new_file(parent, title, folder / name, WORKSPACES):

        def work(progress: Progress, place: Path = place) -> Path:
            from toolplanner_core.workspace.copying import save_copy as copy

            # The dialog asked already whether an existing file may be replaced.
            copy(workspace, place, replace=True, report=progress.report)
            return place

        context.start_job(f"Copying to {place.name}", work, then)
