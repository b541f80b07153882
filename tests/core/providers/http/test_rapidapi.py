"""ToolBench with the user's RapidAPI key: it goes in its header to its own origin, else nowhere."""

import json
from collections.abc import Sequence

import pytest
from fixtures.http_world import HttpWorld
from fixtures.rough_site import HttpSite, WebAnswer, moved

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.operation import Operation, Origin
from toolplanner_core.net import connecting
from toolplanner_core.sources.importing import import_source
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

SECRET = "rapid-tops3cret-value"


@pytest.fixture(autouse=True)
def all_names_mean_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    async def here(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(connecting, "resolve", here)


def imported(workspace: Workspace, url: str) -> Operation:
    """The operation of a ToolBench document with one API at an address."""
    folder = workspace.path.parent / "theirs"
    path = folder / "tools" / "Shop" / "parcels.json"
    path.parent.mkdir(parents=True)
    asked = {"name": "city", "type": "STRING", "description": "City", "default": ""}
    api = {"name": "Latest", "url": url, "description": "Where it is", "method": "GET",
           "required_parameters": [asked], "optional_parameters": []}  # fmt: skip
    document = {"tool_name": "Parcels", "tool_description": "Parcels", "api_list": [api]}
    path.write_text(json.dumps(document))
    import_source(workspace, folder / "tools", format_id="toolbench")
    (found,) = apis_by_rowid(workspace, all_rowids(workspace)).values()
    assert found.operation is not None
    return found.operation


def call(world: HttpWorld, operation: Operation, *origins: str) -> ErrorClass | None:
    world.allowed = frozenset(map(Origin.of, origins))
    return world.call(operation, {"city": "Oslo"}).failure


def test_key_when_saved_for_rapidapi_then_it_is_in_its_header_and_nowhere_else(
    site: HttpSite, world: HttpWorld, workspace: Workspace
) -> None:
    host = f"shop.p.rapidapi.com:{site.port}"
    operation = imported(workspace, f"http://{host}/latest")
    site.on("/latest", WebAnswer({"at": "home"}))
    world.key(f"http://*.p.rapidapi.com:{site.port}", "RapidAPI", SECRET)
    assert call(world, operation, f"http://{host}") is None
    (asked,) = site.asked
    assert asked.headers["x-rapidapi-key"] == SECRET
    assert asked.headers["x-rapidapi-host"] == "shop.p.rapidapi.com"
    assert asked.headers["host"] == host
    assert asked.target == "/latest?city=Oslo"
    assert [name for name, value in asked.headers.items() if SECRET in value] == ["x-rapidapi-key"]


@pytest.mark.parametrize(
    "host",
    [
        "shop.p.rapidapi.com.evil.test",
        "evilp.rapidapi.com",
        "p.rapidapi.com",
        "shop.p.rapidapi.com@evil.test",
        "evil.test/shop.p.rapidapi.com",
    ],
)
def test_key_when_a_document_looks_like_rapidapi_then_it_stays(
    site: HttpSite, world: HttpWorld, workspace: Workspace, host: str
) -> None:
    name, slash, path = host.partition("/")
    url = f"http://{name}:{site.port}/{path}{slash}latest"
    operation = imported(workspace, url)
    site.on(f"/{path}{slash}latest", WebAnswer({}))
    world.key(f"http://*.p.rapidapi.com:{site.port}", "RapidAPI", SECRET)
    call(world, operation, f"http://{name.rpartition('@')[2]}:{site.port}")
    assert SECRET not in repr(site.asked)


def test_key_when_it_is_for_one_host_then_another_of_rapidapi_does_not_get_it(
    site: HttpSite, world: HttpWorld, workspace: Workspace
) -> None:
    url = f"http://other.p.rapidapi.com:{site.port}"
    operation = imported(workspace, f"{url}/latest")
    world.key(f"http://shop.p.rapidapi.com:{site.port}", "RapidAPI", SECRET)
    assert call(world, operation, url) is ErrorClass.UNAUTHORISED
    assert not site.asked


@pytest.mark.parametrize("to", ["http://evil.test", "http://other.p.rapidapi.com"])
def test_key_when_rapidapi_leads_elsewhere_then_it_stays(
    site: HttpSite, other: HttpSite, world: HttpWorld, workspace: Workspace, to: str
) -> None:
    url = f"http://shop.p.rapidapi.com:{site.port}"
    operation = imported(workspace, f"{url}/latest")
    site.on("/latest", moved(f"{to}:{other.port}/b", 307))
    other.on("/b", WebAnswer({}))
    world.key(f"http://*.p.rapidapi.com:{site.port}", "RapidAPI", SECRET)
    call(world, operation, url, f"{to}:{other.port}")
    assert site.asked[0].headers["x-rapidapi-key"] == SECRET
    assert len(other.asked) == 1
    assert SECRET not in repr(other.asked)


def test_key_when_the_person_names_a_test_server_then_it_stays(
    site: HttpSite, other: HttpSite, world: HttpWorld, workspace: Workspace
) -> None:
    url = f"http://shop.p.rapidapi.com:{site.port}"
    operation = imported(workspace, f"{url}/latest")
    world.key(f"http://*.p.rapidapi.com:{site.port}", "RapidAPI", SECRET)
    world.base_urls = {"shop": other.origin}
    assert call(world, operation, other.origin) is ErrorClass.UNAUTHORISED
    assert not other.asked
