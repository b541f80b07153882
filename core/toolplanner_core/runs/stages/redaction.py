"""Black out secrets in what is logged; the provider still gets the real values.

By field name, in arguments and headers, at any depth. (Exact values of loaded keys and patterns
are further layers of the same function.) Applied by the log to every event, so no stage can forget
it. Source: design/security.md; research/debugging.md D.1, "secrets in traces".
"""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.fork import PersonDecided

BLACKED_OUT = "•••"

_SECRET_NAME = re.compile(
    r"^(proxy[-_]?)?authori[sz]ation$|^(x[-_])?(api|app|access|auth|rapidapi|subscription|secret)"
    r"[-_]?(key|token|secret)$|^x[-_]rapidapi[-_]key$|^(client[-_]?)?secret$|^(set[-_]?)?cookie$"
    r"|^pass(word|wd|phrase)$|^(bearer|refresh|session|id)?[-_]?token$|^credentials?$"
    r"|^private[-_]?key$|^ocp-apim-subscription-key$",
    re.IGNORECASE,
)


def redact(event: Event) -> Event:
    """The event as it may be stored and shown; the same object when there is nothing to hide."""
    if isinstance(event, CallSent | CallRefused):
        arguments = redact_value(event.arguments)
        if arguments is not event.arguments:
            return dataclasses.replace(event, arguments=arguments)
    elif isinstance(event, PersonDecided):
        before, after = redact_value(event.before), redact_value(event.after)
        if before is not event.before or after is not event.after:
            return dataclasses.replace(event, before=before, after=after)
    elif isinstance(event, CallReturned | CallFailed):
        headers = redact_value(event.headers)
        if headers is not event.headers:
            return dataclasses.replace(event, headers=headers)
    return event


def redact_value(value: Any) -> Any:
    """A JSON value with secret fields blacked out; the same object when there are none."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        out = {
            name: BLACKED_OUT
            if item is not None and _SECRET_NAME.match(str(name))
            else redact_value(item)
            for name, item in mapping.items()
        }
        return out if any(out[name] is not mapping[name] for name in mapping) else mapping
    if isinstance(value, list):
        items = cast("list[Any]", value)
        out_items = [redact_value(item) for item in items]
        changed = any(a is not b for a, b in zip(out_items, items, strict=True))
        return out_items if changed else items
    return value
