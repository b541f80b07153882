"""Which toolkits a profile serves, as they are now: regions and toolkits are edited meanwhile."""

from typing import NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.profiles import kept_version, read_profile
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_region_of
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import plannable_toolkits


class _Chosen(NamedTuple):
    """What is chosen at a version of the toolkits and of the profiles; `only` is None for all."""

    version: tuple[int, str]
    only: frozenset[ToolkitId] | None
    without: frozenset[ToolkitId]

    def includes(self, toolkit: ToolkitId) -> bool:
        is_chosen = self.only is None or toolkit in self.only
        return is_chosen and toolkit not in self.without


class ServedToolkits:
    """The toolkits of a profile. Thread-safe."""

    def __init__(self, workspace: Workspace, profile: ServingProfile) -> None:
        self._workspace, self._profile = workspace, profile
        self._kept: _Chosen | None = None

    def includes(self, toolkit: ToolkitId) -> bool:
        """Whether a toolkit is served. Blocks, for a look at versions."""
        return self._chosen().includes(toolkit)

    def all(self) -> list[Toolkit]:
        """Those that are served and hold something. Blocks."""
        chosen = self._chosen()
        return [each for each in plannable_toolkits(self._workspace) if chosen.includes(each.id)]

    @property
    def is_whole(self) -> bool:
        """Whether nothing was chosen: all are served."""
        chosen = self._chosen()
        return chosen.only is None and not chosen.without

    @property
    def version(self) -> str:
        """Of the profile; another one where it was changed."""
        return kept_version(self._workspace) if self._profile.follows else ""

    def _chosen(self) -> _Chosen:
        has_regions = self._profile.follows or self._profile.regions is not None
        toolkits = int(get_setting(self._workspace, "toolkits_version", 0)) if has_regions else 0
        version, kept = (toolkits, self.version), self._kept
        if kept is None or kept.version != version:
            kept = self._kept = self._choose(version)
        return kept

    def _choose(self, version: tuple[int, str]) -> _Chosen:
        profile = self._profile
        if profile.follows:
            profile = read_profile(self._workspace, profile.name)
        only = profile.toolkits
        if profile.regions is not None:
            places = all_region_of(self._workspace.reader()).items()
            inside = frozenset(kit for kit, region in places if region in profile.regions)
            only = inside | (only or frozenset())
        return _Chosen(version, only, profile.without)
