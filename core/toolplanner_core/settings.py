"""Settings of this person on this machine: typed, one JSON file.

What belongs to a workspace is stored in the workspace (`workspace/settings.py`). Keys and passwords
are in neither (`keys.py`).
"""

import contextlib
import dataclasses
import getpass
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_type_hints

from platformdirs import user_config_path

from toolplanner_core.domain.plain_data import reader_of
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.options.values import checked

AnswerMode = Literal["auto", "schema", "tools", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """How to reach an OpenAI-compatible endpoint.

    Attributes:
        base_url: None = the OpenAI client's default; `OPENAI_BASE_URL` in the environment wins.
        answer_mode: how typed answers are asked for: "schema" (response_format), "tools"
            (function calling), "text" (JSON in the text), "auto" = the first that works.
        stream: receive replies in pieces, so that they can be seen while they come; some gateways
            cut long silent requests, others cannot stream.
        model: the usual one, such as "gpt-4o-mini"; "" = none, `OPENAI_MODEL` wins.
    """

    base_url: str | None = None
    answer_mode: AnswerMode = "auto"
    stream: bool = True
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModels:
    """The usual models of runs by role, as "openai:NAME"; "" = none of its own."""

    acting: str = ""
    planning: str = ""
    judging: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """What a person pays for models whose name fits a pattern such as "my-model*", in US dollars
    per million tokens."""

    models: str
    input: float
    output: float
    cached: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLimits:
    """What all runs of a person may spend together from midnight to midnight."""

    day_tokens: int | None = option(
        None,
        "Tokens of models that all runs of one day may use together.",
        title="Tokens a day",
        minimum=0,
        none_means="no limit",
    )
    day_cost: float | None = option(
        None,
        "US dollars that all runs of one day may cost together; prices must be known.",
        title="US dollars a day",
        minimum=0,
        none_means="no limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """What a run may use that names no limits of its own."""

    tokens: int | None = option(
        None,
        "Tokens of models that one run may use, unless it names another limit.",
        title="Tokens a run",
        minimum=0,
        none_means="no limit",
    )
    cost: float | None = option(
        None,
        "US dollars that one run may cost, unless it names another limit; prices must be known.",
        title="US dollars a run",
        minimum=0,
        none_means="no limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; what a file does not name, or names wrongly, is as by default.

    Attributes:
        prices: before those of the table that came with the program, after a workspace's own.
        texts_may_go_to: origins of endpoints that may get texts of catalogues, to embed them.
    """

    endpoint: EndpointSettings = EndpointSettings()
    models: RoleModels = RoleModels()
    prices: tuple[ModelPrice, ...] = ()
    run_limits: RunLimits = RunLimits()
    day_limits: DayLimits = DayLimits()
    texts_may_go_to: tuple[str, ...] = ()


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
    held: dict[str, Any] = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    hints = get_type_hints(Settings)
    found: dict[str, Any] = {}
    for name in hints.keys() & held.keys():
        # One part that somebody has spoilt by hand shall not cost the others.
        with contextlib.suppress(TypeError, ValueError, AttributeError, KeyError, BadInput):
            read = reader_of(hints[name])(held[name])
            is_limit = isinstance(read, RunLimits | DayLimits)
            found[name] = checked(type(read), read, of="the settings") if is_limit else read
    return Settings(**found)


def save_settings(settings: Settings) -> None:
    """Replace the settings; what the file holds beside them is kept.

    Raises:
        BadInput: the file cannot be written.
    """
    path = settings_path()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = None
    kept: dict[str, object] = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    text = json.dumps({**kept, **dataclasses.asdict(settings)}, indent=1, ensure_ascii=False)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise BadInput("The settings cannot be saved", where=str(path), why=str(error)) from error


def person_name() -> str:
    """The name of whoever sits here, as the system knows it; "" if it does not."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
