"""Exports of toolkits: each form is what its readers expect, and tells of what it leaves out."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.curated import FOOD, MONEY, WEATHER, curated_workspace
from jsonschema import Draft202012Validator

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Note, Rename
from toolplanner_core.curation.edits.marks import Exclude, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Move
from toolplanner_core.curation.sharing.exports.export_forms import export_form
from toolplanner_core.curation.sharing.exports.form import ExportRequest
from toolplanner_core.curation.sharing.exports.forms.markdown import plain
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.resources import resource_root
from toolplanner_core.sources.importing import import_source
from toolplanner_core.tool_schemas.dialect import dialects
from toolplanner_core.words.sanitizing import spreadsheet_cell
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.catalogue import all_rowids

ACTING = re.compile(
    "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


@pytest.fixture
def curated(tmp_path: Path) -> Iterator[Workspace]:
    """Weather renamed to a formula, one of its APIs excluded; Food pinned with a note."""
    with curated_workspace(tmp_path) as workspace:
        history.do(workspace, Rename(toolkit=WEATHER, name='=HYPERLINK("x") | <b>sun</b>'))
        history.do(workspace, Exclude(rowids=(2,), reason="needs *a key*"))
        history.do(workspace, Exclude(rowids=(3, 4)))
        history.do(workspace, PinToolkits(toolkits=(FOOD,)))
        history.do(workspace, PinApis(rowids=(7,)))
        history.do(workspace, Note(toolkit=FOOD, note="Ask Ann\n# before changing"))
        yield workspace


def text_of(workspace: Workspace, format_id: str, *toolkits: ToolkitId) -> str:
    request = ExportRequest(workspace=workspace, toolkits=toolkits or None)
    return "".join(export_form(format_id).write(request))


def test_json_when_exported_then_fits_its_schema_and_lists_what_is_excluded(
    curated: Workspace,
) -> None:
    document = json.loads(text_of(curated, "json"))
    schema = json.loads((resource_root() / "schemas" / "toolkits.v1.json").read_text())
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert [(len(t["apis"]), t["excluded"]) for t in document["toolkits"]] == [
        (2, 1),
        (2, 0),
        (0, 2),
        (2, 0),
    ]
    assert document["apis"] == 6
    assert document["without_toolkit"] == 3
    assert [row["reason"] for row in document["excluded"]] == ["needs *a key*", "", ""]
    food = document["toolkits"][1]
    assert (food["name"], food["pinned"], food["cohesion"]) == ("Food", True, None)
    assert [api["pinned"] for api in food["apis"]] == [True, False]
    alone = json.loads(text_of(curated, "json", FOOD))
    assert [toolkit["id"] for toolkit in alone["toolkits"]] == [FOOD]


def test_openai_when_one_toolkit_is_chosen_then_its_tools_can_be_imported_again(
    curated: Workspace, tmp_path: Path
) -> None:
    tools = json.loads(text_of(curated, "openai", FOOD))
    assert [tool["type"] for tool in tools] == ["function", "function"]
    names = [tool["function"]["name"] for tool in tools]
    assert names == ["functions_find_recipes", "functions_random_cocktail"]
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(tools), encoding="utf-8")
    with Workspace.create(tmp_path / "again.toolplanner") as again:
        report = import_source(again, file)
        assert (report.added, list(report.rejected)) == (2, [])
        assert len(all_rowids(again)) == 2


def test_openai_when_all_toolkits_are_exported_then_names_are_valid_and_lead_to_the_apis(
    curated: Workspace,
) -> None:
    document = json.loads(text_of(curated, "openai"))
    names: list[str] = []
    for toolkit in document["toolkits"]:
        functions = [tool["function"] for tool in toolkit["tools"]]
        names += [function["name"] for function in functions]
        assert [function["name"] for function in functions] == list(toolkit["apis"])
        assert all(len(function["description"]) <= 1024 for function in functions)
    assert len(set(names)) == len(names) == 6
    assert all(re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_-]{0,45}", name) for name in names)
    excluded = {toolkit["name"]: toolkit["excluded"] for toolkit in document["toolkits"]}
    assert excluded["Money"] == 2


def test_tools_when_an_api_of_the_same_name_comes_then_no_name_changes(
    curated: Workspace, tmp_path: Path
) -> None:
    before = json.loads(text_of(curated, "openai", FOOD))
    twins = [{"name": "find_recipes", "description": "Another.", "parameters": {}}]
    (tmp_path / "twins.json").write_text(json.dumps(twins), encoding="utf-8")
    import_source(curated, tmp_path / "twins.json", source_name="other")
    history.do(curated, Move(rowids=(max(all_rowids(curated)),), to=FOOD))
    after = json.loads(text_of(curated, "openai", FOOD))
    names = [tool["function"]["name"] for tool in after]
    assert {tool["function"]["name"] for tool in before} < set(names)
    assert len({name.casefold() for name in names}) == 3


def test_tools_when_written_for_each_vendor_then_the_same_apis_in_its_form(
    curated: Workspace,
) -> None:
    kept = {"openai": "function", "anthropic": "input_schema", "bedrock": "toolSpec",
            "plain": "inputSchema", "gemini": "description"}  # fmt: skip
    assert {dialect.id for dialect in dialects} == kept.keys()
    documents = {name: json.loads(text_of(curated, name)) for name in kept}
    for name, document in documents.items():
        assert document["format"] == f"toolplanner-{name}-tools"
        assert all(kept[name] in tool for kit in document["toolkits"] for tool in kit["tools"])
        apis = [kit["apis"] for kit in document["toolkits"]]
        assert apis == [kit["apis"] for kit in documents["openai"]["toolkits"]]


def test_csv_when_texts_look_like_formulas_then_they_are_quoted(curated: Workspace) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of(curated, "csv"))))
    assert len(rows) == 12
    assert [row["toolkit"] == row["toolkit_id"] == "" for row in rows] == [False] * 9 + [True] * 3
    assert all(row["api_id"] for row in rows)
    assert rows[0]["toolkit"] == '\'=HYPERLINK("x") | <b>sun</b>'
    excluded = [row for row in rows if row["excluded"]]
    assert [row["reason"] for row in excluded] == ["needs *a key*", "", ""]
    assert not any(value.startswith(("=", "+", "-", "@")) for row in rows for value in row.values())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("\t=1+1", "'=1+1"),
        ("\r\n@x", "'@x"),
        ("-5", "'-5"),
        ("a\nb", "a b"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_cell_when_it_begins_like_a_formula_then_an_apostrophe_is_before_it(
    text: str, written: str
) -> None:
    assert spreadsheet_cell(text) == written


def test_markdown_when_exported_then_no_text_of_others_becomes_a_mark(curated: Workspace) -> None:
    report = text_of(curated, "markdown")
    assert report.startswith("# Toolkits of curated\n")
    assert "| Excluded APIs | 3 |" in report
    assert "<b>" not in report.replace("\\<b", "")
    assert '## =HYPERLINK("x") \\| \\<b\\>sun\\</b\\>' in report
    assert "\\# before changing" in report
    assert "functions · current\\_weather: needs \\*a key\\*" in report
    assert "no reason given" in report
    assert "find\\_recipes (pinned)" in report
    assert plain("a\nb") == "a b"
    assert len(plain("x" * 500, 160)) == 160


HOSTILE = (
    "</td><script>alert(1)</script><img src=x onerror=alert(1)> | [x](javascript:alert(1))"
    " ![i](http://evil.example/p.png) `code` \u202egnp.exe\u2066\u200b\x1b[31m\x07\ufeff &lt;b&gt;"
)


@pytest.mark.parametrize("form", ["markdown", "csv", "json", "openai", "decisions"])
def test_export_when_texts_are_hostile_then_none_acts_and_none_becomes_a_mark(
    curated: Workspace, form: str
) -> None:
    def spoil(db: Database) -> None:
        db.execute("UPDATE apis SET name = ?, description = ? WHERE rowid = 1", [HOSTILE, HOSTILE])
        db.execute("UPDATE tools SET title = ?", [f"={HOSTILE}"])

    curated.writer.run(spoil)
    history.do(curated, Rename(toolkit=MONEY, name=f"={HOSTILE}"))
    history.do(curated, Note(toolkit=MONEY, note=HOSTILE))
    written = text_of(curated, form)
    if form in ("markdown", "csv"):
        assert ACTING.search(written) is None
        assert "⟨U+202E⟩" in written
    if form == "markdown":
        assert "script" in written
        assert re.search(r"(?<!\\)[<>`&\[\]]", written.replace("\n> ", "\n")) is None
    elif form == "csv":
        cells = [value for row in csv.reader(io.StringIO(written)) for value in row]
        assert not any(value.startswith(("=", "+", "-", "@")) for value in cells)
    else:
        lines = written.splitlines() if form == "decisions" else [written]
        assert all(json.loads(line) for line in lines)
        assert re.search("[\x00-\x09\x0b-\x1f]", written) is None


def test_export_when_a_toolkit_or_form_is_unknown_then_says_so(curated: Workspace) -> None:
    with pytest.raises(NotFound, match="There is no toolkit 99"):
        text_of(curated, "json", ToolkitId(99))
    with pytest.raises(BadInput, match="There is no form “xml”"):
        text_of(curated, "xml")
    with pytest.raises(BadInput, match="as a whole"):
        text_of(curated, "decisions", MONEY)


def test_export_when_the_workspace_is_empty_then_every_form_is_complete(
    workspace: Workspace,
) -> None:
    assert json.loads(text_of(workspace, "json"))["toolkits"] == []
    assert json.loads(text_of(workspace, "openai"))["toolkits"] == []
    assert text_of(workspace, "csv").startswith("toolkit_id,")
    assert "| Toolkits | 0 |" in text_of(workspace, "markdown")
    assert json.loads(text_of(workspace, "decisions"))["decisions"] == 0
