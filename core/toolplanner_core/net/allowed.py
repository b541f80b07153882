"""Origins that a person allowed although they are not of the open internet.

They belong to the person, not to a workspace: a workspace of somebody else must open no doors.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.settings import settings_path
from toolplanner_core.words.places import SERVERS


def allowed_origins() -> frozenset[Origin]:
    """All of them; a file that cannot be read allows nothing."""
    try:
        texts: Any = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return frozenset()
    found: set[Origin] = set()
    for text in texts if isinstance(texts, list) else ():
        with suppress(BadInput):
            found.add(Origin.of(str(text)))
    return frozenset(found)


def allow_origin(origin: Origin) -> None:
    """Let an origin be called wherever it is."""
    _write(allowed_origins() | {origin})


def forbid_origin(origin: Origin) -> None:
    """Take that back.

    Raises:
        NotFound: it was not allowed.
    """
    allowed = allowed_origins()
    if origin not in allowed:
        raise NotFound(f"{origin} was not allowed", todo=f"See what is: {SERVERS}")
    _write(allowed - {origin})


def _write(origins: Iterable[Origin]) -> None:
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(sorted(map(str, origins)), indent=1), encoding="utf-8")


def _file() -> Path:
    return settings_path().with_name("allowed_origins.json")
