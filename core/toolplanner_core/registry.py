"""A package of plug-ins, one file each, found by walking the package.

Every kind of plug-in (source, embedder, clustering, layout, provider, model, strategy) has one
`Registry`.
A plug-in module carries one module-level constant `PLUGIN`; entry points of the group add those of
other
distributions. The frozen build collects its hidden imports by `Registry.module_names`, the same
walk.
"""

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar, cast

from toolplanner_core.errors import NotFound


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


T = TypeVar("T", bound=Plugin)


class Registry(Generic[T]):
    """The plug-ins of one package, loaded at first use.

    Args:
        package: dotted name of the package whose modules may define `PLUGIN`.
        what: the word for one of them in messages, such as "strategy".
    """

    def __init__(self, package: str, what: str) -> None:
        self.package = package
        self.what = what
        self._found: dict[str, T] | None = None

    def module_names(self) -> list[str]:
        """Dotted names of all modules of the package, for the frozen build."""
        package = importlib.import_module(self.package)
        return [f"{self.package}.{m.name}" for m in pkgutil.iter_modules(package.__path__)]

    def _load(self) -> dict[str, T]:
        found: dict[str, T] = {}
        for name in self.module_names():
            plugin = cast(T | None, getattr(importlib.import_module(name), "PLUGIN", None))
            if plugin is not None:
                found[plugin.id] = plugin
        group = f"toolplanner.{self.package.rsplit('.', 1)[-1]}"
        for entry in importlib.metadata.entry_points(group=group):
            plugin = cast(T, entry.load())
            found[plugin.id] = plugin
        return found

    @property
    def plugins(self) -> dict[str, T]:
        """All plug-ins by id."""
        if self._found is None:
            self._found = self._load()
        return self._found

    def __iter__(self) -> Iterator[T]:
        return iter(self.plugins.values())

    def get(self, plugin_id: str) -> T:
        """The plug-in with this id.

        Raises:
            NotFound: there is none; the message lists those there are.
        """
        try:
            return self.plugins[plugin_id]
        except KeyError:
            raise NotFound(
                f"There is no {self.what} called {plugin_id!r}",
                todo=f"Choose one of: {', '.join(sorted(self.plugins))}",
            ) from None
