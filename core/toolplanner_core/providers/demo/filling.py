"""Fill a new workspace with the demo: the APIs, toolkits curated by hand, and the cases.

Called by `toolplanner new --demo`, `make demo` and the welcome page. Embedding and layout are left
to `curation`, which has progress and workers: `embed` and `lay_out` after this; clustering is not
needed, for the toolkits are there.
"""

import json
from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.cases import Case
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.demo.world.endpoint import SOURCE, load_demo_apis
from toolplanner_core.resources import resource_root
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import case_from_json, save_cases
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.toolkits import CuratedToolkit, add_curated_toolkits, list_toolkits

TITLE = "Demo workspace"


def demo_cases() -> list[Case]:
    """The cases of the demo, in their order."""
    return [case_from_json(entry) for entry in _read("cases.json")["cases"]]


def demo_toolkits() -> list[Mapping[str, Any]]:
    """The curated toolkits as data: `name`, `description`, `members` (keys of APIs)."""
    return _read("toolkits.json")["toolkits"]


def fill_demo_workspace(workspace: Workspace, *, progress: Progress) -> None:
    """Put APIs, toolkits, cases and settings into a workspace; filling again changes nothing.

    Raises:
        Cancelled: nothing but whole parts were stored.
    """
    apis = load_demo_apis()
    import_apis(
        workspace,
        apis,
        source_name=SOURCE,
        format_id=SOURCE,
        location="the demo that comes with ToolPlanner",
        progress=progress,
    )
    rowids = rowids_of(workspace, [api.id for api in apis])
    by_key = {api.key: rowids[api.id] for api in apis}
    here = {toolkit.name for toolkit in list_toolkits(workspace)}
    toolkits = [
        CuratedToolkit(
            name=toolkit["name"],
            description=toolkit["description"],
            members=[by_key[key] for key in toolkit["members"]],
        )
        for toolkit in demo_toolkits()
        if toolkit["name"] not in here
    ]
    progress.check()
    if toolkits:
        add_curated_toolkits(workspace, toolkits)
    save_cases(workspace, demo_cases())
    set_setting(workspace, "default_provider", SOURCE)
    set_setting(workspace, "title", TITLE)
    progress.report("Toolkits and cases", len(here) + len(toolkits), unit="toolkits")


def _read(name: str) -> Any:
    path = resource_root() / "demo" / name
    return json.loads(path.read_text(encoding="utf-8"))
