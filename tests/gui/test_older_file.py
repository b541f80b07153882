"""A file of an older format is copied before it is changed, and the person is told where."""

import shutil
from pathlib import Path

from toolplanner_gui.context import AppContext

OLDER = sorted((Path(__file__).parents[1] / "fixtures" / "workspaces").glob("*.toolplanner"))


def test_older_workspace_when_opened_then_the_copy_is_named_and_may_be_deleted(
    context: AppContext, tmp_path: Path, qtbot
) -> None:
    path = tmp_path / "mine.toolplanner"
    shutil.copy(OLDER[0], path)
    told: list[str] = []
    context.message_shown.connect(told.append)

    context.tasks.spawn(context.open_workspace(path), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None and context.tasks.is_idle)

    (copy,) = tmp_path.glob("mine.before-format-*.toolplanner")
    assert any(copy.name in text and "you may delete it" in text for text in told)
