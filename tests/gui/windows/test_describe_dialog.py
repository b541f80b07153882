"""Describe by a model in the window: estimate, job, proposals with a word diff, vectors, undo."""

import pytest
from fixtures.describing import told
from fixtures.scripted_endpoint import Answers, Status, scripted_endpoint

from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import count_without_vector
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.diff_view import diff_as_html
from toolplanner_gui.windows.describe_dialog import DescribeDialog
from toolplanner_gui.windows.proposals_dialog import ProposalsDialog


@pytest.fixture(autouse=True)
def own_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_MODEL", "scripted")


def dialog_of(context: AppContext, qtbot) -> DescribeDialog:
    """The dialog about the APIs of one toolkit that a rule described."""
    workspace = context.workspace
    assert workspace is not None
    workspace.writer.run(
        lambda db: db.execute("UPDATE toolkits SET name_author = 'rule', pinned = 0"), durable=True
    )
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    dialog = DescribeDialog(context, context.shell.window_widget)
    dialog.show()
    dialog.what.setCurrentIndex(1)
    qtbot.waitUntil(dialog.start_button.isEnabled)
    return dialog


def idle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: not context.jobs.running and context.curation.is_idle)


def test_apis_when_described_in_the_window_then_accepted_embedded_and_undone(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    with scripted_endpoint(Answers(told)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        dialog = dialog_of(opened, qtbot)
        n = opened.catalogue.toolkits[0].size
        assert dialog.which.currentText().startswith("The selection")
        assert f"{n} texts by 1 question" in dialog.takes.text()
        assert not endpoint.requests
        dialog.start_button.click()
        idle(opened, qtbot)
    proposals = ProposalsDialog(opened, opened.shell.window_widget)
    proposals.show()
    qtbot.waitUntil(lambda: proposals.model.rowCount() == n)
    proposals.view.setCurrentIndex(proposals.model.index(0, 0))
    assert "<b><u>Gives" in proposals.diff.text() and proposals.diff.isVisible()
    assert "”: Gives" in proposals.model.index(0, 1).data()  # the list has no room for marks
    text = proposals.part.description
    assert text.isVisible() and not proposals.part.tabs.isVisible()
    text.begin()
    text.field.selectAll()
    qtbot.keyClicks(text.field, "What I say of it")
    text.keep()
    qtbot.waitUntil(lambda: text.text() == "What I say of it" and opened.tasks.is_idle)
    assert "What I say of it" in proposals.diff.text().replace("</u></b> <b><u>", " ")
    proposals.accept_button.click()
    qtbot.waitUntil(lambda: proposals.model.rowCount() == n - 1)
    written = "SELECT functionality_author FROM apis WHERE functionality = 'What I say of it'"
    assert workspace.one_row(written) == ("person",)
    embedder = get_setting(workspace, "active_embedder")
    qtbot.waitUntil(lambda: count_without_vector(workspace, embedder) == 0)
    idle(opened, qtbot)
    proposals.view.setCurrentIndex(proposals.model.index(0, 0))
    qtbot.waitUntil(proposals.toolkit_button.isEnabled)
    proposals.toolkit_button.click()
    qtbot.waitUntil(lambda: proposals.model.rowCount() == 0)
    qtbot.waitUntil(lambda: count_without_vector(workspace, embedder) == 0)
    idle(opened, qtbot)
    authors = "SELECT count(*) FROM apis WHERE functionality_author = 'model'"
    assert workspace.one_row(authors)[0] == n - 1
    opened.curation.undo()
    qtbot.waitUntil(lambda: proposals.model.rowCount() == n - 1)
    assert workspace.one_row(authors)[0] == 0
    proposals.close()


def test_failures_when_the_model_answered_nothing_usable_then_listed_with_the_reason(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(Answers(lambda _: Status(400, "too odd for me"))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        words: list[str] = []
        opened.message_shown.connect(words.append)
        dialog_of(opened, qtbot).start_button.click()
        idle(opened, qtbot)
    # What is told names the reason, too, not only how many.
    (said,) = [text for text in words if "failed" in text]
    assert "too odd for me" in said and "first " in said
    again = dialog_of(opened, qtbot)
    n = opened.catalogue.toolkits[0].size
    assert again.failed.isVisible() and again.failed_model.rowCount() == n
    assert "too odd for me" in again.failed_model.index(0, 1).data()
    again.reject()


def test_dialog_when_no_model_is_named_then_says_so_and_asks_nothing(
    opened: AppContext, qtbot
) -> None:
    dialog = dialog_of(opened, qtbot)
    assert not dialog.preferences_button.isVisible()
    dialog.model.setText("offline")
    assert dialog.preferences_button.isVisible()
    assert not dialog.start_button.isEnabled()
    assert "Name a language model" in dialog.takes.text()
    dialog.reject()


def test_diff_when_it_holds_markup_of_strangers_then_it_stays_text() -> None:
    assert diff_as_html("[-<b>-] {+new+}") == "<s>&lt;b&gt;</s> <b><u>new</u></b>"
