"""Decide how a location is read: by which format, with which options, under which name.

Importing and previewing do the same here, so that a preview shows what an import brings.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from toolplanner_core.errors import BadInput
from toolplanner_core.options.values import checked, make_options
from toolplanner_core.sources.detect import detect
from toolplanner_core.sources.location import Fetch, Location, LocationKind
from toolplanner_core.sources.source import Record, SourcePlugin, sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A location with the format that reads it.

    Attributes:
        name: of the catalogue, part of every API's id.
        options: an instance of the format's options.
    """

    location: Location
    plugin: SourcePlugin
    name: str
    options: Any

    def records(self) -> Generator[Record]:
        """All records, streamed; to be closed."""
        return self.plugin.read(self.location, self.options, source=self.name)


def reading_of(
    location: Location | Path,
    *,
    fetch: Fetch,
    format_id: str | None = None,
    source_name: str | None = None,
    options: Any = None,
) -> Reading:
    """How a location is read; fetches an address unless the format talks to it itself.

    Args:
        format_id: None looks at the content.
        source_name: None takes the format's id.
        options: an instance of the format's options, or values by name; None takes the defaults.

    Raises:
        BadInput: the location cannot be read or is no known format, or an option does not fit.
        NotFound: there is no such format.
    """
    location = Location.of(location)
    plugin = _by_address(location) if format_id is None else sources.get(format_id)
    if plugin is None or not plugin.reaches_addresses:
        location = location.fetched(fetch)
    if plugin is None:
        plugin = detect(location)
    elif location.kind is not LocationKind.URL or location.content is not None:
        location.check()
    if source_name is not None and not source_name.strip():
        raise BadInput("The name of the source is empty", todo="Give it a name, or none at all")
    return Reading(
        location=location,
        plugin=plugin,
        name=source_name or plugin.id,
        options=_options(plugin, options),
    )


def _options(plugin: SourcePlugin, given: Any) -> Any:
    of = f"{sources.what} {plugin.id}"
    if isinstance(given, Mapping):
        return make_options(plugin.options, cast("Mapping[str, Any]", given), of=of)
    return checked(plugin.options, given, of=of)


def _by_address(location: Location) -> SourcePlugin | None:
    """The format whose servers have such addresses: nothing can be fetched there to look at."""
    if location.kind is not LocationKind.URL or location.content is not None:
        return None
    path = urlsplit(location.where).path.rstrip("/")
    talking = (plugin for plugin in sources if plugin.address_ending)
    return next((plugin for plugin in talking if path.endswith(plugin.address_ending)), None)
