"""Functions of installed packages as a source: "python:NAME", by entry point.

The package is loaded in a worker process, once a person has allowed it: `StartNotAllowed` names it
before anything of it runs. A function that cannot be called by name is reported and left out.
Found by the registry of sources.
"""

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from toolplanner_core.errors import WorkerDied
from toolplanner_core.mcp_servers.consent import StartNotAllowed, is_allowed
from toolplanner_core.options.option import option
from toolplanner_core.python_functions.function_schemas import DescribedFunction, DescribedPackage
from toolplanner_core.python_functions.packages import FunctionPackage, packages_named
from toolplanner_core.python_functions.workers import LOAD_S, FunctionWorkers
from toolplanner_core.sources.documents import decode, parse
from toolplanner_core.sources.files import Member, walk
from toolplanner_core.sources.functions import schema_problem
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import PACKAGES_KEY, Location
from toolplanner_core.sources.source import FileGroup, Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_json, clean_line, clean_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonOptions:
    """How the functions are placed in the catalogue."""

    category: str = option("Python", "Category of their tools.")
    load_s: float = option(LOAD_S, "Seconds for a package to be loaded.", minimum=0.1, maximum=3600)


def recognises(sample: Sample) -> float:
    """Whether the documents name packages."""
    return sample.share(lambda document: bool(_named(document)))


def read(location: Location, options: PythonOptions, *, source: str) -> Generator[Record]:
    """All functions of the packages that a location names.

    Raises:
        StartNotAllowed: a package would have to be loaded that nobody has allowed.
        BadInput: there is no such package.
    """
    found: list[FunctionPackage] = []
    for item in walk(location):
        if isinstance(item, Rejected):
            yield item
        elif isinstance(item, Member):
            for name in _named(parse(decode(item.data))):
                found += [each for each in packages_named(name) if each not in found]
    if unasked := [each for each in found if not is_allowed(each)]:
        raise StartNotAllowed(*unasked)
    ids = ApiIds(source)
    for done, package in enumerate(found, start=1):
        yield from _records(package, ids, source, options)
        yield FileGroup(done=done, total=len(found))


def _named(document: Any) -> list[str]:
    names = document.get(PACKAGES_KEY) if isinstance(document, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _records(
    package: FunctionPackage, ids: ApiIds, source: str, options: PythonOptions
) -> Iterator[Record]:
    where = f"python:{package.name}"
    with contextlib.closing(FunctionWorkers(package.value)) as workers:
        try:
            described = workers.describe(timeout_s=options.load_s)
        except (Exception, WorkerDied) as error:  # noqa: BLE001 - whatever foreign code does
            why = f"it cannot be loaded: {type(error).__name__}: {str(error)[:300]}"
            yield Rejected(where=where, why=why)
            return
    category = clean_line(options.category) or "Python"
    for function in described.functions:
        if problem := function.problem or schema_problem(function.parameters):
            yield Rejected(where=f"{where} {function.name[:100]}", why=problem)
            continue
        tool, name = clean_line(package.name), clean_line(function.name)
        yield make_api(
            ids.next(category=category, tool=tool, name=name, method="", url=""),
            source=source,
            key=f"{category}/{tool}/{name}",
            category=category,
            tool=tool,
            name=name,
            **documented_function(function, described, package),
        )


def documented_function(
    function: DescribedFunction, described: DescribedPackage, package: FunctionPackage
) -> dict[str, Any]:
    """All that is said of a function, cleaned; the provider compares it before a call."""
    result = function.result
    return {
        "description": clean_text(function.description),
        "tool_description": clean_text(described.description),
        "parameters": {"type": "object", "properties": {}, **clean_json(function.parameters)},
        "response_schema": None if result is None else clean_json(result),
        "operation": package.operation_of(function.name),
    }


PLUGIN = SourcePlugin(
    id="python",
    title="Functions of an installed package",
    description="Functions that an installed Python package offers by entry point"
    " (toolplanner.functions): python:NAME.",
    accepts='"python:NAME" for an installed package of functions',
    options=PythonOptions,
    recognises=recognises,
    read=read,
    order=4,
    provider="python",
    is_whole=False,
)
