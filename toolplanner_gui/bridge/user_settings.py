"""What the program remembers between starts: theme, recent files, windows per layout.

Stored in QSettings with a schema version; written only by a person's window, never by screenshots.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QSettings

SCHEMA = 1
"""Counts up when stored values change their meaning; older ones are then forgotten."""
_MAX_RECENT = 10


class RecentWorkspace(NamedTuple):
    """A workspace that was open before; `opened_s` is seconds since 1970."""

    path: Path
    opened_s: float


class BottomState(NamedTuple):
    """How the panels at the bottom of a layout stand.

    Attributes:
        is_open: False = a person folded them, None = not used yet.
        height: pixels when open, 0 = as delivered.
    """

    is_open: bool | None = None
    height: int = 0


class UserSettings:
    """Typed access to the stored choices.

    Args:
        settings: where they are.
        is_read_only: keep all as it is (screenshots).
    """

    def __init__(self, settings: QSettings, *, is_read_only: bool = False) -> None:
        self._settings = settings
        self._is_read_only = is_read_only
        if self._number("schema") not in (0, SCHEMA):
            self.forget_windows()
        self._put("schema", SCHEMA)

    @classmethod
    def of_user(cls, *, is_read_only: bool = False) -> "UserSettings":
        """The choices of the person at this machine."""
        return cls(QSettings("ToolPlanner", "ToolPlanner"), is_read_only=is_read_only)

    @property
    def theme(self) -> str:
        """ "system", "light" or "dark"."""
        value = str(self._settings.value("theme", "system"))
        return value if value in ("system", "light", "dark") else "system"

    @theme.setter
    def theme(self, mode: str) -> None:
        self._put("theme", mode)

    @property
    def folds_finished(self) -> bool:
        """Whether steps that went well are folded in the run tree."""
        return self._number("folds_finished") == 1

    @folds_finished.setter
    def folds_finished(self, is_on: bool) -> None:
        self._put("folds_finished", int(is_on))

    @property
    def lists_regions(self) -> bool:
        """Whether the list groups toolkits by region."""
        return self._settings.value("lists_regions", "1") in ("1", 1)

    @lists_regions.setter
    def lists_regions(self, is_on: bool) -> None:
        self._put("lists_regions", int(is_on))

    @property
    def zooms_to_hits(self) -> bool:
        """Whether the map comes to what is searched and filtered without being asked."""
        return self._number("zooms_to_hits") == 1

    @zooms_to_hits.setter
    def zooms_to_hits(self, is_on: bool) -> None:
        self._put("zooms_to_hits", int(is_on))

    @property
    def map_outlines(self) -> tuple[str, ...]:
        """What is drawn over the points of the map, by name."""
        value = str(self._settings.value("map_outlines", ""))
        return tuple(name for name in value.split(",") if name)

    @map_outlines.setter
    def map_outlines(self, names: Sequence[str]) -> None:
        self._put("map_outlines", ",".join(names))

    @property
    def api_columns(self) -> tuple[str, ...]:
        """The columns of the table of APIs, by id; empty when nobody has chosen."""
        value = str(self._settings.value("api_columns", ""))
        return tuple(name for name in value.split(",") if name)

    @api_columns.setter
    def api_columns(self, columns: Sequence[str]) -> None:
        self._put("api_columns", ",".join(columns))

    @property
    def has_api_charts(self) -> bool | None:
        """Whether charts stand below the titles of that table; None when nobody has said."""
        value = str(self._settings.value("api_charts", ""))
        return None if value not in ("0", "1") else value == "1"

    @has_api_charts.setter
    def has_api_charts(self, is_on: bool) -> None:
        self._put("api_charts", int(is_on))

    @property
    def has_seen_tour(self) -> bool:
        """Whether the tour was seen or skipped; pictures are never disturbed by it."""
        return self._is_read_only or self._number("has_seen_tour") == 1

    @has_seen_tour.setter
    def has_seen_tour(self, is_seen: bool) -> None:
        self._put("has_seen_tour", int(is_seen))

    @property
    def recent(self) -> list[RecentWorkspace]:
        """Workspaces that were open before and still exist, the last one first."""
        try:
            rows = json.loads(str(self._settings.value("recent", "[]")))
            found = [RecentWorkspace(Path(str(path)), float(opened)) for path, opened in rows]
        except (ValueError, TypeError):
            return []
        return [r for r in found if r.path.is_file()]

    def add_recent(self, path: Path) -> None:
        """Put a workspace first."""
        path = path.resolve()
        rows = [RecentWorkspace(path, time.time()), *(r for r in self.recent if r.path != path)]
        self._put("recent", json.dumps([[str(r.path), r.opened_s] for r in rows[:_MAX_RECENT]]))

    def view_of(self, path: Path) -> dict[str, Any]:
        """How a workspace was looked at last; empty when nobody has."""
        return {} if self._is_read_only else dict(self._views().get(str(path.resolve()), {}))

    def keep_view(self, path: Path, view: Mapping[str, Any]) -> None:
        """Store how a workspace is looked at, for as many workspaces as are remembered at all."""
        views = {str(path.resolve()): view} | self._views()
        views[str(path.resolve())] = view
        self._put("views", json.dumps(dict(list(views.items())[:_MAX_RECENT])))

    def _views(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(str(self._settings.value("views", "{}")))
            return {path: dict(view) for path, view in found.items()}
        except (ValueError, TypeError, AttributeError):
            return {}

    def window(self, layout: str, what: str) -> QByteArray | None:
        """Stored `what` ("geometry", "docks", "narrow docks") of a layout; None = nothing."""
        value = self._settings.value(f"window/{layout}/{what}")
        return value if isinstance(value, QByteArray) and not self._is_read_only else None

    def keep_window(self, layout: str, what: str, state: QByteArray) -> None:
        """Store `what` of a layout."""
        self._put(f"window/{layout}/{what}", state)

    def bottom(self, layout: str) -> BottomState:
        """How the panels at the bottom of a layout stood last."""
        state = str(self._settings.value(f"window/{layout}/bottom", ""))
        if self._is_read_only or state not in ("open", "folded"):
            return BottomState()
        height = max(0, self._number(f"window/{layout}/bottom_height"))
        return BottomState(is_open=state == "open", height=height)

    def keep_bottom(self, layout: str, standing: BottomState) -> None:
        """Store it; what was not used yet stays so."""
        if standing.is_open is not None:
            self._put(f"window/{layout}/bottom", "open" if standing.is_open else "folded")
            self._put(f"window/{layout}/bottom_height", standing.height)

    def forget_windows(self) -> None:
        """Drop all stored window states: the next start shows the layouts as delivered."""
        if not self._is_read_only:
            self._settings.remove("window")

    def _number(self, key: str) -> int:
        try:
            return int(str(self._settings.value(key, 0)))
        except ValueError:
            return -1

    def _put(self, key: str, value: object) -> None:
        if not self._is_read_only:
            self._settings.setValue(key, value)
