"""What each endpoint can do, found out once and remembered on this machine.

Keyed by address and model: an endpoint may serve several models that differ. One small JSON file in
the person's cache; it can be thrown away at any time.
"""

import contextlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from platformdirs import user_cache_path

from toolplanner_core.llm.answer_mode import MODE_WORDS, Mode, Use

_lock = threading.Lock()
_REFUSED = "refused"
_STREAMS = "streams"
_KEEPS = "keeps_schemas"
_CALLS = "calls"
_SAMPLES = "samples"
CALLS_FUNCTIONS = "functions"
"""How an endpoint calls that does it as the protocol says; else the name of a form of text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What is known of one model at one endpoint; None and nothing = not found out yet.

    Attributes:
        modes: how it is asked for typed answers and for dialogues.
        refused: fields of requests that it refused, and that it is not sent any more.
        streams: whether replies come in pieces when they are asked for so.
        keeps_schemas: whether a typed answer fitted when the connection was tested.
        calls: how it called functions so far, see `known_calls`.
        samples: whether it gives several replies to one request.
    """

    base_url: str
    model: str
    modes: Mapping[str, str]
    refused: tuple[str, ...] = ()
    streams: bool | None = None
    keeps_schemas: bool | None = None
    calls: tuple[str, ...] = ()
    samples: bool | None = None

    @property
    def words(self) -> str:
        """All of it in one line, without the address."""
        found: list[str] = []
        for use, what in (("answers", "typed answers"), ("dialogues", "dialogues")):
            if use in self.modes:
                found.append(f"{what} {MODE_WORDS[self.modes[use]]}")
        if self.keeps_schemas is not None:
            found.append("keeps schemas" if self.keeps_schemas else "does not keep schemas")
        if self.streams is not None:
            found.append("streams" if self.streams else "does not stream")
        if self.samples is not None:
            many = "several replies" if self.samples else "one reply"
            found.append(f"gives {many} to a request")
        if forms := [form for form in self.calls if form != CALLS_FUNCTIONS]:
            found.append(f"writes calls into its text ({', '.join(forms)})")
        if fields := [field for field in self.refused if field != "stream"]:
            found.append(f"refused {', '.join(fields)}")
        return "; ".join(found)


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


def known_calls(base_url: str, model: str) -> frozenset[str]:
    """How an endpoint called functions so far: `CALLS_FUNCTIONS`, or forms of `text_calls.py`."""
    forms = _read().get(_key(base_url, model), {}).get(_CALLS, ())
    return frozenset(map(str, forms)) if isinstance(forms, list) else frozenset()


def known_samples(base_url: str, model: str) -> bool | None:
    """Whether an endpoint gives several replies to one request, None when it was never asked."""
    samples = _read().get(_key(base_url, model), {}).get(_SAMPLES)
    return samples if isinstance(samples, bool) else None


def remember_samples(base_url: str, model: str, samples: bool) -> None:
    """Remember whether an endpoint gave several replies to one request."""
    _remember(base_url, model, _SAMPLES, samples)


def remember_calls(base_url: str, model: str, form: str) -> None:
    """Remember how an endpoint called a function."""
    _remember(base_url, model, _CALLS, sorted(known_calls(base_url, model) | {form}))


def remember_mode(base_url: str, model: str, use: Use, mode: Mode) -> None:
    """Remember a way of asking; a folder that cannot be written is no error, only forgetful."""
    _remember(base_url, model, use, mode)


def remember_refusal(base_url: str, model: str, field: str) -> None:
    """Remember a field that an endpoint refuses."""
    _remember(base_url, model, _REFUSED, sorted(known_refusals(base_url, model) | {field}))


def remember_streams(base_url: str, model: str, streams: bool) -> None:
    """Remember whether a reply came in pieces."""
    _remember(base_url, model, _STREAMS, streams)


def remember_schema_support(base_url: str, model: str, keeps: bool) -> None:
    """Remember whether a typed answer fitted what was asked for."""
    _remember(base_url, model, _KEEPS, keeps)


def known_capabilities(base_url: str = "") -> list[Capabilities]:
    """What is known of the models of an endpoint, or of all, by address and model."""
    return [
        _as_known(key, entry) for key, entry in sorted(_read().items()) if _is_at(key, base_url)
    ]


def forget_capabilities(base_url: str = "", model: str = "") -> int:
    """Forget what is known of an endpoint, or of all, or of one model there; it is found out again
    when it is asked next. Returns how many entries went.

    Raises:
        OSError: the file cannot be written.
    """
    with _lock:
        known = _read()
        gone = [
            key
            for key in known
            if _is_at(key, base_url) and (not model or key.partition(" ")[2] == model)
        ]
        if gone:
            _write({key: entry for key, entry in known.items() if key not in gone})
        return len(gone)


def _remember(base_url: str, model: str, name: str, value: Any) -> None:
    with _lock, contextlib.suppress(OSError):
        known = _read()
        entry = known.setdefault(_key(base_url, model), {})
        if entry.get(name) == value:
            return
        entry[name] = value
        _write(known)


def _write(known: Mapping[str, Any]) -> None:
    path = capabilities_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(known, indent=1), encoding="utf-8")
    part.replace(path)


def _key(base_url: str, model: str) -> str:
    """The client ends addresses with a slash, people do not."""
    return f"{base_url.rstrip('/')}/ {model}"


def _is_at(key: str, base_url: str) -> bool:
    return not base_url or key.startswith(_key(base_url, ""))


def _as_known(key: str, entry: Mapping[str, Any]) -> Capabilities:
    base_url, _, model = key.partition(" ")
    uses: tuple[Use, ...] = ("answers", "dialogues")
    streams, keeps = (entry.get(name) for name in (_STREAMS, _KEEPS))
    refused = known_refusals(base_url, model)
    return Capabilities(
        base_url=base_url.rstrip("/"),
        model=model,
        modes={use: mode for use in uses if (mode := known_mode(base_url, model, use))},
        refused=tuple(sorted(refused)),
        streams=False if "stream" in refused else streams if isinstance(streams, bool) else None,
        keeps_schemas=keeps if isinstance(keeps, bool) else None,
        calls=tuple(sorted(known_calls(base_url, model))),
        samples=known_samples(base_url, model),
    )


def _read() -> dict[str, dict[str, Any]]:
    try:
        data = json.loads(capabilities_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(data, dict):
        return {}
    known = cast("dict[str, Any]", data)
    return {key: value for key, value in known.items() if isinstance(value, dict)}
