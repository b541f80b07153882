"""JSON out of a workspace, which may come from elsewhere: none of it may be JSON at all."""

import json
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
