"""Endpoints that people have: addresses of the usual services and of servers on this machine."""

from typing import NamedTuple

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
    EndpointPreset("OpenAI", "https://api.openai.com/v1", True),
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
