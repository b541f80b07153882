"""Files, folders, addresses, pasted text: how each is read, and what is never waited for."""

import io
import json
import os
import socket
import zipfile
from pathlib import Path

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.sources import format_detection
from toolplanner_core.sources.files import Caps, Member, walk
from toolplanner_core.sources.format_detection import detect, read_sample
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected, sources
from toolplanner_core.workspace import Workspace

FUNCTION = {"name": "greet", "parameters": {"type": "object", "properties": {"who": {}}}}
ADDRESS = "https://ada:secret@tools.example/catalogues/greetings.json?key=secret"

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")


def zipped(name: str, document: object) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, json.dumps(document))
    return buffer.getvalue()


def test_pasted_text_when_imported_then_its_tools_come_in(workspace: Workspace) -> None:
    pasted = Location.of_text(json.dumps([FUNCTION]))
    report = import_source(workspace, pasted, options={"category": "Talk"})
    assert (report.format_id, report.added, report.rejected) == ("functions", 1, [])
    assert import_source(workspace, pasted, options={"category": "Talk"}).unchanged == 1
    api = preview_source(pasted).first[0]
    assert (api.tool, api.category) == ("pasted", "")
    rows = workspace.reader().execute("SELECT location FROM sources").fetchall()
    assert rows == [("pasted text",)]


def test_pasted_archive_when_read_then_like_a_file() -> None:
    pasted = Location.of_text(zipped("Talk/greet.json", FUNCTION))
    members = [item for item in walk(pasted) if isinstance(item, Member)]
    assert [member.where for member in members] == ["pasted:Talk/greet.json"]
    assert preview_source(pasted).first[0].category == "Talk"


def test_pasted_text_when_it_holds_no_tools_then_says_what_it_is() -> None:
    with pytest.raises(BadInput, match=r"pasted text: No tools.*begins with 'Hello'"):
        detect(Location.of_text("Hello"))
    with pytest.raises(BadInput, match="nothing in it"):
        detect(Location.of_text(""))
    too_long = Location.of_text(b"[" * 2_000)
    refused = list(walk(too_long, Caps(member_bytes=1_000)))
    assert isinstance(refused[0], Rejected)
    assert "2,000 bytes, more than the 1,000" in refused[0].why


def test_address_when_it_is_fetched_then_its_content_comes_in(workspace: Workspace) -> None:
    asked: list[str] = []

    def fetch(address: str) -> bytes:
        asked.append(address)
        return json.dumps([FUNCTION]).encode()

    assert import_source(workspace, Location.of(ADDRESS), fetch=fetch).added == 1
    assert asked == [ADDRESS]
    rows = workspace.reader().execute("SELECT location FROM sources").fetchall()
    assert rows == [("https://tools.example/catalogues/greetings.json",)]
    assert preview_source(Location.of(ADDRESS), fetch=fetch).first[0].tool == "greetings"


@needs_pipes
def test_pipes_and_sockets_in_a_folder_when_walked_then_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "good.json").write_text(json.dumps(FUNCTION))
    os.mkfifo(folder / "pipe.json")
    # A socket's path is short on every system; a relative one always is.
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.json")
        items = list(walk(Location.of(folder)))
    refused = {item.where: item.why for item in items if isinstance(item, Rejected)}
    assert refused == {
        "tools/pipe.json": "this is a pipe, not a file",
        "tools/socket.json": "this is a socket, not a file",
    }
    assert detect(Location.of(folder)).id == "functions"


@needs_pipes
def test_pipe_or_device_when_named_then_refused_at_once(
    tmp_path: Path, workspace: Workspace
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.json").symlink_to(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "a pipe"), (tmp_path / "link.json", "a pipe"),
        (Path("/dev/zero"), "a device"),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=f"This is {what}, not a file"):
            import_source(workspace, path)
        with pytest.raises(BadInput, match=what):
            import_source(workspace, path, format_id="functions")


def test_turn_when_two_formats_are_mixed_then_the_one_with_more_documents_reads(
    tmp_path: Path,
) -> None:
    tool = {"tool_name": "t", "api_list": []}
    for name, documents in {"a": [tool, FUNCTION, FUNCTION], "b": [tool, tool, FUNCTION]}.items():
        (tmp_path / name).mkdir()
        for number, document in enumerate(documents):
            (tmp_path / name / f"{number}.json").write_text(json.dumps(document))
    assert detect(Location.of(tmp_path / "a")).id == "functions"
    assert detect(Location.of(tmp_path / "b")).id == "toolbench"


def test_sample_when_files_are_large_then_a_few_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        (tmp_path / f"{number}.json").write_text(json.dumps(FUNCTION))
    assert len(read_sample(Location.of(tmp_path)).documents) == 9
    monkeypatch.setattr(format_detection, "_LOOK_AT_BYTES", 2 * len(json.dumps(FUNCTION)))
    sample = read_sample(Location.of(tmp_path))
    assert len(sample.documents) == len(sample.heads) == 3


def test_turn_when_two_formats_are_equally_certain_then_the_declared_order_decides(
    tmp_path: Path,
) -> None:
    both = {"api_list": [], **FUNCTION}
    (tmp_path / "both.json").write_text(json.dumps(both))
    sample = read_sample(Location.of(tmp_path / "both.json"))
    assert {plugin.id for plugin in sources if plugin.recognises(sample) == 1} == {
        "functions", "toolbench",
    }  # fmt: skip
    order = {plugin.id: plugin.order for plugin in sources}
    first = min(("functions", "toolbench"), key=lambda i: order[i])
    assert detect(Location.of(tmp_path / "both.json")).id == first
    assert len(set(order.values())) == len(order)
