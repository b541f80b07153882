"""Asks the person at a client about one call: by the protocol's elicitation, where the client says
that it has a form for people.

A client of 2025 is asked in a request of its own while its call waits. One of 2026 gets the
question as the reply of its call, and calls again with the answer; what it sends back then was
sealed by us for exactly that call, and is good once and for ten minutes.

Source: design/gateway.md section 8; the protocol, "Elicitation" and "Multi round-trip requests".
"""

import asyncio
from typing import TYPE_CHECKING, Any

from toolplanner_core.serving.held_calls import LEAVE_S, LONGEST_FORM, HeldCall, Leave

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext

_QUESTION = "leave"
_ALLOW = "allow"
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        _ALLOW: {
            "type": "boolean",
            "title": "Allow this call once",
            "description": "Without a yes nothing is sent.",
            "default": False,
        }
    },
    "required": [_ALLOW],
}


def can_ask(context: "ServerRequestContext[Any, Any]", held: HeldCall) -> bool:
    """Whether the client has a form for people, in which the whole call can be read."""
    declared = context.session.client_capabilities
    forms = None if declared is None else declared.elicitation
    has_form = forms is not None and (forms.form is not None or forms.url is None)
    is_reachable = is_modern(context) or context.session.can_send_request
    return has_form and is_reachable and len(held.shown) <= LONGEST_FORM


def is_modern(context: "ServerRequestContext[Any, Any]") -> bool:
    """Whether the client is of 2026: nothing is asked of it but in replies."""
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS

    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def ask(context: "ServerRequestContext[Any, Any]", held: HeldCall) -> Leave | None:
    """Ask a client of 2025, and wait; None if it could not show the question after all."""
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    asking = context.session.elicit_form(_words(held), _FORM, related_request_id=context.request_id)
    try:
        return _leave(await asyncio.wait_for(asking, LEAVE_S))
    except TimeoutError:
        return Leave.NONE
    except (MCPError, ValidationError):
        return None


def question(held: HeldCall) -> "types.InputRequiredResult":
    """What a client of 2026 is asked, as the reply of its call."""
    import mcp_types as types

    form = types.ElicitRequestFormParams(message=_words(held), requested_schema=_FORM)
    return types.InputRequiredResult(
        input_requests={_QUESTION: types.ElicitRequest(params=form)}, request_state=held.id
    )


def answer(params: "types.CallToolRequestParams") -> Leave | None:
    """What a client of 2026 answers; None if it does not."""
    import mcp_types as types

    said = (params.input_responses or {}).get(_QUESTION)
    return _leave(said) if isinstance(said, types.ElicitResult) else None


def _leave(said: "types.ElicitResult") -> Leave:
    """A yes is a form that was sent with a yes in it, and nothing else."""
    if said.action == "accept" and said.content is not None and said.content.get(_ALLOW) is True:
        return Leave.ALLOW
    return Leave.NONE if said.action == "cancel" else Leave.REFUSE


def _words(held: HeldCall) -> str:
    return f"An agent asks to make this call, once:\n\n{held.shown}"
