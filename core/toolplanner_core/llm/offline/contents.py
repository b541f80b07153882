"""What a result holds: whether anything, what is inside its envelopes, its words. Called by
`usefulness.py` and `answer.py`."""

from typing import Any, cast

from toolplanner_core.words.tables import ordered_words, pattern, words


def is_empty(value: Any) -> bool:
    """Whether a result plainly holds nothing: empty, only flags, or a known field that says so."""
    if value is None or value in ("", [], {}):
        return True
    if isinstance(value, str):
        says_nothing = len(value) < 120 and pattern("nothing").search(value)
        return not value.strip() or bool(says_nothing)
    if isinstance(value, list):
        return all(is_empty(item) for item in cast(list[Any], value)[:50])
    if not isinstance(value, dict):
        return False
    fields = {str(key).lower(): inner for key, inner in cast(dict[str, Any], value).items()}
    said = {key: fields[key] for key in words("said_fields") if isinstance(fields.get(key), str)}
    content = [
        inner
        for key, inner in fields.items()
        if key not in words("noise_keys")
        and (key not in words("count_fields") or inner is False or inner != 0)
    ]
    has_failed = fields.get("success") is False or fields.get("ok") is False
    if has_failed or any(pattern("nothing").search(text) for text in said.values()):
        return all(is_empty(inner) or not isinstance(inner, dict | list) for inner in content)
    if not content and not words("count_fields") & fields.keys():
        # Only flags: unless a message is all that the API ever says ("status": "delivered").
        flags = [text for key, text in said.items() if key in ("status", "message")]
        return not any(len(t) > 3 and t.lower() not in ("success", "done") for t in flags)
    return all(is_empty(inner) for inner in content)


def is_number(value: Any) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def unwrap(value: Any) -> Any:
    """The content inside envelopes: a single key such as "data" beside flags only."""
    for _ in range(6):
        if not isinstance(value, dict):
            return value
        content = {
            str(key).lower(): inner
            for key, inner in cast(dict[str, Any], value).items()
            if str(key).lower() not in words("noise_keys") and not is_empty(inner)
        }
        boxes = {key: inner for key, inner in content.items() if isinstance(inner, dict | list)}
        inside = [inner for key, inner in boxes.items() if key in words("envelopes")]
        if len(content) == len(boxes) == 1:
            value = next(iter(boxes.values()))
        elif len(inside) == 1 and len(content) <= 3:
            value = inside[0]
        else:
            return value
    return value


def title_key(fields: dict[str, Any]) -> str | None:
    """The field of an element that names it, None if none does."""
    lowered = {str(key).lower(): key for key in fields}
    named = (lowered[wanted] for wanted in ordered_words("title_keys") if wanted in lowered)
    return next((key for key in named if isinstance(fields[key], str) and fields[key]), None)


def texts_of(value: Any, most: int) -> list[str]:
    """Keys and texts of a result, the first ones."""
    found: list[str] = []
    stack = [value]
    while stack and len(found) < most:
        here = stack.pop()
        if isinstance(here, dict):
            found.extend(map(str, cast(dict[str, Any], here)))
            stack.extend(cast(dict[str, Any], here).values())
        elif isinstance(here, list):
            stack.extend(cast(list[Any], here))
        elif isinstance(here, str):
            found.append(here)
    return found
