"""Values of what a server's configuration keeps secret: never in a workspace, only their names are.

They are kept as all keys are (`keys.py`). A key belongs to an origin: that of the server's address,
or for a program a name that is made of its exact command and that no network knows, so that its
keys go nowhere else, and another command does not get them.
"""

import os
from collections.abc import Mapping

from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.keys import KeyName, person_keys, remember
from toolplanner_core.mcp_servers.spec import ServerSpec
from toolplanner_core.words.places import KEYS


def origin_of_server(spec: ServerSpec) -> Origin:
    """What a server's keys are saved for.

    Source: RFC 2606: names below "invalid" never exist.
    """
    return Origin.of(spec.url or f"https://{spec.id}.mcp.invalid")


def keep_secrets(spec: ServerSpec, values: Mapping[str, str]) -> None:
    """Keep values that a configuration holds; they are given to this very server only."""
    origin = origin_of_server(spec)
    keys = person_keys()
    for name, value in values.items():
        try:
            if keys.find(origin, name) != value:
                keys.save(KeyName(origin, name), value)
        except BadInput:  # empty, or several lines: not what keys are
            remember(value)


def secrets_of(spec: ServerSpec) -> dict[str, str]:
    """The values of `spec.secrets` that are known; programs may get our own variables, too."""
    origin = origin_of_server(spec)
    known: dict[str, str] = {}
    for name in spec.secrets:
        value = person_keys().find(origin, name)
        if value is None and spec.command:
            value = os.environ.get(name)
        if value:
            remember(value)
            known[name] = value
    return known


def missing_secrets(spec: ServerSpec) -> str:
    """What to do about values that are not known here, "" if all are."""
    missing = [name for name in spec.secrets if name not in secrets_of(spec)]
    if not missing:
        return ""
    name, origin = missing[0], origin_of_server(spec)
    return f"its {name} is not known here; save it for {origin}, scheme {name}: {KEYS}"
