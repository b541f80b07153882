"""Names and texts of toolkits by a model: what is asked, kept, proposed and accepted.

A real workspace with toolkits, the real client against a scripted endpoint.
"""

import itertools
import json

import pytest
from fixtures.command_line import command_here
from fixtures.describing import SPEC, about, ask, described, kits
from fixtures.scripted_endpoint import Answers, Status, scripted_endpoint

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history import do, undo
from toolplanner_core.curation.grouping.accepting import accept_items, preview_items
from toolplanner_core.describing.estimate import estimate
from toolplanner_core.describing.job import DescribeLimits
from toolplanner_core.describing.proposing import propose_texts
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.prompts.describe import DescribeToolkit
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.words.word_diff import word_diff
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.proposals import load_items
from toolplanner_core.workspace.toolkits import get_toolkit


def test_job_when_it_ran_then_a_second_one_asks_nothing(demo: Workspace) -> None:
    chosen = kits(demo, 5)
    first = estimate(demo, SPEC, scope=about(chosen))
    assert first.to_ask == 5
    assert 300 < first.input_tokens < 5_000
    with scripted_endpoint(Answers(described)) as endpoint:
        report = ask(demo, endpoint, chosen)
        assert (report.asked, report.failures, report.known) == (5, [], 0)
        assert report.tokens == 5 * 18
        assert report.cost == pytest.approx(5 * (11 * 1.0 + 7 * 2.0) / 1e6)
        again = ask(demo, endpoint, chosen)
        assert (again.asked, again.known, len(endpoint.requests)) == (0, 5, 5)
    assert estimate(demo, SPEC, scope=about(chosen)).to_ask == 0
    assert estimate(demo, "openai:other", scope=about(chosen)).to_ask == 5


def test_job_when_cancelled_then_answers_are_kept_and_it_goes_on(demo: Workspace) -> None:
    chosen = kits(demo, 6)

    def stop(report: ProgressReport) -> None:
        if report.done == 2:
            quick.cancel()

    # A clock that leaps: every report is heard.
    quick = Progress(stop, clock=itertools.count().__next__)
    one = DescribeLimits(at_once=1)
    with scripted_endpoint(Answers(described)) as endpoint:
        with pytest.raises(Cancelled):
            ask(demo, endpoint, chosen, limits=one, progress=quick)
        kept = estimate(demo, SPEC, scope=about(chosen))
        assert 2 <= 6 - kept.to_ask < 6
        assert ask(demo, endpoint, chosen).asked == kept.to_ask


def test_job_when_the_budget_is_used_up_then_it_stops_and_says_so(demo: Workspace) -> None:
    chosen = kits(demo, 6)
    with scripted_endpoint(Answers(described)) as endpoint:
        limits = DescribeLimits(at_once=1, max_tokens=36)
        report = ask(demo, endpoint, chosen, limits=limits)
        assert (report.asked, report.stopped) == (2, "the limit of 36 tokens is reached")
        cheap = DescribeLimits(at_once=1, max_cost=20e-6)
        assert ask(demo, endpoint, chosen, limits=cheap).asked == 1


def test_job_when_the_endpoint_refuses_then_it_stops_at_once(demo: Workspace) -> None:
    with scripted_endpoint(Answers(lambda _: Status(401, "no key"))) as endpoint:
        report = ask(demo, endpoint, kits(demo, 6), limits=DescribeLimits(at_once=1))
        assert report.stopped and report.asked == 0
        assert len(endpoint.requests) == 1


def test_job_when_an_answer_does_not_fit_then_it_is_sent_back(demo: Workspace) -> None:
    wrong = json.dumps({"description": "Good.", "name": "Xylophone lessons"})
    with scripted_endpoint(wrong, Answers(described)) as endpoint:
        assert ask(demo, endpoint, kits(demo, 1)).asked == 1
        assert "no API speaks of" in endpoint.requests[1]["messages"][-1]["content"]


def test_proposal_when_accepted_then_one_edit_and_a_persons_texts_stay(demo: Workspace) -> None:
    named, other, third = kits(demo, 3)
    do(demo, Rename(toolkit=named, name="My own name"))
    with scripted_endpoint(Answers(described)) as endpoint:
        ask(demo, endpoint, [named, other, third])
    found = estimate(demo, SPEC, scope=about([named, other, third]))
    [proposal] = propose_texts(demo, found, model=SPEC)
    items = load_items(demo, proposal)
    assert [item.kind for item in items] == ["text"] * 3
    assert "{+Does" in items[0].label
    before = [get_toolkit(demo, kit) for kit in (named, other, third)]
    preview_items(demo, proposal, [0])
    assert [get_toolkit(demo, kit) for kit in (named, other, third)] == before

    accept_items(demo, proposal, [items[1].position])
    assert _authors(get_toolkit(demo, other)) == (Author.MODEL, Author.MODEL)
    assert get_toolkit(demo, third) == before[2]
    # Named by a person after the proposal was made: the name stays, the description comes.
    do(demo, Rename(toolkit=third, name="Mine, too"))
    accept_items(demo, proposal)
    assert get_toolkit(demo, named).name == "My own name"
    assert get_toolkit(demo, named).description.startswith("Does ")
    assert get_toolkit(demo, third).name == "Mine, too"
    assert _authors(get_toolkit(demo, third)) == (Author.PERSON, Author.MODEL)
    undo(demo)
    assert get_toolkit(demo, named).description == before[0].description


def _authors(toolkit: Toolkit) -> tuple[Author, Author]:
    return toolkit.name_author, toolkit.description_author


def test_command_when_estimated_and_run_then_says_what_and_makes_a_proposal(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    [one] = kits(demo, 1)
    only = ["describe", str(demo.path), "--model", SPEC, "--toolkit", str(one)]
    assert "1 question" in command_here(*only, "--estimate").out
    with scripted_endpoint(Answers(described)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        done = command_here(*only, "--json").data
    assert done["asked"] == 1
    [proposal] = done["proposals"]
    listed = command_here("review", "list", demo.path, "--proposal", proposal).out
    assert "{+" in listed


def test_command_when_the_model_is_the_offline_planner_then_refused(demo: Workspace) -> None:
    assert "needs a language model" in command_here("describe", demo.path, "--model", "offline").err


def test_word_diff_when_texts_differ_then_by_words() -> None:
    assert word_diff("the old text", "the new text") == "the [-old-] {+new+} text"


@pytest.mark.parametrize(
    ("name", "fits"),
    [("Exchange rates", True), ("rates of exchange", True), ("Money magic", False), ("", False)],
)
def test_describe_toolkit_when_named_then_only_by_words_of_its_apis(name: str, fits: bool) -> None:
    question = DescribeToolkit(members=("Rates: get the exchange rate of a day",))
    data = {"description": "Gives rates.", "name": name}
    if fits:
        assert question.parse(data).name == name
    else:
        with pytest.raises(AnswerInvalid):
            question.parse(data)
