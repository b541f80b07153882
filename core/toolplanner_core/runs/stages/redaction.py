"""Black out secrets in what is logged; the provider still gets the real values.

Three layers: names of fields at any depth, exact values of known keys, patterns (the last two in
`secret_texts.py`). Applied by the log to every event before it is hashed, stored or shown, so no
stage can forget it. Source: design/security.md; research/debugging.md D.1, "secrets in traces".
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from toolplanner_core.keys import known_values
from toolplanner_core.runs.events.event import Event, UnknownEvent
from toolplanner_core.runs.stages.secret_texts import BLACKED_OUT, NAMES, SecretTexts, secrets_in

__all__ = ["BLACKED_OUT", "Redactor", "is_secret_name"]

E = TypeVar("E", bound=Event)
_SECRET_NAME = re.compile(rf"^(?:{NAMES})$", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Whether a field of this name holds a secret."""
    return _SECRET_NAME.match(name) is not None


class Redactor:
    """Blacks out the secrets of one run.

    Args:
        known: values besides those of the environment and of keys that were loaded.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._given = (*secrets_in(), *known)
        self._loaded: tuple[str, ...] = ()
        self._made = SecretTexts(self._given)

    @property
    def _texts(self) -> SecretTexts:
        """Knows each key that has been loaded until now, whenever that was."""
        loaded = known_values()
        if loaded is not self._loaded:
            self._loaded, self._made = loaded, SecretTexts((*self._given, *loaded))
        return self._made

    def may_hide(self, json_text: str) -> bool:
        """Whether a value, or an event, may look different without secrets, judged by its JSON
        (written with `ensure_ascii=False`): a no is certain, and takes a tenth of the search."""
        return self._texts.may_be_in(json_text)

    def text(self, text: str) -> str:
        """A text as it may be stored and shown."""
        return self._texts.clean(text)

    def value(self, value: Any) -> Any:
        """A JSON value as it may be stored and shown; the same object when nothing is hidden."""
        if isinstance(value, str):
            return self._texts.clean(value)
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, Any]", value))
        if isinstance(value, list | tuple):
            items = cast("list[Any]", value)
            cleaned = [self.value(item) for item in items]
            changed = any(a is not b for a, b in zip(cleaned, items, strict=True))
            return cleaned if changed else items
        return value

    def _mapping(self, mapping: Mapping[str, Any]) -> Mapping[str, Any]:
        cleaned: dict[str, Any] = {}
        has_changed = False
        for name, item in mapping.items():
            shown = self._texts.clean(name) if isinstance(name, str) else name  # pyright: ignore[reportUnnecessaryIsInstance]
            is_hidden = (
                item not in (None, "", BLACKED_OUT)
                and not isinstance(item, Mapping | bool | int | float)
                and is_secret_name(str(name))
            )
            cleaned[shown] = BLACKED_OUT if is_hidden else self.value(item)
            has_changed = has_changed or shown is not name or cleaned[shown] is not item
        return cleaned if has_changed else mapping

    def event(self, event: E) -> E:
        """The event as it may be stored and shown; the same object when there is nothing to hide.

        `schema` (a question's or an API's) describes fields and is left alone.
        """
        if isinstance(event, UnknownEvent):
            return dataclasses.replace(event, fields=self.value(event.fields))
        changed: dict[str, Any] = {}
        for field in dataclasses.fields(event):
            if field.name == "schema":
                continue
            old = getattr(event, field.name)
            new = self.value(old)
            if new is not old:
                changed[field.name] = new
        return dataclasses.replace(event, **changed) if changed else event


def secrets_of(options: Mapping[str, Any]) -> list[str]:
    """Values of options whose names say that they are secret."""
    return [
        value for name, value in options.items() if isinstance(value, str) and is_secret_name(name)
    ]
