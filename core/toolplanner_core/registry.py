"""A package of plug-ins, one file each, found by walking the package; or one module with a table.

Every kind of plug-in (sources, embedders, clusterings, layouts, providers, models, strategies, and
the window's panels and menus) has one `Registry`. A plug-in module carries one module-level
constant `PLUGIN`, a module that is a table of them `PLUGINS`; other distributions add theirs
through entry points of the group `toolplanner.KIND`. The frozen build collects its hidden imports
by `Registry.module_names`, the same walk.
"""

import importlib
import importlib.metadata
import importlib.util
import logging
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.options.option import describe_options

logger = logging.getLogger(__name__)

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*")


class Plugin(Protocol):
    """What all plug-ins have in common."""

    @property
    def id(self) -> str:
        """Stable name, used on the command line and stored in workspaces."""
        ...

    @property
    def title(self) -> str:
        """Name for people."""
        ...


class BrokenPlugin(NamedTuple):
    """A plug-in of another distribution that is left out.

    Attributes:
        name: of its entry point.
        distribution: who brings it.
        reason: why it cannot be used.
    """

    name: str
    distribution: str
    reason: str


T = TypeVar("T")
P = TypeVar("P", bound=Plugin)


class Registry(Generic[P]):
    """The plug-ins of one kind, loaded at first use.

    Args:
        shape: the class that they are instances of.
        package: dotted name of the package whose modules may define `PLUGIN`, or of the one module
            that defines `PLUGINS`.
        kind: what they are called in the names of commands and entry points, such as "sources".
        what: the word for one of them in messages, such as "source format".
        is_offered: whether people choose one of them; the others are found by their ids only.
    """

    def __init__(
        self,
        shape: type[P],
        *,
        package: str,
        kind: str,
        what: str,
        is_offered: Callable[[P], bool] = lambda _: True,
    ) -> None:
        self.package = package
        self.kind = kind
        self.what = what
        self._shape = shape
        self._is_offered = is_offered
        self._found: dict[str, P] | None = None
        self._origins: dict[str, str] = {}
        self._broken: list[BrokenPlugin] = []

    def module_names(self) -> list[str]:
        """Dotted names of all modules of the package, for the frozen build."""
        # Found without being imported: a table of the window's is listed where Qt is not there.
        found = importlib.util.find_spec(self.package)
        if found is None or found.submodule_search_locations is None:
            return [self.package]
        walked = pkgutil.iter_modules(found.submodule_search_locations)
        return [f"{self.package}.{module.name}" for module in walked]

    @property
    def plugins(self) -> dict[str, P]:
        """All plug-ins by id, those that nobody chooses included."""
        if self._found is None:
            self._found = self._load()
        return self._found

    @property
    def broken(self) -> list[BrokenPlugin]:
        """Plug-ins of other distributions that are left out, with the reason."""
        return self._broken if self.plugins else []

    def origin(self, plugin_id: str) -> str:
        """The distribution that a plug-in comes from, "" for our own."""
        return self._origins.get(plugin_id, "")

    def __iter__(self) -> Iterator[P]:
        """Those that people choose from."""
        return (plugin for plugin in self.plugins.values() if self._is_offered(plugin))

    def get(self, plugin_id: str) -> P:
        """The plug-in with this id; the others are loaded only where no file is called like it.

        Raises:
            NotFound: there is none; the message lists those there are.
        """
        found = self.find(plugin_id)
        if found is None:
            why = "".join(
                f"The one of {broken.distribution} cannot be used: {broken.reason}"
                for broken in self._broken
                if broken.name == plugin_id
            )
            raise NotFound(
                f"There is no {self.what} called {plugin_id!r}",
                why=why,
                todo=f"Choose one of: {', '.join(sorted(plugin.id for plugin in self))}",
            )
        return found

    def find(self, plugin_id: str) -> P | None:
        """The same, or None if there is none."""
        return self._alone(plugin_id) or self.plugins.get(plugin_id)

    def title_of(self, plugin_id: str) -> str:
        """What people read of a plug-in; its id if it is not here."""
        known = self.find(plugin_id)
        return known.title if known else plugin_id

    def _alone(self, plugin_id: str) -> P | None:
        """One of ours, found by its file's name while not all are loaded: that imports the
        libraries of all."""
        if self._found is not None or not _ID.fullmatch(plugin_id):
            return None
        name = f"{self.package}.{plugin_id.replace('-', '_')}"
        if name not in self.module_names():
            return None
        plugin = cast("P | None", getattr(importlib.import_module(name), "PLUGIN", None))
        return plugin if plugin is not None and plugin.id == plugin_id else None

    def _load(self) -> dict[str, P]:
        found: dict[str, P] = {}
        for name in self.module_names():
            module = importlib.import_module(name)
            plugin = cast("P | None", getattr(module, "PLUGIN", None))
            table = cast("tuple[P, ...]", getattr(module, "PLUGINS", ()))
            found |= {each.id: each for each in (*table, *(() if plugin is None else (plugin,)))}

        def check(loaded: Any) -> P:
            plugin = checked_shape(loaded, self._shape)
            if plugin.id in found:
                raise BadInput(f"the id {plugin.id!r} is taken already")
            return plugin

        for entry in entry_points_of(self.kind):
            plugin = load_entry_point(entry, check)
            if isinstance(plugin, BrokenPlugin):
                self._broken.append(plugin)
            else:
                found[plugin.id] = plugin
                self._origins[plugin.id] = distribution_of(entry)
        return found


def checked_shape(loaded: Any, shape: type[P]) -> P:
    """What an entry point has loaded, if it can be a plug-in.

    Raises:
        BadInput: it has another class, or an id that cannot be one.
        TypeError: its options cannot be described.
    """
    if not isinstance(loaded, shape):
        raise BadInput(f"it is of the class {type(loaded).__name__}, not {shape.__name__}")
    if not _ID.fullmatch(loaded.id):
        raise BadInput(f"the id {loaded.id!r} is not of small letters, digits, - and _")
    if (options := getattr(loaded, "options", None)) is not None:
        describe_options(options)
    return loaded


def entry_points_of(kind: str) -> tuple[importlib.metadata.EntryPoint, ...]:
    """What other distributions bring of a kind, in an order that does not depend on the machine."""
    found = installed_entry_points().select(group=f"toolplanner.{kind}")
    return tuple(sorted(found, key=lambda entry: (distribution_of(entry), entry.name)))


@cache
def installed_entry_points() -> importlib.metadata.EntryPoints:
    """Those of all distributions, looked for once: that reads a file of each."""
    found: Any = importlib.metadata.entry_points()  # of another class before Python 3.12
    return found


def distribution_of(entry: importlib.metadata.EntryPoint) -> str:
    """Who brings it."""
    return entry.dist.name if entry.dist else "an unnamed distribution"


def load_entry_point(
    entry: importlib.metadata.EntryPoint, check: Callable[[Any], T]
) -> T | BrokenPlugin:
    """Load what another distribution brings; what is wrong with it harms nobody else.

    Args:
        check: gives it back, or raises with the reason why it cannot be used.
    """
    try:
        return check(entry.load())
    except BadInput as error:
        reason = error.what
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever foreign code does
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    logger.warning("%s of %s is left out: %s", entry.name, distribution_of(entry), reason)
    return BrokenPlugin(entry.name, distribution_of(entry), reason)
