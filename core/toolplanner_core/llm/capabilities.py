"""What each endpoint can do, found out once and remembered on this machine.

Keyed by address and model: an endpoint may serve several models that differ. One small JSON file in
the person's cache; it can be thrown away at any time.
"""

import contextlib
import json
import threading
from pathlib import Path
from typing import Any, cast

from platformdirs import user_cache_path

from toolplanner_core.llm.answer_mode import Mode, Use

_lock = threading.Lock()
_REFUSED = "refused"


def capabilities_path() -> Path:
    """The file."""
    return user_cache_path("toolplanner") / "endpoints.json"


def known_mode(base_url: str, model: str, use: Use) -> Mode | None:
    """The way of asking that an endpoint takes, None when it was never asked."""
    mode = _read().get(_key(base_url, model), {}).get(use)
    return mode if mode in ("schema", "tools", "text") else None


def known_refusals(base_url: str, model: str) -> frozenset[str]:
    """Fields of a request that an endpoint refused, such as "temperature"."""
    fields = _read().get(_key(base_url, model), {}).get(_REFUSED, ())
    return frozenset(map(str, fields)) if isinstance(fields, list) else frozenset()


def remember_mode(base_url: str, model: str, use: Use, mode: Mode) -> None:
    """Remember a way of asking; a folder that cannot be written is no error, only forgetful."""
    _remember(base_url, model, use, mode)


def remember_refusal(base_url: str, model: str, field: str) -> None:
    """Remember a field that an endpoint refuses."""
    _remember(base_url, model, _REFUSED, sorted(known_refusals(base_url, model) | {field}))


def _remember(base_url: str, model: str, name: str, value: Any) -> None:
    with _lock, contextlib.suppress(OSError):
        known = _read()
        entry = known.setdefault(_key(base_url, model), {})
        if entry.get(name) == value:
            return
        entry[name] = value
        path = capabilities_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1), encoding="utf-8")
        part.replace(path)


def _key(base_url: str, model: str) -> str:
    return f"{base_url} {model}"


def _read() -> dict[str, dict[str, Any]]:
    try:
        data = json.loads(capabilities_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(data, dict):
        return {}
    known = cast("dict[str, Any]", data)
    return {key: value for key, value in known.items() if isinstance(value, dict)}
