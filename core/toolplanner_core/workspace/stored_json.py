"""JSON out of a workspace, which may come from elsewhere: it may be none, or have another form."""

import contextlib
import json
from collections.abc import Generator
from typing import Any

from toolplanner_core.errors import WorkspaceDamaged


def stored_json(text: Any) -> Any:
    """The value of a stored text.

    Raises:
        WorkspaceDamaged: it is no JSON, or nested too deep.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise WorkspaceDamaged(
            "A value in the workspace is no JSON",
            why=str(error)[:200],
            todo="Open a backup",
        ) from error


@contextlib.contextmanager
def of_its_form(what: str) -> Generator[None]:
    """While values are made of what a workspace holds, say it where that has another form.

    Args:
        what: is read, such as "a run".

    Raises:
        WorkspaceDamaged: a list stands where an object should, a field is missing, and the like.
    """
    try:
        yield
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise WorkspaceDamaged(
            f"What the workspace holds of {what} has another form than it should",
            why=f"{type(error).__name__}: {error}"[:200],
            todo="Open a backup",
        ) from error
