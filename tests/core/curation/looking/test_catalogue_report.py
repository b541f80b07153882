"""The report of a catalogue says what is there, what stands out, and what to do next."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_core.curation.edits.move import Move, NewToolkit
from toolplanner_core.curation.looking.catalogue_report import catalogue_report, read_figures
from toolplanner_core.curation.looking.report_tables import plain_name
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures
from toolplanner_core.workspace.catalogue import DuplicateDocuments, duplicate_documents
from toolplanner_core.workspace.toolkits import list_toolkits, member_rowids


@pytest.fixture
def workspace(demo: Path) -> Iterator[Workspace]:
    with Workspace.open(demo) as opened:
        yield opened


def report(workspace: Workspace) -> str:
    return catalogue_report(read_figures(workspace), name="demo.toolplanner")


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_report_when_the_demo_is_read_then_figures_are_those_of_its_toolkits(
    workspace: Workspace,
) -> None:
    text = report(workspace)
    assert text.startswith("# Catalogue of demo.toolplanner\n")
    sizes = section(text, "Sizes")
    assert "196 APIs in 35 toolkits" in sizes
    rows = [line for line in sizes.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert sum(int(row[1]) for row in cells) == 35
    assert sum(int(row[2]) for row in cells) == 196
    assert "None: every toolkit has a fallback" in section(text, "Toolkits of one API")
    assert "No API was called yet" in section(text, "Health")
    assert "Nothing stands out" in section(text, "What to do next")


def test_report_when_a_toolkit_has_one_api_then_says_there_is_no_fallback_and_where_it_fits(
    workspace: Workspace,
) -> None:
    kit = next(each for each in list_toolkits(workspace) if each.name == "Unit conversion")
    alone = member_rowids(workspace, kit.id)[0]
    history.do(workspace, NewToolkit(rowids=(alone,), name="Alone | *here*", description="x"))
    single = section(report(workspace), "Toolkits of one API")
    assert "1 toolkit (3 %) has one API" in single.replace("\n", " ")
    assert "no fallback" in single


def document_alike(workspace: Workspace, *rowids: int, url: str = "") -> None:
    """Document APIs word for word as the first of them; with `url`, at one address."""
    workspace.writer.run(
        lambda db: db.conn.executemany(
            "UPDATE apis SET (name, method, description, parameters) ="
            " (SELECT name, method, description, parameters FROM apis WHERE rowid = ?1),"
            " url = coalesce(nullif(?2, ''), url) WHERE rowid = ?3",
            [(rowids[0], url, rowid) for rowid in rowids],
        )
    )


def todo(workspace: Workspace) -> str:
    return section(report(workspace), "What to do next")


def test_report_when_apis_are_documented_the_same_then_they_are_named_until_one_is_excluded(
    workspace: Workspace,
) -> None:
    one, other = member_rowids(workspace, list_toolkits(workspace)[0].id)[:2]
    document_alike(workspace, one, other, url="https://a.example/b")
    (same,) = duplicate_documents(workspace)
    assert same.rowids == tuple(sorted([one, other]))
    assert "1 set of 2 APIs in all" in section(report(workspace), "Duplicates")
    assert "1 set of APIs has one address and the same words. Keep one of each" in todo(workspace)
    history.do(workspace, Exclude(rowids=(other,), reason="copy"))
    assert duplicate_documents(workspace) == []


def test_report_when_different_tools_use_the_same_words_then_nothing_is_said_to_be_one(
    workspace: Workspace,
) -> None:
    kits = list_toolkits(workspace)
    one, other = (member_rowids(workspace, kit.id)[0] for kit in (kits[0], kits[5]))
    document_alike(workspace, one, other)
    assert "by different tools and lie in several toolkits" in todo(workspace)
    assert "into one toolkit" in todo(workspace)
    assert "eep one" not in todo(workspace)

    history.do(workspace, Move(rowids=(other,), to=kits[0].id))

    assert "same" not in todo(workspace)
    assert "in one toolkit: they stand in for one another | 1 | 2 |" in report(workspace)


def test_report_when_one_tool_documents_two_addresses_alike_then_texts_are_asked_for(
    workspace: Workspace,
) -> None:
    one, other = workspace.one_row(
        "SELECT min(rowid), max(rowid) FROM apis GROUP BY tool_id HAVING count(*) > 1"
    )
    document_alike(workspace, one, other)
    workspace.writer.run(
        lambda db: db.execute("UPDATE apis SET url = 'https://a.example/' || rowid")
    )
    assert "of one tool differ by their addresses alone" in todo(workspace)
    assert "say in their texts what each is for" in todo(workspace)
    assert "eep one" not in todo(workspace)


def test_report_when_apis_did_not_come_again_then_says_how_many(workspace: Workspace) -> None:
    mark = "INSERT INTO missing_apis(api_rowid, since_us) VALUES(1, 1)"
    workspace.writer.run(lambda db: db.execute(mark))
    assert "1 API was not seen in the last crawl" in todo(workspace)


def test_report_when_a_table_shows_the_first_of_many_then_says_how_many_more_there_are(
    workspace: Workspace,
) -> None:
    same = DuplicateDocuments(rowids=(1, 2), is_repeated=False, tools=2)
    figures = replace(read_figures(workspace), copies=[same] * 15)
    copies = section(catalogue_report(figures, name="x"), "Duplicates")
    assert copies.count("\n| ") == 2 + 1 + 2 + 10
    assert "\nand 5 more\n" in copies
    calls = {rowid: CallFigures(n_ok=0, n_failed=2) for rowid in range(1, 16)}
    health = section(catalogue_report(replace(figures, calls=calls), name="x"), "Health")
    assert " and 5 more." in health


def test_report_when_a_name_holds_marks_then_they_are_only_text() -> None:
    said = plain_name("A | [b](http://x) <img>")
    assert said == r"A \| \[b\]\(http://x\) \<img\>"


def test_report_when_it_is_being_made_then_says_how_far_it_is_and_compares_toolkits_once(
    workspace: Workspace,
) -> None:
    kit = next(each for each in list_toolkits(workspace) if each.name == "Unit conversion")
    alone = member_rowids(workspace, kit.id)[0]
    history.do(workspace, NewToolkit(rowids=(alone,), name="Alone", description="x"))
    said: list[str] = []
    read_figures(workspace, progress=Progress(lambda report: said.append(report.stage)))
    assert said == list(dict.fromkeys(said)), "each stage once"
    assert said[-1] == "Comparing toolkits of one API"
    stopped = Progress()
    stopped.cancel()
    with pytest.raises(Cancelled):
        read_figures(workspace, progress=stopped)
