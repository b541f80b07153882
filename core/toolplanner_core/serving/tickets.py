"""Tickets: calls of agents that wait for a person, as one sees and decides them in a terminal.

They are files in a folder of this person beside the settings, which nobody else can read or write:
the gateway writes a ticket, `toolplanner approvals decide` writes the decision beside it. A
decision repeats the hash of the exact request, and counts for nothing else.

Source: design/gateway.md section 8.
"""

import json
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.process_identity import is_alive
from toolplanner_core.serving.private_files import private_folder, private_place, write_private

_ID = re.compile(r"[0-9a-f]{1,64}")
_FOLDER = "gateway-tickets"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A call that waits.

    Attributes:
        workspace: the file, for people; client: whose agent asks.
        shown: the call, as a person reads it.
        digest: of the exact request.
        until_s: when it is given up, in seconds since 1970.
        process: identity of the process that serves it; with its end nobody waits any more.
    """

    id: str
    workspace: str
    client: str
    shown: str
    digest: str
    until_s: float
    process: str


def tickets_folder() -> Path:
    """The folder, made where there is none.

    Raises:
        BadInput: others may look into it or write there: nothing can be decided by it.
    """
    return private_folder(_FOLDER)


def write_ticket(ticket: Ticket) -> None:
    """Let a person see a call that waits.

    Raises:
        BadInput: as `tickets_folder`.
    """
    write_private(tickets_folder() / f"{ticket.id}.json", asdict(ticket))


def waiting_tickets() -> list[Ticket]:
    """The tickets whose time is not over and whose gateway lives, the oldest first; others are
    forgotten.

    Raises:
        BadInput: as `tickets_folder`.
    """
    found: list[Ticket] = []
    if not _place().exists():  # nobody was ever asked on this machine
        return found
    for path in tickets_folder().glob("*.json"):
        try:
            ticket = Ticket(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            continue  # gone this moment, or nothing that the gateway wrote
        if ticket.id != path.stem or not _ID.fullmatch(ticket.id):
            continue
        if ticket.until_s <= time.time() or not is_alive(ticket.process):
            remove_ticket(ticket)
        else:
            found.append(ticket)
    return sorted(found, key=lambda each: each.until_s)


def waiting_ticket(name: str) -> Ticket:
    """The ticket with this id, or with an id that begins so.

    Raises:
        NotFound: there is none, or there are several.
        BadInput: as `tickets_folder`.
    """
    found = [each for each in waiting_tickets() if each.id.startswith(name)]
    if len(found) != 1:
        raise NotFound(
            f"No call waits under {name!r}" if not found else f"Several begin with {name!r}",
            todo="See those that wait",
        )
    return found[0]


def decide_ticket(ticket: Ticket, *, allows: bool) -> None:
    """Say yes or no to exactly this call.

    Raises:
        BadInput: as `tickets_folder`.
    """
    said = {"digest": ticket.digest, "allows": allows}
    write_private(tickets_folder() / f"{ticket.id}.decided", said)


def decision_of(ticket: Ticket) -> bool | None:
    """Yes, no, or nothing yet; a decision about another request is none.

    Raises:
        BadInput: as `tickets_folder`.
    """
    try:
        said = json.loads((tickets_folder() / f"{ticket.id}.decided").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_mine = isinstance(said, dict) and said.get("digest") == ticket.digest
    allows: Any = said.get("allows") if is_mine else None
    return allows if isinstance(allows, bool) else None


def remove_ticket(ticket: Ticket) -> None:
    """It does not wait any more."""
    folder = _place()
    for ending in ("json", "decided"):
        (folder / f"{ticket.id}.{ending}").unlink(missing_ok=True)


def _place() -> Path:
    return private_place(_FOLDER)
