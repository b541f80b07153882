"""The Review menu: answers by single keys, the next question, many at once, a toolkit's questions.

The keys work in the Review layout only.
"""

from collections.abc import Sequence

from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.action import Action, Entry, Menu, Run, Separator, rows, to_panel
from toolplanner_gui.context import AppContext

_ICON = "clipboard-check-outline"
_THIS = "Revie&w this toolkit"
_NO_QUESTION = "Open the review first; there is no question yet"


def _no_question(context: AppContext) -> str:
    return _nothing_listed(context) or ("It is answered" if context.review.answer else "")


def _not_read(context: AppContext) -> str:
    read = "" if context.review.is_read else "Its evidence is still being read"
    return _no_question(context) or read


def _nothing_proposed(context: AppContext) -> str:
    there = "" if context.review.has_proposal else "Nothing is proposed here; reject leaves it so"
    return _not_read(context) or there


def _nothing_listed(context: AppContext) -> str:
    return "" if context.review.current else _NO_QUESTION


def _none_answered(context: AppContext) -> str:
    state = context.review.state
    return "" if state is not None and state.last is not None else "Nothing was answered yet"


def _no_batch(context: AppContext) -> str:
    current = context.review.current
    is_blamed = current is not None and current.kind is CandidateKind.BLAMED
    return (
        "Blamed toolkits have to be looked at one by one" if is_blamed else _nothing_listed(context)
    )


def review_toolkit(context: AppContext, toolkit: ToolkitId) -> None:
    """Show the questions about one toolkit."""
    context.review.choose_toolkit(toolkit)
    context.shell.call_panel(panel_commands.focus_review)


def _review_selected(context: AppContext) -> None:
    toolkit = context.chosen.one_toolkit
    if toolkit is not None:
        review_toolkit(context, toolkit.id)


def _not_one_toolkit(context: AppContext) -> str:
    if context.chosen.one_toolkit is None:
        return "Select a toolkit first, or APIs of one toolkit"
    return ""


SELECTED = Action("review.selected", _THIS, "", _ICON, _review_selected, _not_one_toolkit)


def selected_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """What the review does with the selection."""
    return (Separator(), SELECTED)


def node_review_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """The way from a step of a run to the questions about its toolkit."""
    toolkit = _toolkit_of(context, path)
    if toolkit is None:
        return ()
    return (Action("node.review", _THIS, "", _ICON, lambda c: review_toolkit(c, toolkit)),)


def _toolkit_of(context: AppContext, path: NodePath) -> ToolkitId | None:
    """The living toolkit of the step that a node is or is below of."""
    nodes = context.run_view.nodes
    at: NodePath | None = path
    while at is not None and at in nodes:
        toolkit = nodes[at].data.get("toolkit")
        if isinstance(toolkit, int) and context.catalogue.toolkit(ToolkitId(toolkit)) is not None:
            return ToolkitId(toolkit)
        at = nodes[at].parent
    return None


def _take_back(context: AppContext) -> None:
    context.answers.take_back()


def _go(by: int) -> Run:
    return lambda context: context.review.step(by)


_show, _batch = (
    to_panel(panel_commands.show_reviewed_toolkit),
    to_panel(panel_commands.accept_many_in_review),
)
_ENTRIES = rows(
    "review",
    ("open", "&Open the review", "Ctrl+Shift+W", _ICON, to_panel(panel_commands.focus_review)),
    SELECTED,
    Separator(),
    ("accept", "&Accept", "A@review", "check", lambda c: c.answers.accept(), _nothing_proposed),
    ("reject", "&Reject", "R@review", "close", lambda c: c.answers.reject(), _not_read),
    ("skip", "&Skip", "S@review", "skip-next", lambda c: c.answers.skip(), _no_question),
    ("never", "&Never", "N@review", "cancel", lambda c: c.answers.never(), _not_read),
    ("take_back", "&Take back the last answer", "Z@review", "undo", _take_back, _none_answered),
    Separator(),
    ("next", "Ne&xt question", "J@review", "arrow-down", _go(1), _nothing_listed),
    ("previous", "&Previous question", "K@review", "arrow-up", _go(-1), _nothing_listed),
    ("details", "&Details of its toolkit", "D@review", "information-outline", _show, _no_question),
    ("batch", "Accept &many …", "B@review", "check-all", _batch, _no_batch),
    changes=("accept", "reject", "skip", "never", "take_back"),
)

PLUGIN = Menu("review", "Revie&w", 5, _ENTRIES)
