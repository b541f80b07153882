"""What each client does, with nothing but the standard library: the clients have environments of
their own, in which the program is not installed.

A client is a script with one argument, a scene in JSON; its last line says in JSON what it saw.
"""

import json
import sys
from importlib.metadata import version
from typing import Any, NamedTuple


class Scene(NamedTuple):
    """Where the gateway is, and what is asked of it.

    Attributes:
        way: "stdio" or "http".
        command, arguments: what starts a gateway over stdio.
        url, token: where one answers over HTTP.
        endpoint: the address of a model that is scripted, with the need and the call below.
        need: for `find_tools`; `name`, `values`: the API that is found then, and its arguments.
    """

    way: str
    command: str
    arguments: list[str]
    url: str
    token: str
    endpoint: str
    need: str
    name: str
    values: dict[str, Any]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def find(self) -> dict[str, Any]:
        return {"need": self.need}

    @property
    def call(self) -> dict[str, Any]:
        return {"name": self.name, "arguments": self.values}


def asked() -> Scene:
    """The scene of this process."""
    return Scene(**json.loads(sys.argv[1]))


def tell(package: str, *, tools: list[str], found: str, answer: str) -> None:
    """Say what was seen: of which package, names of the list, texts of a search and of a call."""
    seen = {"version": version(package), "tools": tools, "found": found, "answer": answer}
    print(json.dumps(seen))
