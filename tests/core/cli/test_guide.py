"""The guide: each command in it is run as it stands there, and what its pages name is there."""

import json
import re
import shlex
import shutil
import textwrap
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.plain_documents import write_plain_documents
from fixtures.scripted_endpoint import Answers, Says, scripted_endpoint

from toolplanner_core.words.guide import GuidePage, guide_folder, guide_pages, page_about
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names

ROOT = Path(__file__).resolve().parents[3]
PAGES = guide_pages()
BLOCK = re.compile(r"\n\n((?:    .+\n)+)")
FILE = re.compile(r"a file, `([\w.]+)`:\n\n((?:    .+\n)+)")
PICTURE = re.compile(r"!\[(.*?)\]\((.*?)\)", re.DOTALL)


def commands_of(page: GuidePage) -> list[list[str]]:
    """What a person types in a terminal, in its order; blocks with other programs are not run."""
    blocks = [match[1].splitlines() for match in BLOCK.finditer(page.text)]
    ours = [lines for lines in blocks if all(line[4:].startswith("toolplanner") for line in lines)]
    return [shlex.split(line, comments=True)[1:] for lines in ours for line in lines]


README = GuidePage(
    id="readme", title="README", text=(ROOT / "README.md").read_text("utf-8"), explains=frozenset()
)


def desk(folder: Path, demo: Path) -> None:
    """The files that commands name: the demo as `my.toolplanner`, catalogues, labelled queries."""
    shutil.copy(demo, folder / "my.toolplanner")
    (folder / "documents").mkdir()
    write_plain_documents(folder / "documents")
    first = min((folder / "documents").glob("*.json"))
    first.rename(folder / "openapi.json")
    (folder / "tools.csv").write_text(
        "Title,Text\nTide table,When the sea is high at a harbour.\nBus stops,Stops near a place.\n"
    )
    with Workspace.open(folder / "my.toolplanner") as workspace:
        rows = [
            {"query": f"I need {api.title} please", "gold": [api.key]}
            for api in api_names(workspace)
        ]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))


TYPED = [page for page in (README, *PAGES) if commands_of(page)]


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.id)
def test_commands_when_typed_as_the_page_says_then_each_works(
    page: GuidePage, demo_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk(tmp_path, demo_file)
    monkeypatch.chdir(tmp_path)
    with scripted_endpoint(Answers(lambda _body: Says("250 EUR are 285.5 USD."))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        for name, lines in FILE.findall(page.text):
            Path(name).write_text(textwrap.dedent(lines))
        for command in commands_of(page):
            if command[0] == "new":
                Path(command[1]).unlink()
            done = command_here(*command)
            # 1 is an answer of a run or of a check, too: "not solved".
            is_verdict = command[0] in ("run", "runs") and done.status == 1
            assert done.status == 0 or is_verdict, (command, done.out, done.err)


def test_pages_when_read_then_each_begins_with_what_it_is_about_and_has_tasks() -> None:
    assert len(PAGES) >= 10
    for page in PAGES:
        assert page.tasks, page.id
        assert len(page.text.splitlines()) <= 75, "a page is short"
    explained = [place for page in PAGES for place in page.explains]
    assert len(explained) == len(set(explained)), "one page explains a place"
    assert page_about("review").id == "review"
    assert page_about("nothing of that name").id == "first-map"


def test_pictures_when_pages_are_read_then_each_is_there_light_and_dark_and_none_is_left_over() -> (
    None
):
    named = {Path(address).stem for page in PAGES for _, address in PICTURE.findall(page.text)}
    wanted = {f"{name}{mode}.png" for name in named for mode in ("", "-dark")}
    assert {path.name for path in (guide_folder() / "pictures").glob("*")} == wanted


def test_html_when_written_then_pages_lead_to_each_other_and_pictures_are_beside(
    tmp_path: Path,
) -> None:
    done = command_here("guide", "--html", tmp_path / "guide", "--json")
    begin = Path(json.loads(done.out)["begin"])
    html = begin.read_text()
    assert "<kbd>Ctrl+F</kbd>" in html and "<h1>First map</h1>" in html
    addresses = re.findall(r'(?:href|src)="([^"]+)"', html)
    assert len(addresses) >= len(PAGES)
    assert all((begin.parent / address).exists() for address in addresses)


def test_page_when_it_does_not_exist_then_says_which_do() -> None:
    done = command_here("guide", "cooking")
    assert done.status == 2 and "first-map" in done.err
    assert command_here("guide", "review").out.startswith("# Review")


def test_readme_when_read_then_it_is_short_and_leads_to_every_page() -> None:
    assert len(README.text.splitlines()) <= 110
    links = re.findall(r"\]\(((?!http)[^)]+)\)", README.text)
    assert all((ROOT / link).exists() for link in links)
    assert {path.name for path in guide_folder().glob("*.md")} <= {Path(x).name for x in links}
