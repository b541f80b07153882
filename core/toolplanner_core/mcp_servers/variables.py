"""Variables in configurations of servers: ``${HOST}``, ``${HOST:-127.0.0.1}``, ``${env:HOST}``,
``${input:host}``, ``${workspaceFolder}``; what other programs write is brought into this spelling
first (`in_our_spelling`).

In environment variables and headers they are kept as they are and filled in when the server is
started (`expand_variables`), since they may be keys. In a command, its arguments, its folder and an
address they are filled in when the configuration is read, with what a person gives, for this is
what the person consents to and what the workspace holds; nothing of our own environment goes there,
and no password. What a person gives for an environment variable or a header is kept as keys are.

Source: documentation of VS Code, "Variables reference"; of Claude Code, "Environment variable
expansion in .mcp.json"; of opencode ("Variables"), Continue ("Secrets") and development containers.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toolplanner_core.keys import register_secrets

_VARIABLE = re.compile(
    r"\$\{(?:(env|input):)?([A-Za-z_](?:[\w./~ -]*[\w./~-])?)(?::-((?:[^{}]|\$\{[^{}]*\})*))?\}"
)
_SPELLINGS = (
    (re.compile(r"\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}"), r"${input:\1}"),  # Continue
    (re.compile(r"\$\{\{\s*(?:env\.)?([A-Za-z_][\w.-]*)\s*\}\}"), r"${\1}"),
    (re.compile(r"(?<!\$)\{env:([A-Za-z_]\w*)\}"), r"${\1}"),  # opencode
    (re.compile(r"(?<!\$)\{file:([^{}]+)\}"), r"${input:file \1}"),
    (re.compile(r"\$\{(?:command|config|file):([\w.-]+)\}"), r"${input:\1}"),  # VS Code
    (re.compile(r"\$\{workspaceFolder:[^{}]*\}"), "${workspaceFolder}"),
    (re.compile(r"\$\{(?:/|pathSeparator)\}"), os.sep.replace("\\", r"\\")),
    (re.compile(r"\$\{(?:localEnv|env):([A-Za-z_]\w*):(?!-)([^{}]*)\}"), r"${\1:-\2}"),
    (re.compile(r"\$\{localEnv:([A-Za-z_]\w*)\}"), r"${\1}"),
    (re.compile(r"\$\{([A-Za-z_]\w*):?=([^{}]*)\}"), r"${\1:-\2}"),  # shells
    (re.compile(r"\$\{([A-Z_][A-Z0-9_]*)-([^{}]*)\}"), r"${\1:-\2}"),
    (re.compile(r"\$\{([A-Za-z_]\w*):?\?[^{}]*\}"), r"${\1}"),
)
_HOME = ("HOME", "userHome", "USERPROFILE")


class Variable(NamedTuple):
    """A variable of a configuration for which a person can give a value.

    Attributes:
        explanation: what its configuration says of it, "" = nothing.
        is_secret: it is a password; it is never filled into a command or an address.
        default: what its configuration proposes, "" = nothing.
        choices: the only values that there are; none = any.
    """

    name: str
    explanation: str = ""
    is_secret: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


class Filled(NamedTuple):
    """A text with its variables filled in.

    Attributes:
        missing: names of those that nobody has given.
        defaults: names of those whose default was taken, with it.
    """

    text: str
    missing: tuple[str, ...]
    defaults: tuple[str, ...]


def in_our_spelling(text: str) -> str:
    """A text with the variables of other programs as ours."""
    if "{" in text:
        for theirs, ours in _SPELLINGS:
            text = theirs.sub(ours, text)
    return text


def fill_in(text: str, given: Mapping[str, str]) -> Filled:
    """Fill in what a person gives, the folder of the person, and defaults."""
    missing: list[str] = []
    defaults: list[str] = []

    def value_of(found: re.Match[str]) -> str:
        _, name, default = found.groups()
        if name in given:
            return given[name]
        if name in _HOME:
            return str(Path.home())
        if default is not None:
            inner = fill_in(default, given)
            missing.extend(inner.missing)
            defaults.append(f"{name}={inner.text}")
            return inner.text
        missing.append(name)
        return found[0]

    text = _VARIABLE.sub(value_of, text)
    return Filled(text, tuple(missing), tuple(defaults))


def variables_in(text: str) -> tuple[str, ...]:
    """The names of all variables of a text."""
    return tuple(found[2] for found in _VARIABLE.finditer(text))


def unknown_at_start(text: str, given: Mapping[str, str]) -> tuple[str, ...]:
    """Those of the variables of an environment variable or a header that would be empty when the
    server is started: nobody has given them, our environment lacks them, they have no default."""
    return tuple(
        name
        for kind, name, default in (found.groups() for found in _VARIABLE.finditer(text))
        if name not in given
        and default is None
        and (kind == "input" or not (name in _HOME or os.environ.get(name)))
    )


def expand_variables(value: str) -> str:
    """A value with the variables of our environment that it names, which may be keys."""

    def value_of(found: re.Match[str]) -> str:
        kind, name, default = found.groups()
        if kind == "input":
            return found[0]
        return os.environ.get(name) or expand_variables(default or "")

    filled = _VARIABLE.sub(value_of, value)
    if filled != value:
        register_secrets(filled)
    return filled
