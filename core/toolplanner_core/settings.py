"""Settings of this person on this machine: typed, versioned, one JSON file.

What belongs to a workspace is stored in the workspace (`workspace/settings.py`). Keys and passwords
are in neither: they come from the environment, or are held in memory for this session.
"""

import contextlib
import dataclasses
import getpass
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_config_path

VERSION = 1

AnswerMode = Literal["auto", "schema", "tools", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """How to reach an OpenAI-compatible endpoint.

    Attributes:
        base_url: None = the OpenAI client's default; `OPENAI_BASE_URL` in the environment wins.
        answer_mode: how typed answers are asked for: "schema" (response_format), "tools"
            (function calling), "text" (JSON in the text), "auto" = the first that works.
        stream: receive replies in pieces; some gateways cut long silent requests.
    """

    base_url: str | None = None
    answer_mode: AnswerMode = "auto"
    stream: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; fields that a file does not name keep their defaults."""

    endpoint: EndpointSettings = EndpointSettings()


def settings_path() -> Path:
    """The file; `TOOLPLANNER_SETTINGS` names another one."""
    named = os.environ.get("TOOLPLANNER_SETTINGS")
    return Path(named) if named else user_config_path("toolplanner") / "settings.json"


def load_settings() -> Settings:
    """The settings; a file that cannot be read counts as empty and is left as it is."""
    try:
        data = json.loads(settings_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Settings()
    if not isinstance(data, dict):
        return Settings()
    return Settings(endpoint=_known(EndpointSettings, data.get("endpoint")))


def save_settings(settings: Settings) -> None:
    """Replace the file in one step; fields of a newer program are kept.

    Raises:
        OSError: the folder cannot be written.
    """
    path = settings_path()
    stored: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        stored = dict(json.loads(path.read_text(encoding="utf-8")))
    stored |= {"version": max(VERSION, int(stored.get("version", VERSION)))}
    stored["endpoint"] = stored.get("endpoint", {}) | dataclasses.asdict(settings.endpoint)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(stored, indent=2), encoding="utf-8")
    part.replace(path)


def _known(kind: type[EndpointSettings], data: object) -> EndpointSettings:
    if not isinstance(data, Mapping):
        return kind()
    names = {field.name for field in dataclasses.fields(kind)}
    return kind(**{str(k): v for k, v in data.items() if k in names})


def person_name() -> str:
    """The name of whoever sits here, as the system knows it; "" if it does not."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
