"""Texts of APIs by a model: batched, kept, proposed, accepted; vectors of the others stay."""

from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.describing import SPEC, about, ask, described, kits, told
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, scripted_endpoint

from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.describe import TellApis
from toolplanner_core.curation.edits.history import do, undo
from toolplanner_core.curation.grouping.accepting import accept_items
from toolplanner_core.describing.estimate import (
    DescribeEstimate,
    DescribeScope,
    DescribeWhat,
    estimate,
)
from toolplanner_core.describing.job import DescribeReport, embed_changed, last_failures
from toolplanner_core.describing.proposing import propose_texts
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.prompts.describe import DescribeApis
from toolplanner_core.prompts.editing import edit_prompt
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.prompts.texts import default_prompt
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.proposals import load_items

APIS = frozenset({DescribeWhat.APIS})


def apis_of(*toolkits: ToolkitId) -> DescribeScope:
    return DescribeScope(what=APIS, toolkits=frozenset(toolkits))


def ask_apis(
    workspace: Workspace, endpoint: ScriptedEndpoint, toolkits: list[ToolkitId]
) -> tuple[DescribeEstimate, DescribeReport]:
    found = estimate(workspace, SPEC, scope=apis_of(*toolkits))
    return found, ask(workspace, endpoint, [], found=found)


def vectors(workspace: Workspace) -> dict[str, bytes]:
    rows = workspace.reader().execute("SELECT text_hash, vector FROM vectors").fetchall()
    return dict(rows)


def texts_of(workspace: Workspace) -> dict[int, tuple[Any, ...]]:
    columns = "rowid, functionality, functionality_author, text_hash"
    rows = workspace.reader().execute(f"SELECT {columns} FROM apis ORDER BY rowid").fetchall()
    return {row[0]: row[1:] for row in rows}


def test_apis_when_described_then_batched_kept_proposed_accepted_and_undone(
    demo: Workspace,
) -> None:
    chosen = kits(demo, 3)
    with scripted_endpoint(Answers(told)) as endpoint:
        found, report = ask_apis(demo, endpoint, chosen)
        n = len(found.subjects)
        assert n > 3
        assert report.asked == n and not report.failures
        assert len(endpoint.requests) == len(found.wanted) == -(-n // 10)
        assert ask_apis(demo, endpoint, chosen)[1].known == n
        assert len(endpoint.requests) == len(found.wanted)
    [proposal] = propose_texts(demo, found, model=SPEC)
    items = load_items(demo, proposal)
    assert {item.kind for item in items} == {"API text"} and len(items) == n
    before, old = vectors(demo), texts_of(demo)
    done = accept_items(demo, proposal, [0, 1])
    assert len(done.changes.texts) == 2
    assert "2 APIs have another text" in consequences(done, name_of=str)
    embedded = embed_changed(demo, progress=Progress())
    assert embedded is not None
    assert embedded.encoded == 2
    after = vectors(demo)
    assert {hash_: after[hash_] for hash_ in before} == before
    assert len(after) == len(before) + 2
    assert embed_changed(demo, progress=Progress()) is None
    undo(demo)
    assert texts_of(demo) == old
    assert embed_changed(demo, progress=Progress()) is None


def test_apis_when_a_person_wrote_one_then_it_is_never_asked_proposed_or_replaced(
    demo: Workspace,
) -> None:
    [kit] = kits(demo, 1)
    mine, other = (one.id for one in estimate(demo, SPEC, scope=apis_of(kit)).subjects[:2])
    do(demo, TellApis(rowids=(mine,), texts=("My own words about it",)))
    found = estimate(demo, SPEC, scope=apis_of(kit))
    assert found.left_out == 1 and mine not in {one.id for one in found.subjects}
    with scripted_endpoint(Answers(told)) as endpoint:
        ask_apis(demo, endpoint, [kit])
    [proposal] = propose_texts(demo, found, model=SPEC)
    # Written after the proposal was made: this one stays, too.
    do(demo, TellApis(rowids=(other,), texts=("Mine, too",)))
    accept_items(demo, proposal)
    texts = texts_of(demo)
    assert texts[mine][:2] == ("My own words about it", "person")
    assert texts[other][:2] == ("Mine, too", "person")
    assert [row[1] for row in texts.values()].count("model") == len(found.subjects) - 1


def test_apis_when_the_model_leaves_one_out_then_it_is_asked_again_and_listed_with_a_reason(
    demo: Workspace,
) -> None:
    [kit] = kits(demo, 1)
    first = estimate(demo, SPEC, scope=apis_of(kit)).subjects[0]
    with scripted_endpoint(Answers(lambda body: told(body, lacking=first.shown[0]))) as endpoint:
        found, report = ask_apis(demo, endpoint, [kit])
        # All, then the one that was left out with three repairs of an answer without any.
        assert len(endpoint.requests) == 1 + 4
    assert report.asked == len(found.subjects) - 1
    [failure] = report.failures
    assert (failure.id, failure.name) == (first.id, first.name)
    assert "no API is described" in failure.reason
    assert last_failures(demo) == [failure]
    with scripted_endpoint(Answers(told)) as endpoint:
        assert ask_apis(demo, endpoint, [kit])[1].asked == 1
    assert last_failures(demo) == []


def test_estimate_when_a_prompt_is_edited_then_asked_anew_and_sent(demo: Workspace) -> None:
    [kit] = kits(demo, 1)
    with scripted_endpoint(Answers(described)) as endpoint:
        ask(demo, endpoint, [kit])
        text = default_prompt("describe_toolkit").text
        edit_prompt(demo, "describe_toolkit", f"Be brief.\n{text}")
        assert estimate(demo, SPEC, scope=about([kit])).to_ask == 1
        ask(demo, endpoint, [kit])
        assert endpoint.requests[-1]["messages"][0]["content"].startswith("Be brief.")


def test_command_when_apis_are_described_with_the_usual_model_then_accepted_by_toolkit(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = kits(demo, 2)
    assert "No model was chosen" in command_here("describe", demo.path, "--estimate").err
    monkeypatch.setenv("OPENAI_MODEL", "scripted")
    both = ["describe", demo.path, "--what", "apis", "--toolkit", one, "--toolkit", other]
    assert "question" in command_here(*both, "--estimate").out
    with scripted_endpoint(Answers(told)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        done = command_here(*both, "--json").data
    [proposal] = done["proposals"]
    accepted = command_here("review", "accept", demo.path, "--proposal", proposal, "--toolkit", one)
    assert accepted.status == 0, accepted.err
    left = [item for item in load_items(demo, proposal) if not item.verdict]
    assert {item.sources for item in left} == {(other,)}


@pytest.mark.parametrize(
    ("apis", "usable"),
    [
        ([{"number": 1, "text": "Gives the exchange rate of a day"}], {0}),
        ([{"number": 2, "text": "The weather of a city"}, {"number": 1, "text": ""}], {1}),
        ([{"number": 1, "text": "Sells umbrellas cheaply"}, {"number": 3, "text": "Rates"}], set()),
        ("nothing", set()),
    ],
)
def test_describe_apis_when_parsed_then_only_what_its_documentation_says_is_used(
    apis: Any, usable: set[int]
) -> None:
    question = DescribeApis(documentation=("Rates: exchange rate of a day", "Weather of a city"))
    if usable:
        assert set(question.parse({"apis": apis})) == usable
    else:
        with pytest.raises(AnswerInvalid):
            question.parse({"apis": apis})
