"""Long conversations and long texts: made and shown piece by piece."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from toolplanner_gui.widgets.conversation_view import (
    ConversationView,
    MessageBubble,
    ShownCall,
    ShownConversation,
)
from toolplanner_gui.widgets.truncated_text import TruncatedText


def talk(n: int, n_before: int = 0) -> ShownConversation:
    return ShownConversation(
        "Act", tuple(MessageBubble("user", "User", f"said {i}.") for i in range(n)), n_before
    )


def test_conversation_when_long_then_each_click_shows_more(theme, qtbot) -> None:
    view = ConversationView("Conversation")
    qtbot.addWidget(view)
    view.show_talks([talk(20)])
    assert "said 12." in view.text
    assert "said 11." not in view.text
    assert view.unfold_button.text() == "Show 12 messages before"
    view.unfold_button.click()
    assert view.unfold_button.text() == "Show 4 messages before"
    view.unfold_button.click()
    assert "said 0." in view.text


def test_conversations_when_there_are_many_then_the_last_are_shown_and_others_on_demand(
    theme, qtbot
) -> None:
    view = ConversationView("Conversation")
    qtbot.addWidget(view)
    view.show_talks([talk(1)._replace(title=f"Question {i}") for i in range(8)])
    assert view.text.count("said 0.") == 6
    assert view.unfold_button.text() == "Show 2 questions before"
    view.unfold_button.click()
    assert view.text.count("said 0.") == 8


def test_conversation_when_it_grows_then_what_is_there_stays_as_a_person_has_it(
    theme, qtbot
) -> None:
    """Making all messages anew took 40 ms of the window for each that came."""
    view = ConversationView("Conversation")
    qtbot.addWidget(view)
    view.resize(300, 200)
    view.show()
    said = [MessageBubble("user", "User", f"said {i}. " * 90) for i in range(9)]
    view.show_talks([ShownConversation("Act", tuple(said[:8]))])
    before = view.findChildren(TruncatedText)
    before[3].more_button.click()
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 120)
    view.verticalScrollBar().setValue(120)

    view.show_talks([ShownConversation("Act", tuple(said))])
    assert view.text.count("User") == 8
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert view.findChildren(TruncatedText)[:7] == before[1:]
    assert before[3].more_button.text() == "Show less"
    assert view.verticalScrollBar().value() == 120

    view.show_talks([talk(20)])
    assert view.verticalScrollBar().value() == 0


def test_text_when_long_then_cut_and_opened_in_a_field_that_scrolls(theme, qtbot) -> None:
    for size, is_field in ((2_000, False), (300_000, True)):
        text = TruncatedText("Result", "a word " * (size // 7))
        qtbot.addWidget(text)
        text.show()
        text.more_button.click()
        field = text.findChild(QPlainTextEdit)
        assert (field is not None) is is_field
        assert text.more_button.text() == "Show less"
        text.more_button.click()
        assert text.more_button.text() == "Show all"


def test_copied_message_when_it_has_calls_then_has_their_arguments_and_results() -> None:
    calls = (ShownCall("Meteo · now", '{"q": 1}', "3 degrees"), ShownCall("Sky", "{}", None))
    bubble = MessageBubble("assistant", "Assistant", "I look.", calls)
    assert bubble.plain == 'I look.\n\nMeteo · now\n{"q": 1}\n\n3 degrees\n\nSky\n{}'
