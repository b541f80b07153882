"""Values of what a server's configuration keeps secret: never in a workspace, only their names are.

They come from the configuration when it is read, and are held for this session; else from the
variable of the same name in our own environment.
"""

import os
from collections.abc import Mapping

from toolplanner_core.mcp_servers.spec import ServerSpec

_held: dict[tuple[str, str], str] = {}


def remember_secrets(spec: ServerSpec, values: Mapping[str, str]) -> None:
    """Hold values for this session; they are given to this very server only."""
    _held.update({(spec.id, name): value for name, value in values.items() if value})


def secrets_of(spec: ServerSpec) -> dict[str, str]:
    """The values of `spec.secrets` that are known."""
    known = {name: _held.get((spec.id, name)) or os.environ.get(name) for name in spec.secrets}
    return {name: value for name, value in known.items() if value}
