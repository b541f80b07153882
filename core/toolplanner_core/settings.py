"""Settings of this person on this machine: typed, one JSON file.

What belongs to a workspace is stored in the workspace (`workspace/settings.py`). Keys and passwords
are in neither (`keys.py`).
"""

import contextlib
import dataclasses
import getpass
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast, get_type_hints

from platformdirs import user_config_path

from toolplanner_core.domain.plain_data import reader_of
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option

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
        roles: names of models by what they do in runs where nobody chose others: "acting",
            "planning", "judging"; without one for acting the usual one acts, else the offline
            planner, and who acts does the rest.
    """

    base_url: str | None = None
    answer_mode: AnswerMode = "auto"
    stream: bool = True
    model: str = ""
    roles: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLimits:
    """What models may cost this person in a day, over all runs of all workspaces; the question
    that would exceed it is not asked."""

    max_tokens: int | None = option(
        None, "Tokens of models in a day at most.", title="Tokens", minimum=0, none_means="no limit"
    )
    max_cost: float | None = option(
        None,
        "US dollars for models in a day at most; their prices must be known.",
        title="US dollars",
        minimum=0,
        none_means="no limit",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings; what a file does not name, or names wrongly, is as by default.

    Attributes:
        texts_may_go_to: origins of endpoints that may get texts of catalogues, to embed them.
        prices: what models cost this person, as `llm/prices.py` reads them.
        run_limits: the budget of a run where nobody chose another, as `config/spec.py` reads it.
        day_limits: the budget of a day.
    """

    endpoint: EndpointSettings = EndpointSettings()
    texts_may_go_to: tuple[str, ...] = ()
    prices: tuple[Mapping[str, Any], ...] = ()
    run_limits: Mapping[str, Any] = field(default_factory=dict[str, Any])
    day_limits: DayLimits = DayLimits()


def settings_path() -> Path:
    """The file; `TOOLPLANNER_SETTINGS` names another one."""
    named = os.environ.get("TOOLPLANNER_SETTINGS")
    return Path(named) if named else _usual_path(*map(os.environ.get, _SAYS_WHERE))


_SAYS_WHERE = ("HOME", "XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "USERPROFILE")


@lru_cache(maxsize=8)
def _usual_path(*environment: str | None) -> Path:
    """Where the system wants it; asked for at each API that is read.

    Args:
        environment: what decides that.
    """
    del environment
    return user_config_path("toolplanner") / "settings.json"


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
        with contextlib.suppress(TypeError, ValueError, AttributeError, KeyError):
            found[name] = reader_of(hints[name])(held[name])
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
