"""What the inspector says of a node."""

from fixtures.made_records import made_record

from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.nodes import CALL, QUESTION, NodeState
from toolplanner_core.runs.events.call import CallFailed, CallInDoubt, CallReturned, CallSent
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.events.decision import CatalogueLookup, Decided
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.fork import ForkOrigin, PersonDecided
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.presentation.edit_words import decided_apis
from toolplanner_core.runs.presentation.node_report import make_report
from toolplanner_core.runs.presentation.sections import pretty_text
from toolplanner_core.runs.tree.node import Node


def record(seq: int, event: Event) -> Record:
    return made_record(seq, event, "p")


def test_report_of_a_failed_call_explains_its_class_and_shows_who_answered() -> None:
    node = Node(
        path=NodePath("p"), parent=None, kind=CALL.id, title="GasPriceAPI · get",
        state=NodeState.FAILED, reason="server error 500", error="server_error",
        started_ns=0, ended_ns=400_000_000, data={"api": "ab12"},
    )  # fmt: skip
    report = make_report(
        node,
        [
            record(
                1,
                CallSent(
                    api="ab12", title="GasPriceAPI · get", arguments={"city": "Springfield"},
                    bindings={"city": {"step": 1, "path": ["places", 0, "name"]}},
                    provider="simulated", risk="read", fingerprint="f", occurrence=0, retry=0,
                ),
            ),
            record(
                2,
                CallFailed(
                    error="server_error", message="down", status=500, body='{"error":1}',
                    content_type="application/json", headers={}, origin="simulated", elapsed_ms=400,
                ),
            ),
        ],
        cause=None,
    )  # fmt: skip
    assert report.facts == "failed: server error 500 · 400 ms · answered by Simulated replies"
    assert report.arguments[0].origin == "from step 1: places › 0 › name"
    assert [s.title for s in report.result] == [
        "Request to GasPriceAPI · get",
        "Response · status 500 · Simulated replies · 400 ms",
    ]
    assert report.result[1].text == '{\n  "error": 1\n}'
    assert report.why[0].text == "The API failed on its own side (HTTP 5xx)."
    assert report.api == "ab12"


def test_report_of_a_question_shows_messages_reply_and_the_model() -> None:
    node = Node(
        path=NodePath("p"), parent=None, kind=QUESTION.id, title="Make a plan",
        state=NodeState.OK,
    )  # fmt: skip
    report = make_report(
        node,
        [
            record(
                1,
                ModelAsked(
                    question="make_plan", version=1, title="Make a plan", model="offline planner",
                    messages=[{"role": "user", "content": "Plan this"}], schema={}, temperature=0.3,
                    fingerprint="f", occurrence=0, repair=0, retry=0,
                ),
            ),
            record(
                2,
                ModelReplied(
                    text="", data={"steps": []}, input_tokens=0, output_tokens=0, elapsed_ms=1,
                    raw={},
                ),
            ),
        ],
        cause=None,
    )  # fmt: skip
    assert "offline planner" in report.facts
    (told,) = report.conversations
    assert told.title == "Make a plan"
    assert [(s.role, s.text) for s in told.spoken] == [
        ("user", "Plan this"), ("assistant", '{\n  "steps": []\n}'),
    ]  # fmt: skip


def test_report_shows_messages_that_a_person_changed_one_by_one() -> None:
    node = Node(path=NodePath("p"), parent=None, kind=QUESTION.id, title="Act",
                state=NodeState.OK)  # fmt: skip
    call = {"id": "1", "name": "look", "arguments": '{"q": 1}'}
    first = {"role": "system", "content": "Be short."}
    before = [first, {"role": "user", "content": "Find it."}]
    after = [first, {"role": "assistant", "content": "", "calls": [call]}]
    changed = PersonDecided(stop="before_question", choice="edit", title="Act",
                            before={"messages": before}, after={"messages": after})  # fmt: skip
    (edit,) = make_report(node, [record(1, changed)], cause=None).edits
    assert edit.title.startswith("You changed the messages · Act")
    assert edit.text == '− user: Find it.\n+ assistant: look({"q": 1})'


def test_report_shows_both_versions_of_what_a_person_changed() -> None:
    node = Node(path=NodePath("p"), parent=None, kind=CALL.id, title="A · get",
                state=NodeState.OK)  # fmt: skip
    before = {"api": "a1", "api_title": "A · get", "arguments": {"city": "Graz", "days": 2}}
    after = {"api": "b2", "arguments": {"city": "Linz", "unit": "metric"}}
    records = [
        record(1, PersonDecided(stop="before_call", choice="edit", title="A · get", before=before,
                                after=after)),
        record(2, PersonDecided(stop="after_call", choice="answer", title="A · get",
                                before={"value": None, "error": "timeout"},
                                after={"value": {"x": 1}})),
        record(3, FaultInjected(kind="500", rule="500:all", title="A · get", nth=1)),
        record(4, CallInDoubt(title="A · get", message="It may have happened")),
        record(5, ForkOrigin(parent_run=3, fork_seq=17, at="plan.1", reason="fork",
                             changes={"model": "openai:x"}, model="m", model_label="m",
                             provider="demo", options={}, limits={}, app_version="1")),
    ]  # fmt: skip
    assert decided_apis(records) == ["a1", "b2"]
    report = make_report(node, records, cause=None, names={ApiId("b2"): "B · find"})
    edited, answered, forked = report.edits
    assert edited.title.startswith("You changed the call · A · get")
    assert edited.text.splitlines() == [
        "api: A · get → B · find", "city: Graz → Linz", "days: 2 → not given",
        "unit: not given → metric",
    ]  # fmt: skip
    assert answered.text == 'value: {"x": 1}'
    assert forked.title.startswith("Forked from run 3 after event 17 at plan.1")
    assert forked.text == "model: openai:x"
    assert [s.title for s in report.why] == ["A fault was injected", "In doubt"]


def test_headers_of_a_response_are_shown() -> None:
    node = Node(path=NodePath("p"), parent=None, kind=CALL.id, title="A", state=NodeState.OK)
    returned = CallReturned(status=200, body="ok", content_type="text/plain",
                            headers={"retry-after": "5"}, origin="demo", elapsed_ms=1)  # fmt: skip
    report = make_report(node, [record(1, returned)], cause=None)
    assert [(s.title, s.text) for s in report.result][1] == ("Response headers", "retry-after: 5")


def test_pretty_text_leaves_broken_json_alone() -> None:
    assert pretty_text("{broken") == "{broken"


def test_candidates_when_demonstrations_were_found_then_each_has_its_query_for_a_title() -> None:
    node = Node(
        path=NodePath("p"), parent=None, kind=CALL.id, title="T", state=NodeState.OK,
    )  # fmt: skip
    found = [
        {"score": 0.9, "demonstration": {"query": "Which way?", "id": 1}},
        {"score": 0.8, "demonstration": {"query": "How far?", "id": 2}},
    ]
    lookup = CatalogueLookup(what="demonstrations", request={}, found=found)
    report = make_report(node, [record(1, lookup)], cause=None)
    assert [each.title for each in report.candidates] == [
        "Demonstration: Which way?",
        "Demonstration: How far?",
    ]


def test_report_of_a_question_when_its_prompt_is_known_then_named_as_in_the_window() -> None:
    node = Node(path=NodePath("p"), parent=None, kind=QUESTION.id, title="T", state=NodeState.OK)
    asked = ModelAsked(
        question="make_plan", version=1, title="Make a plan", model="m", messages=[], schema={},
        temperature=0.0, repair=0, retry=0, fingerprint="f", occurrence=0,
        prompts={"make_plan": "1f0c2a93be47"},
    )  # fmt: skip
    [prompt] = make_report(node, [record(1, asked)], cause=None).why
    assert prompt.text.startswith("Make a plan · ")
    assert "1f0c2a93be47" in prompt.text


def test_candidates_when_a_step_fell_back_then_all_are_there_with_what_became_of_them() -> None:
    def node(path: str, state: NodeState, api: str = "", reason: str = "") -> Node:
        return Node(
            path=NodePath(path), parent=None, kind="attempt" if api else "step", title=api,
            state=state, reason=reason, data={"api": api} if api else {},
        )  # fmt: skip

    rows = [{"api": name, "title": name.upper(), "score": 1.0, "parts": {}} for name in "abc"]
    offered = [{"id": name, "title": name.upper(), "score": 1.0, "parts": {}} for name in "bc"]
    records = [
        record(1, CatalogueLookup(what="members", request={}, found=rows)),
        record(
            2, Decided(point="before_fallback", title="Fall back", alternatives=offered, chosen="b")
        ),
    ]
    below = [
        node("s/attempt.1", NodeState.FELL_BACK, "a", "not found"),
        node("s/attempt.2", NodeState.OK, "b"),
    ]
    report = make_report(node("s", NodeState.OK), records, cause=None, below=below)
    assert [(each.title, each.became) for each in report.candidates] == [
        ("A", "failed: not found"),
        ("B", "ok"),
        ("C", ""),
    ]


def test_why_when_several_were_ranked_then_says_which_came_first_and_by_what() -> None:
    node = Node(path=NodePath("s"), parent=None, kind="step", title="T", state=NodeState.OK)
    found = [
        {"api": "a", "title": "A", "score": 4.16, "parts": {"bm25": 3.28, "health": 0.5}},
        {"api": "b", "title": "B", "score": 3.9, "parts": {}},
    ]
    lookup = CatalogueLookup(what="members", request={}, found=found)
    [first] = make_report(node, [record(1, lookup)], cause=None).why
    assert first.title == "What came first"
    assert first.text == "A, of 2: 4.16 (bm25 3.28 · smoothed health 0.50); next B: 3.90"
    [alone] = found[:1]
    lookup = CatalogueLookup(what="members", request={}, found=[alone])
    assert make_report(node, [record(1, lookup)], cause=None).why == []
