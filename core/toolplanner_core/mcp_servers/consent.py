"""Which servers and packages this person has allowed to be started or reached, on this machine.

A consent is for exactly one command with its arguments and variables, or one URL with its headers
(`ServerSpec.id`), and stands beside the person's settings, never in a workspace: a file from
somebody else starts nothing and reaches nobody. Asked
for by the import and by `toolplanner mcp allow`.

Source: design/security.md, "MCP servers".
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from toolplanner_core.errors import UserError
from toolplanner_core.settings import settings_path


class Startable(Protocol):
    """What needs a consent: a server, or a package whose code would run."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def id(self) -> str:
        """The same for exactly the same."""
        ...

    @property
    def in_words(self) -> str:
        """What is consented to, exactly."""
        ...

    @property
    def question(self) -> str:
        """What a person is asked, its name follows."""
        ...


class StartNotAllowed(UserError):
    """Servers would have to be started or reached that nobody has allowed yet.

    Attributes:
        specs: they, for whoever can ask.
    """

    def __init__(self, *specs: Startable) -> None:
        self.specs = specs
        super().__init__(
            "Nobody has allowed these to be started or reached yet: "
            + "; ".join(f"{spec.name}: {spec.in_words}" for spec in specs),
            why="A program can do here all that you can do",
            todo="Look at them, then allow them when you import",
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (StartNotAllowed, self.specs)


def consents_path() -> Path:
    """The file."""
    return settings_path().with_name("mcp_servers.json")


def consents() -> dict[str, str]:
    """What was allowed: command lines by the ids of their servers; nothing if it cannot be read."""
    return _read()["allowed"]


def consent_days() -> dict[str, str]:
    """On which day, ISO, each was allowed, by id; older ones have none."""
    return _read()["given"]


def is_allowed(spec: Startable) -> bool:
    """Whether a person has allowed exactly this."""
    return spec.id in consents()


def allow(spec: Startable) -> None:
    """Remember that a person has seen and allowed this command.

    Raises:
        OSError: the file cannot be written.
    """
    kept = _read()
    kept["allowed"][spec.id] = spec.in_words
    kept["given"][spec.id] = datetime.now(UTC).date().isoformat()
    _write(kept)


def revoke(consent_id: str) -> bool:
    """Take a consent back; False if there was none."""
    kept = _read()
    kept["given"].pop(consent_id, None)
    if kept["allowed"].pop(consent_id, None) is None:
        return False
    _write(kept)
    return True


def _read() -> dict[str, dict[str, str]]:
    try:
        data = json.loads(consents_path().read_text(encoding="utf-8"))
        return {
            part: {str(key): str(value) for key, value in data.get(part, {}).items()}
            for part in ("allowed", "given")
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {"allowed": {}, "given": {}}


def _write(kept: dict[str, dict[str, str]]) -> None:
    path = consents_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    beside.replace(path)
