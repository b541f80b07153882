"""Endpoints that speak like OpenAI's: the usual addresses, their keys, and what may be sent there.

For whoever asks one: language models (`llm/`) and embedders (`embedding/`).
"""

import contextlib
import os
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.keys import person_keys
from toolplanner_core.settings import load_settings, save_settings

OPENAI_URL = "https://api.openai.com/v1"
"""Where the client asks when no address is given."""
ENDPOINT_SCHEME = "endpoint"
"""What keys of endpoints are for, in the keychain."""


class EndpointPreset(NamedTuple):
    """One of them.

    Attributes:
        base_url: words in capitals are to be replaced.
        needs_key: local servers take none.
    """

    title: str
    base_url: str
    needs_key: bool


ENDPOINTS = (
    EndpointPreset("OpenAI", OPENAI_URL, True),
    EndpointPreset("Azure OpenAI", "https://RESOURCE.openai.azure.com/openai/v1", True),
    EndpointPreset("OpenRouter", "https://openrouter.ai/api/v1", True),
    EndpointPreset("Ollama", "http://127.0.0.1:11434/v1", False),
    EndpointPreset("LM Studio", "http://127.0.0.1:1234/v1", False),
    EndpointPreset("llama.cpp", "http://127.0.0.1:8080/v1", False),
    EndpointPreset("vLLM", "http://127.0.0.1:8000/v1", False),
)


def preset_of(base_url: str) -> EndpointPreset | None:
    """The preset of an address, None for another one."""
    wanted = base_url.strip().rstrip("/")
    return next((preset for preset in ENDPOINTS if preset.base_url == wanted), None)


def default_base_url() -> str | None:
    """The address of the environment, else of the person's settings; None = OpenAI's."""
    return os.environ.get("OPENAI_BASE_URL") or load_settings().endpoint.base_url


def endpoint_key(base_url: str | None) -> str | None:
    """The key for an endpoint: of the environment, else the one that was saved for its origin.
    Blocks: a keychain may ask the person."""
    given = os.environ.get("OPENAI_API_KEY")
    if given:
        return given
    with contextlib.suppress(BadInput):
        return person_keys().find(Origin.of(base_url or OPENAI_URL), ENDPOINT_SCHEME)
    return None


def is_local(base_url: str | None) -> bool:
    """Whether an endpoint is on this machine."""
    host = urlsplit(base_url).hostname if base_url else None
    return host is not None and (host in {"localhost", "::1"} or host.startswith("127."))


def may_send_texts(base_url: str) -> bool:
    """Whether texts of a catalogue may go to an endpoint: it is here, or this person said so."""
    return is_local(base_url) or str(Origin.of(base_url)) in load_settings().texts_may_go_to


def allow_texts(base_url: str) -> None:
    """Remember on this machine that this person lets texts of catalogues go to an endpoint.

    Raises:
        BadInput: it is no address, or the settings cannot be saved.
    """
    settings, origin = load_settings(), str(Origin.of(base_url))
    if origin not in settings.texts_may_go_to:
        save_settings(replace(settings, texts_may_go_to=(*settings.texts_may_go_to, origin)))
