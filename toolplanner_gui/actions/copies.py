"""Save a copy of the open workspace; save it under another name and go on there."""

from collections.abc import Callable
from pathlib import Path

import platformdirs

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace.workspace import SUFFIX
from toolplanner_gui.actions.files import flow
from toolplanner_gui.actions.opening import WORKSPACES, open_here
from toolplanner_gui.bridge.questions import choose_new_file
from toolplanner_gui.context import AppContext


@flow
async def save_copy(context: AppContext) -> None:
    """Ask for a name and write a copy there; the window goes on with this file."""
    await _ask_and_copy(
        context, "Save a copy", lambda place: context.tell(f"Saved a copy as {place}")
    )


@flow
async def save_as(context: AppContext) -> None:
    """Ask for a name, write all there and go on with that file: also when this one has gone."""
    await _ask_and_copy(context, "Save as", lambda place: _go_on_in(context, place))


@flow
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
