"""The form of a breakpoint: where to stop, under which condition."""

from collections.abc import Iterable

from PySide6.QtWidgets import QLineEdit, QWidget

from toolplanner_core.domain.api import Risk
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import (
    AS_TEXT,
    never_known,
    parse_breakpoint,
    write_breakpoint,
)
from toolplanner_core.runs.telling.debug_words import failure_words_of_breakpoints, say_breakpoint
from toolplanner_core.strategies.declared import stop_points
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.rule_dialog import RuleDialog

_FIELDS = (
    "Fields: error, message, toolkit, api, tool, risk, arguments.NAME, value.NAME, data.NAME,"
    " question, title, kind, point, path.\n"
    "Words: and, or, not, in, == != < <= > >=, ( ), [ ], true, false, null."
)


class BreakpointDialog(RuleDialog):
    """Writes a breakpoint."""

    def __init__(self, context: AppContext, parent: QWidget, text: str = "") -> None:
        rules = context.debug.breakpoints
        super().__init__(context, parent, text, noun="breakpoint", rules=rules, say=_say)
        parts = dict(parse_breakpoint(text).parts) if text else {"at": "before_call"}
        event = next((f"{name}={parts[name]}" for name in ("failure", "at") if name in parts), "")
        kinds = _any_of(point.kind for point in stop_points().values())

        def line(title: str, name: str, part: str, placeholder: str) -> QLineEdit:
            return self.line(title, name, parts.get(part, ""), placeholder=placeholder)

        self.event_choice = self.choice("Stop when", "When it stops", _events(), event)
        self.api = line("API", "API", "api", "Any; * stands for anything, as in Weather*")
        self.toolkit = line("Toolkit", "Toolkit", "toolkit", "Any")
        self.complete_names(self.api, "api")
        self.complete_names(self.toolkit, "toolkit")
        self.kind = self.choice("Kind of node", "Kind of node", kinds, parts.get("kind", ""))
        self.risk = self.choice("Risk", "Risk", _any_of(Risk), parts.get("risk", ""))
        self.argument = line(
            "With the argument", "Argument", "arg", "Any; a path such as location.city"
        )
        self.condition = line("Only if", "Condition", "if", 'None; such as error == "timeout"')
        self.condition.setToolTip(_FIELDS)
        hits = int(parts.get("hits", "1"))
        self.hits = self.number("From hit number", "From which hit on", hits, 1_000_000, least=1)
        self.log = line(
            "Say, do not stop",
            "Say instead of stopping",
            "log",
            "Stops; a text such as {title}: {error}",
        )
        self.check()

    @property
    def text(self) -> str:
        name, _, value = str(self.event_choice.currentData()).partition("=")
        hits = self.hits.value()
        return write_breakpoint(
            {
                "api": self.api.text().strip(),
                "toolkit": self.toolkit.text().strip(),
                "kind": str(self.kind.currentData()),
                "risk": str(self.risk.currentData()),
                "arg": self.argument.text().strip(),
                **({name: value} if value else {}),
                "if": self.condition.text().strip(),
                "hits": f"{hits:.0f}" if hits > 1 else "",
                "log": self.log.text().strip(),
            }
        )

    def words_for(self, error: BadInput) -> str:
        return f"{error.what}." if error.todo == AS_TEXT else error.short


def _say(text: str) -> str:
    item = parse_breakpoint(text)
    said, empty = say_breakpoint(item), never_known(item.parts)
    if not empty:
        return said
    verb = "is" if len(empty) == 1 else "are"
    return f"{said}. Note: {' and '.join(empty)} {verb} not known yet at this place"


def _any_of(values: Iterable[str]) -> dict[str, str]:
    return {"": "Any"} | {str(value): str(value).capitalize() for value in values}


def _events() -> dict[str, str]:
    """What a breakpoint may be about: every declared stop point, and the failures."""
    found = {f"at={p.id}": p.event for p in stop_points().values() if not p.failure}
    failures = failure_words_of_breakpoints()
    found |= {f"failure={name}": words for name, words in failures.items()}
    return {key: f"{words[:1].upper()}{words[1:]}" for key, words in found.items()} | {
        "": "Any of these, except failures"
    }


PLUGIN = DialogPlugin(id="breakpoint", make=BreakpointDialog)
