"""Catalogues made for one test: ToolBench folders and zips, and reading them in one go."""

import json
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from toolplanner_core.domain.api import Api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import FileGroup, Mended, Rejected, sources


class Records:
    """What a source yielded, by kind."""

    def __init__(self, items: list[Any]) -> None:
        self.apis = [item for item in items if isinstance(item, Api)]
        self.rejected = [item for item in items if isinstance(item, Rejected)]
        self.mended = [item for item in items if isinstance(item, Mended)]
        self.groups = [item for item in items if isinstance(item, FileGroup)]

    @property
    def reasons(self) -> dict[str, str]:
        return {each.where: each.why for each in self.rejected}


@pytest.fixture
def read() -> Callable[..., Records]:
    """Reads a location with a format's plug-in."""

    def read_all(format_id: str, location: Path, **options: Any) -> Records:
        plugin = sources.get(format_id)
        chosen = plugin.options(**options)
        with closing(plugin.read(Location.of(location), chosen, source="test")) as records:
            return Records(list(records))

    return read_all


@pytest.fixture
def entry() -> Callable[..., dict[str, Any]]:
    """One entry of a tool's `api_list`."""

    def make(name: str = "Get weather", /, **fields: Any) -> dict[str, Any]:
        return {
            "name": name,
            "url": f"https://example.com/{name}",
            "description": "Current weather of a city",
            "method": "GET",
            "required_parameters": [
                {"name": "city", "type": "STRING", "description": "City", "default": "Oslo"}
            ],
            "optional_parameters": [],
            **fields,
        }

    return make


@pytest.fixture
def tool(entry: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """A tool file's content."""

    def make(*entries: Any, name: str = "MeteoNow", **fields: Any) -> dict[str, Any]:
        return {
            "tool_name": name,
            "tool_description": "Weather of the world",
            "api_list": list(entries) or [entry()],
            **fields,
        }

    return make


@pytest.fixture
def make_zip(tmp_path: Path) -> Callable[..., Path]:
    """A zip of (member name, JSON value or bytes)."""

    def make(*members: tuple[str, Any], name: str = "tools.zip") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members:
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                archive.writestr(member, data)
        return path

    return make
