"""The Review menu: answers by single keys, the next question, many at once, a toolkit's questions.

The keys work in the Review layout only.
"""

from collections.abc import Callable, Sequence

from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_gui.actions.action import Action, Entry, Menu, Separator
from toolplanner_gui.context import AppContext

_HERE = ("review",)


def _no_question(context: AppContext) -> str:
    if context.review.current is None:
        return "Open the review first; there is no question yet"
    return "It is answered" if context.review.answer else ""


def _nothing_to_take_back(context: AppContext) -> str:
    state = context.review.state
    return "" if state is not None and state.last is not None else "Nothing was answered yet"


def _no_batch(context: AppContext) -> str:
    current = context.review.current
    if current is None:
        return "Open the review first; there is no question yet"
    is_blamed = current.kind is CandidateKind.BLAMED
    return "Blamed toolkits have to be looked at one by one" if is_blamed else ""


def _panel(method: str) -> Callable[[AppContext], None]:
    return lambda context: context.shell.call_panel("review", method)


def review_toolkit(context: AppContext, toolkit: ToolkitId) -> None:
    """Show the questions about one toolkit."""
    context.review.choose_toolkit(toolkit)
    context.shell.call_panel("review", "focus_card")


def _review_selected(context: AppContext) -> None:
    toolkit = context.chosen.one_toolkit
    if toolkit is not None:
        review_toolkit(context, toolkit.id)


def _not_one_toolkit(context: AppContext) -> str:
    if context.chosen.one_toolkit is None:
        return "Select a toolkit first, or APIs of one toolkit"
    return ""


SELECTED = Action(
    id="review.selected",
    title="Revie&w this toolkit",
    icon="clipboard-check-outline",
    run=_review_selected,
    refused_when=_not_one_toolkit,
)


def selected_entries(_context: AppContext, _target: object) -> Sequence[Entry]:
    """What the review does with the selection."""
    return (Separator(), SELECTED)


def node_review_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """The way from a step of a run to the questions about its toolkit."""
    toolkit = _toolkit_of(context, path)
    if toolkit is None:
        return ()
    return (
        Action(
            id="node.review",
            title="Revie&w this toolkit",
            icon="clipboard-check-outline",
            run=lambda c: review_toolkit(c, toolkit),
        ),
    )


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


PLUGIN = Menu(
    id="review",
    title="Revie&w",
    order=5,
    entries=(
        Action(
            id="review.open",
            title="&Open the review",
            shortcut="Ctrl+Shift+W",
            icon="clipboard-check-outline",
            run=_panel("focus_card"),
        ),
        SELECTED,
        Separator(),
        Action(
            id="review.accept",
            title="&Accept",
            shortcut="A",
            icon="check",
            run=lambda c: c.answers.accept(),
            refused_when=_no_question,
            layouts=_HERE,
        ),
        Action(
            id="review.reject",
            title="&Reject",
            shortcut="R",
            icon="close",
            run=lambda c: c.answers.reject(),
            refused_when=_no_question,
            layouts=_HERE,
        ),
        Action(
            id="review.skip",
            title="&Skip",
            shortcut="S",
            icon="skip-next",
            run=lambda c: c.answers.skip(),
            refused_when=_no_question,
            layouts=_HERE,
        ),
        Action(
            id="review.never",
            title="&Never",
            shortcut="N",
            icon="cancel",
            run=lambda c: c.answers.never(),
            refused_when=_no_question,
            layouts=_HERE,
        ),
        Action(
            id="review.take_back",
            title="&Take back the last answer",
            shortcut="Z",
            icon="undo",
            run=lambda c: c.answers.take_back(),
            refused_when=_nothing_to_take_back,
            layouts=_HERE,
        ),
        Separator(),
        Action(
            id="review.next",
            title="Ne&xt question",
            shortcut="J",
            icon="arrow-down",
            run=lambda c: c.review.step(1),
            enabled_when=lambda c: c.review.current is not None,
            layouts=_HERE,
        ),
        Action(
            id="review.previous",
            title="&Previous question",
            shortcut="K",
            icon="arrow-up",
            run=lambda c: c.review.step(-1),
            enabled_when=lambda c: c.review.current is not None,
            layouts=_HERE,
        ),
        Action(
            id="review.details",
            title="&Details of its toolkit",
            shortcut="D",
            icon="information-outline",
            run=_panel("show_details"),
            refused_when=_no_question,
            layouts=_HERE,
        ),
        Action(
            id="review.batch",
            title="Accept &many …",
            shortcut="B",
            icon="check-all",
            run=_panel("open_batch"),
            refused_when=_no_batch,
            layouts=_HERE,
        ),
    ),
)
