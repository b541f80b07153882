"""Profiles of what is served: kept under names, chosen by toolkit and region, and checked."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.client_here import talk_here
from fixtures.command_line import command_here
from sqlite_utils import Database

from toolplanner_core.errors import BadInput
from toolplanner_core.serving.guard import gateway_token, token_path
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.profiles import read_profile, save_profile, serve_toolkits
from toolplanner_core.serving.toolkit_tools import toolkit_of_tool_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.toolkits import list_toolkits


def listed(demo: Path, *flags: str) -> list[str]:
    return [tool["name"] for tool in command_here("serve", demo, "--dry-list", *flags).data]


def test_profile_when_kept_then_served_by_name_and_flags_change_it(demo: Path) -> None:
    saved = command_here(
        "serving", "save", demo, "money", "--toolkit", "Currency exchange", "--mode", "flat"
    )
    assert saved.status == 0
    assert f"toolplanner serve {demo} --profile money" in saved.out
    flat = listed(demo, "--profile", "money")
    assert "ExchangeHub_Convert_currency" in flat
    assert len(flat) < 12
    assert "find_tools" in listed(demo, "--profile", "money", "--mode", "search")
    other = listed(demo, "--profile", "money", "--toolkit", "Public holidays")
    assert "ExchangeHub_Convert_currency" not in other
    kept = command_here("serving", "show", demo, "money").data
    assert (kept["mode"], len(kept["toolkits"])) == ("flat", 1)
    assert list(command_here("serving", "list", demo, "--json").data) == ["money"]
    assert command_here("serving", "remove", demo, "money").status == 0
    assert command_here("serve", demo, "--dry-list", "--profile", "money").status == 2
    unknown = command_here("serve", demo, "--dry-list", "--region", "Nowhere")
    assert (unknown.status, "There is no region “Nowhere”" in unknown.err) == (2, True)


def test_profile_when_it_names_regions_then_their_toolkits_are_served_as_they_are_now(
    demo: Path,
) -> None:
    region = "INSERT INTO regions(id, name, name_author, colour) VALUES(?, ?, 'person', 0)"
    member = "INSERT OR REPLACE INTO region_toolkits VALUES(?, ?)"

    def fill(db: Database) -> None:
        for number, name in ((7, "Money"), (8, "Rest")):
            db.execute(region, [number, name])
        for kit in range(1, 36):
            db.execute(member, [kit, 7 if kit == 9 else 8])

    def served() -> set[int | None]:
        return {toolkit_of_tool_name(name) for name in listed(demo, "--profile", "money")}

    with Workspace.open(demo) as workspace:
        workspace.writer.run(fill)
        assert command_here("serving", "save", demo, "money", "--region", "Money").status == 0
        mode = ("--profile", "money", "--mode", "toolkits")
        assert command_here("serving", "save", demo, "money", *mode).status == 0
        assert served() == {9, None}
        workspace.writer.run(lambda db: db.execute(member, [3, 7]))
        assert served() == {3, 9, None}


def test_toolkit_when_not_served_then_neither_listed_nor_called(demo: Path) -> None:
    listed(demo, "--mode", "flat", "--yes")  # APIs have names from now on
    with Workspace.open(demo) as workspace:
        [money] = [each for each in list_toolkits(workspace) if each.name == "Currency exchange"]
        profile = serve_toolkits(workspace, [money.id], is_served=False)
        assert read_profile(workspace, "default") == profile

    async def talk(client: Any) -> tuple[list[str], Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        call = {"name": "ExchangeHub_Convert_currency", "arguments": {}}
        return names, await client.call_tool("call_tool", call)

    names, called = talk_here(demo, talk, profile)
    assert money.id not in {toolkit_of_tool_name(name) for name in names}
    assert called.is_error
    assert "not part of what is served" in called.content[0].text
    with Workspace.open(demo) as workspace:
        assert serve_toolkits(workspace, [money.id], is_served=True) == ServingProfile()


@pytest.mark.parametrize(
    "kept",
    [{"mode": "loud"}, {"toolkits": 3}, {"toolkits": ["x"]}, {"allows_changes": True}, 5],
)
def test_profile_when_the_file_came_from_elsewhere_then_it_allows_nothing(
    demo: Path, kept: Any
) -> None:
    with Workspace.open(demo) as workspace:
        set_setting(workspace, "serving_profiles", {"default": kept})
        try:
            profile = read_profile(workspace, "default")
        except BadInput as error:
            assert "cannot be read" in error.what
        else:
            assert profile == ServingProfile()
            assert not profile.allows_changes


@pytest.mark.parametrize("name", ["", " ", "a/b", "x" * 61, "a\nb"])
def test_profile_when_its_name_cannot_be_one_then_refused(demo: Path, name: str) -> None:
    with Workspace.open(demo) as workspace, pytest.raises(BadInput):
        save_profile(workspace, ServingProfile(name=name))


def test_check_when_all_is_well_then_zero_and_else_one(demo: Path) -> None:
    good = command_here("serving", "check", demo, "--json")
    rows = {row["title"]: row for row in good.data}
    assert good.status == 0
    assert {"Names", "It starts", "Replies are real", "Google Gemini", "Health"} <= set(rows)
    assert "tools, about" in rows["List in the mode flat"]["found"]
    assert "OpenAI takes at most 128 tools" in rows["List in the mode flat"]["found"]
    assert rows["List in the mode toolkits"]["found"].endswith("tokens"), "36 are not too many"
    too_long = command_here("serving", "check", demo, "--mode", "flat")
    assert too_long.status == 1
    assert "failed" in too_long.out
    assert command_here("serving", "check", demo, "--mode", "flat", "--yes").status == 0


def test_token_when_revoked_then_another_is_made() -> None:
    token_path().unlink(missing_ok=True)
    assert command_here("serving", "revoke").status == 2
    assert "no token yet" in command_here("serving", "tokens").out
    first = gateway_token()
    shown = command_here("serving", "tokens", "--json")
    assert json.loads(shown.out)[0]["path"] == str(token_path())
    assert first not in shown.out
    assert command_here("serving", "revoke").status == 0
    assert gateway_token() != first
