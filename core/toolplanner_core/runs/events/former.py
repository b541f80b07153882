"""Events of earlier programs, as they would be written today.

Until version 0.2 a fallback, an exhausted toolkit and a replan were events of their own; now each
is a `decided` event at a stop point. Logs are never rewritten: they are read in today's words, so
that old runs are shown, replayed and forked by the same code.
"""

from collections.abc import Callable, Mapping
from typing import Any

Body = Mapping[str, Any]


def upgraded(type_name: str, body: Body) -> tuple[str, Body]:
    """Type and body of today; unchanged where nothing was renamed."""
    upgrade = _UPGRADES.get(type_name)
    return (type_name, body) if upgrade is None else ("decided", upgrade(body))


def _fallback(body: Body) -> Body:
    found: list[Body] = body.get("candidates") or []
    title = body.get("title", "")
    return {
        "point": "before_fallback" if found else "toolkit_exhausted",
        "title": f"Fall back to {title}" if found else "No API of the toolkit is left",
        "alternatives": [
            {
                "id": row.get("api", ""),
                "title": row.get("title", ""),
                "score": row.get("score"),
                "parts": row.get("parts") or {},
            }
            for row in found
        ],
        "chosen": body.get("api"),
        "chosen_title": title,
    }


def _exhausted(body: Body) -> Body:
    name = body.get("toolkit_name", "")
    return {
        "point": "toolkit_exhausted",
        "title": "No API of the toolkit is left",
        "alternatives": [],
        "chosen": None,
        "because": f"no API of {name} could do the step",
        "data": {"toolkit": body.get("toolkit"), "toolkit_name": name},
    }


def _replan(body: Body) -> Body:
    title = f"Make plan {body.get('number')}"
    return {
        "point": "before_replan",
        "title": title,
        "alternatives": [{"id": "replan", "title": title, "score": None, "parts": {}}],
        "chosen": "replan",
        "chosen_title": title,
    }


_UPGRADES: Mapping[str, Callable[[Body], Body]] = {
    "fallback.chosen": _fallback,
    "toolkit.exhausted": _exhausted,
    "replan.decided": _replan,
}
