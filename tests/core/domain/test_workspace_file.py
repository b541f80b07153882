"""The name of a workspace: with or without its suffix."""

from pathlib import Path

from fixtures.command_line import toolplanner

from toolplanner_core.domain.workspace_file import existing_workspace


def test_workspace_when_named_without_its_suffix_then_found_where_only_that_is_there(
    tmp_path: Path,
) -> None:
    short, file = tmp_path / "mine", tmp_path / "mine.toolplanner"
    assert existing_workspace(short) == short, "nothing is there: the name as it was given"
    file.touch()
    assert existing_workspace(short) == existing_workspace(file) == file
    short.mkdir()
    assert existing_workspace(short) == short
    assert existing_workspace(tmp_path / "a.b") == tmp_path / "a.b"


def test_commands_when_given_the_name_that_new_was_given_then_open_its_file(
    tmp_path: Path,
) -> None:
    name = tmp_path / "mine"
    assert toolplanner("new", name).status == 0
    assert toolplanner("apis", "list", name).status == 0
    assert toolplanner("toolkits", "list", name, "--json").data == []
    assert toolplanner("new", name).status == 2, "the file is there"
