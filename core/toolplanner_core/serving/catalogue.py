"""What is served: names of tools and the APIs behind them.

Nothing is kept but names, which never change: whether an API is served is asked at each call and
each search, so that what a person merges, excludes or has not accepted yet counts at once, also
where a client goes on with an old list.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.curation.sharing.exports.tools import names_of
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.observation import SIMULATED, VIRTUAL
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import NotFound
from toolplanner_core.providers.routes import routes_of
from toolplanner_core.risk_overrides import RiskOverride, risk_of, risk_overrides
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.api_health import ApiHealth
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.selection import ServedToolkits
from toolplanner_core.tool_schemas.portable import PortableSchema, portable_schema
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_of_tool_name, get_api
from toolplanner_core.workspace.curated_tables import all_region_of, all_regions
from toolplanner_core.workspace.import_changes import is_unusable, is_waiting
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import list_toolkits, toolkit_of, usable_members

_WIDER = 4
"""A search looks at so many times what is wanted, and again so many times, until enough of it is
served."""
_MOST_SCHEMAS = 2_000
_GONE = "It is no longer in the catalogue"
_FIND = "Find what is there with find_tools"


class ServedApi(NamedTuple):
    """An API that is served, under the name of its tool."""

    name: str
    api: Api
    toolkit: ToolkitId


class ListVersion(NamedTuple):
    """What the list depends on: equal ones belong to equal lists.

    Attributes:
        toolkits: counts the edits of toolkits and the imports that changed something.
        profile: what is kept of the profile, where it is followed.
        risks: what this person said of the risk of APIs.
    """

    toolkits: int
    profile: str
    risks: Mapping[str, RiskOverride]


class ServedCatalogue:
    """The APIs of a profile.

    Attributes:
        health: how their calls went of late.

    Args:
        search: the catalogue of the workspace, for searches; stays open.
    """

    def __init__(
        self, workspace: Workspace, profile: ServingProfile, search: WorkspaceCatalogue
    ) -> None:
        self._workspace, self._profile, self._search = workspace, profile, search
        self._toolkits = ServedToolkits(workspace, profile)
        self.health = ApiHealth(workspace)
        self._names: dict[ApiId, str] = {}
        self._schemas: OrderedDict[tuple[ApiId, str], PortableSchema] = OrderedDict()

    def named(self, name: str) -> ServedApi:
        """The API that a tool's name stands for. Blocks.

        Raises:
            NotFound: there is none, or it is not served; with the reason for the agent.
        """
        api_id = api_of_tool_name(self._workspace, name)
        if api_id is None:
            raise NotFound(f"There is no tool called {name!r}", todo=_FIND)
        found, reason = self._served(api_id)
        if found is None:
            raise NotFound(f"{name} is not served", why=reason, todo=_FIND)
        return found

    def schema_of(self, api: Api) -> PortableSchema:
        """The arguments of an API as clients are told of them; the newest ones are kept. They are
        thousands of small steps, and asked for at each call and each hit. Thread-safe."""
        key = api.id, api.doc_hash
        found = self._schemas.pop(key, None) or portable_schema(api.parameters)
        self._schemas[key] = found
        if len(self._schemas) > _MOST_SCHEMAS:
            with contextlib.suppress(KeyError):  # another thread was first
                self._schemas.popitem(last=False)
        return found

    def served(self, api: ApiId) -> ServedApi | None:
        """An API under its tool's name, None if it is not served now. Blocks."""
        return self._served(api)[0]

    async def search(self, need: str, limit: int) -> list[ServedApi]:
        """The APIs that fit a need best, best first."""
        looked_at = limit * _WIDER
        while True:
            hits = await self._search.search(need, looked_at)
            apis = [hit.api for hit in hits]
            found = await asyncio.to_thread(self._first_served, apis, limit)
            if len(found) >= limit or len(hits) < looked_at:
                return found
            looked_at *= _WIDER

    def version(self) -> ListVersion:
        """As it is now, whoever made the last edit. Blocks, for a few microseconds."""
        return ListVersion(
            int(get_setting(self._workspace, "toolkits_version", 0)),
            self._toolkits.version,
            risk_overrides(),
        )

    def listed(self) -> list[ServedApi]:
        """All APIs, by toolkit and name. Blocks; seconds for 45,000."""
        contents = read_contents(self._workspace, self._living())
        found = [
            (toolkit.id, member.api)
            for toolkit in contents.toolkits
            for member in toolkit.usable
            if self._profile.allows(member.api)
        ]
        self._names |= names_of(self._workspace, [api for _, api in found])
        rows = [ServedApi(self._names[api.id], api, toolkit) for toolkit, api in found]
        order = {toolkit.id: place for place, toolkit in enumerate(contents.toolkits)}
        return sorted(rows, key=lambda row: (order[row.toolkit], row.name))

    def toolkits(self) -> list[Toolkit]:
        """The toolkits that are served, the largest first. Blocks."""
        return sorted(self._toolkits.all(), key=lambda each: (-each.size, each.name.casefold()))

    async def members(self, toolkit: Toolkit, near: str) -> list[ServedApi]:
        """The APIs of a toolkit that are served, those that fit best and work best first."""
        ranked = await self._search.members(toolkit.id, near=near)
        apis = [each.api for each in ranked]
        return await asyncio.to_thread(self._first_served, apis, len(apis))

    def members_served(self, toolkits: Collection[ToolkitId]) -> dict[ToolkitId, list[ApiId]]:
        """The APIs of some toolkits that are served. Blocks, for about a millisecond."""
        found: dict[ToolkitId, list[ApiId]] = {}
        overrides = risk_overrides()
        for each in usable_members(self._workspace, toolkits):
            risk = risk_of(each.api, each.risk, each.doc_hash, overrides)
            if self._profile.allows_risk(risk):
                found.setdefault(each.toolkit, []).append(each.api)
        return found

    def stand_ins(self, served: ServedApi) -> list[ServedApi]:
        """The others of its toolkit that are served. Blocks."""
        ids = self.members_served([served.toolkit]).get(served.toolkit, [])
        found = (self.served(api) for api in ids if api != served.api.id)
        return [each for each in found if each is not None]

    def regions(self) -> list[str]:
        """The names of the regions of which something is served, the largest first. Blocks."""
        return self._regions_of(self.toolkits())

    async def nearest_regions(self, need: str, limit: int) -> list[str]:
        """The names of the regions of the toolkits that are nearest to a need, those first."""
        scored = await self._search.shortlist(need, 4 * limit, without=())
        near = [each.toolkit for each in scored if each.score > 0]
        served = [each for each in near if self._toolkits.includes(each.id)]
        found = await asyncio.to_thread(self._regions_of, served)
        return (found or await asyncio.to_thread(self.regions))[:limit]

    def _regions_of(self, toolkits: Sequence[Toolkit]) -> list[str]:
        db = self._workspace.reader()
        names, places = all_regions(db), all_region_of(db)
        sizes: dict[str, int] = {}
        for each in toolkits:
            if each.id in places:
                name = names[places[each.id]].name
                sizes[name] = sizes.get(name, 0) + each.size
        return sorted(sizes, key=lambda name: -sizes[name])

    def toolkit(self, toolkit: ToolkitId) -> Toolkit:
        """A toolkit that is served. Blocks.

        Raises:
            NotFound: it is not (any more).
        """
        for each in self._toolkits.all():
            if each.id == toolkit:
                return each
        raise NotFound(
            "This toolkit is not served any more",
            why="It was merged or split, or nothing of it is served",
            todo="Read the list of tools again",
        )

    def _living(self) -> frozenset[ToolkitId] | None:
        """The toolkits of the profile that have not gone elsewhere since it was made."""
        if self._toolkits.is_whole:
            return None
        return frozenset(
            each.id for each in list_toolkits(self._workspace) if self._toolkits.includes(each.id)
        )

    def made_up_sources(self) -> list[str]:
        """The sources whose calls would be answered with invented replies. Blocks."""
        return [
            route.source
            for route in routes_of(self._workspace)
            if route.provider in (SIMULATED, VIRTUAL)
        ]

    def _first_served(self, apis: Sequence[Api], limit: int) -> list[ServedApi]:
        """Those that are served; not more than `limit`, and not more are looked at or named."""
        kept = list(islice((api for api in apis if not self._refusal(api)), limit))
        return self._named(kept)

    def _named(self, apis: Sequence[Api]) -> list[ServedApi]:
        """Under their tools' names, which the new ones get now; what has just left its toolkit is
        missing."""
        if new := [api for api in apis if api.id not in self._names]:
            self._names |= names_of(self._workspace, new)
        placed = [(api, toolkit_of(self._workspace, api.id)) for api in apis]
        return [ServedApi(self._names[api.id], api, kit) for api, kit in placed if kit is not None]

    def _served(self, api_id: ApiId) -> tuple[ServedApi | None, str]:
        """What is served, or why it is not."""
        try:
            api = get_api(self._workspace, api_id)
        except NotFound:
            return None, _GONE
        if reason := self._refusal(api):
            return None, reason
        found = self._named([api])
        return (found[0], "") if found else (None, _GONE)

    def _refusal(self, api: Api) -> str:
        """Why an API, as it was read this moment, is not served; "" if it is."""
        toolkit = toolkit_of(self._workspace, api.id)
        if is_waiting(self._workspace, api.id):
            return "Its documentation has changed, and nobody has accepted that yet"
        if is_unusable(self._workspace, api.id):
            return "It is excluded"
        if toolkit is None or not self._toolkits.includes(toolkit):
            return "It is not part of what is served here"
        if not self._profile.allows(api):
            return "It may change something, and only what reads is served here"
        return ""
