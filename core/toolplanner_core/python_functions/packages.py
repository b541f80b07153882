"""Packages that offer functions as tools: entry points of the group `toolplanner.functions`.

An entry point names a module, a function, or a list or mapping of functions. Its code runs with all
rights of the person, so that nothing of it is loaded before a consent, which is for one version of
one distribution, and always in a process of its own.
"""

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import EntryPoint

from toolplanner_core.domain.operation import Operation
from toolplanner_core.errors import BadInput
from toolplanner_core.registry import distribution_of, entry_points_of

METHOD = "PYTHON"
"""The method of operations that are functions of a package."""
SCHEME = "python:"
"""How such a package is named where a source is asked for: "python:acme"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionPackage:
    """One entry point.

    Attributes:
        name: of the entry point.
        distribution, version: who brings it.
        value: what is loaded, such as "acme.tools" or "acme.tools:FUNCTIONS".
    """

    name: str
    distribution: str
    version: str
    value: str

    @property
    def id(self) -> str:
        """The same for exactly this version and entry; 16 hex digits."""
        exact = [METHOD, self.name, self.distribution, self.version, self.value]
        return hashlib.blake2b(json.dumps(exact).encode(), digest_size=8).hexdigest()

    @property
    def address(self) -> str:
        """What runs, for people."""
        return f"Python package {self.distribution} {self.version}: import {self.value}"

    @property
    def in_words(self) -> str:
        """What is asked about, exactly."""
        said = f"{self.address}  (its code runs here with all your rights)"
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in said)

    @property
    def question(self) -> str:
        """What a person is asked."""
        return "Run the code of"

    def operation_of(self, function: str) -> Operation:
        """How one of its functions is called."""
        return Operation(method=METHOD, servers=(f"{SCHEME}{self.name}",), path=f"/{function}")


def packages() -> list[FunctionPackage]:
    """All that are installed; nothing of them is loaded."""
    return [_package(entry) for entry in entry_points_of("functions")]


def packages_named(name: str) -> list[FunctionPackage]:
    """Those of an entry point's or a distribution's name.

    Raises:
        BadInput: there is none; says which there are.
    """
    there = packages()
    found = [each for each in there if name in (each.name, each.distribution)]
    if not found:
        known = ", ".join(sorted({each.name for each in there})) or "none"
        raise BadInput(
            f"No installed package offers functions as {name!r}",
            why=f"There are: {known}",
            todo="Install it where ToolPlanner is installed; it names its functions in an entry"
            ' point of the group "toolplanner.functions"',
        )
    return found


def package_of(operation: Operation | None) -> FunctionPackage | None:
    """The package behind an operation as it is installed today, None if it is not."""
    if operation is None or operation.method != METHOD or not operation.servers:
        return None
    name = operation.servers[0].removeprefix(SCHEME)
    return next((each for each in packages() if each.name == name), None)


def function_of(operation: Operation) -> str:
    """The name of the function."""
    return operation.path.removeprefix("/")


def _package(entry: EntryPoint) -> FunctionPackage:
    return FunctionPackage(
        name=entry.name,
        distribution=distribution_of(entry),
        version=entry.dist.version if entry.dist else "",
        value=entry.value,
    )
