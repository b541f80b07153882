"""The HTML file: complete, well formed, and unable to do anything but show itself."""

import base64
import dataclasses
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fixtures.command_line import toolplanner
from fixtures.own_strategy import Talker, do
from fixtures.recorded_runs import NAMES, record_run, stored_event, stored_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2 import UndefinedError

from toolplanner_core.errors import NotFound
from toolplanner_core.html_templates import render_html
from toolplanner_core.llm.model import Reply, Usage
from toolplanner_core.prompts.conversation import Function
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import CatalogueLookup, Decided, Noted
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import (
    AnswerRejected,
    ModelAsked,
    ModelFailed,
    ModelReplied,
)
from toolplanner_core.runs.export.html import POLICY, export_html
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import add_runs

VOID = {"meta"}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "div", "span", "h1", "h2",
    "p", "dl", "dt", "dd", "section", "ul", "li", "details", "summary", "pre", "a", "footer",
}  # fmt: skip
ATTRIBUTES = {"class", "id", "href", "open", "aria-hidden", "lang", "charset", "http-equiv",
              "content", "name"}  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</pre></details><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onclick='alert(1)",
    "javascript:alert(1)",
    "<a href='javascript:alert(1)'>x</a>",
    "</style><style>@import url(//evil.example)</style>",
    "]]><!-- <!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>",
    "&lt;script&gt;&#60;script&#62;",
    "\x00\x07\x1b[31m\x7f\x9b",
    "\u202egnp.exe\u2066\u200b\ufeff\U000e0041",
    "<svg/onload=alert(1)>",
    "{{constructor.constructor('alert(1)')()}}",
]
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


class Page(HTMLParser):
    """Checks nesting, tags and attributes while it reads; collects the text and the ids."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        above = self.open[-1] if self.open else ""
        assert (above == "ul") == (tag == "li"), (above, tag)
        assert tag != "summary" or above == "details"
        assert above not in {"pre", "title", "style"}, (above, tag)
        assert above != "p" or tag == "a"
        for name, value in attrs:
            assert name in ATTRIBUTES, (tag, name, value)
            if name == "id":
                assert re.fullmatch(r"n\d+", value or "")
                self.ids.append(value or "")
            if name == "href":
                assert re.fullmatch(r"#n\d+", value or "")
                self.links.append((value or "")[1:])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def hostile_events(text: str) -> list[tuple[Event, str]]:
    """The text in every field that a page shows."""
    return [
        (Noted(text=text), ""),
        (NodeOpened(kind="plan", title=text, data={"steps": [{"number": 1, "goal": text}]}),
         "plan.1"),
        (NodeOpened(kind="step", title=text,
                    data={"number": 1, "toolkit_name": text, "needs": [text]}), "plan.1/step.1"),
        (CatalogueLookup(what=text, request={text: text}, found=[{text: text}]), "plan.1/step.1"),
        (ModelAsked(question=text, version=1, title=text, model=text,
                    messages=[{"role": text, "content": text},
                              {"role": "assistant", "content": text, "calls": [
                                  {"id": text, "name": text, "arguments": text}]},
                              {"role": "tool", "content": text, "call": text, "name": text}],
                    schema={text: text},
                    temperature=0.0, fingerprint="", occurrence=1, repair=0, retry=0),
         "plan.1/step.1/ask.1"),
        (ModelReplied(text=text, data={text: [text]}, input_tokens=1, output_tokens=1,
                      elapsed_ms=1.0, raw={"reasoning": text}), "plan.1/step.1/ask.1"),
        (ModelReplied(text=text, data=None, input_tokens=1, output_tokens=1, elapsed_ms=1.0,
                      raw={"reasoning": text},
                      calls=[{"id": text, "name": text, "arguments": {text: text}}]),
         "plan.1/step.1/ask.1"),
        (ModelFailed(error=text, message=text, elapsed_ms=1.0, will_retry_after_s=None),
         "plan.1/step.1/ask.2"),
        (AnswerRejected(where=text, what=text, repairs_left=0), "plan.1/step.1/ask.2"),
        (CallSent(api=text, title=text, arguments={text: text}, bindings={text: text},
                  provider=text, risk=text, fingerprint="", occurrence=1, retry=0),
         "plan.1/step.1/call.1"),
        (CallFailed(error=text, message=text, status=500, body=text, content_type=text,
                    headers={text: text}, origin=text, elapsed_ms=1.0), "plan.1/step.1/call.1"),
        (Decided(point=text, title=text, alternatives=[{text: text}, {text: text}], chosen=text,
                 chosen_title=text), "plan.1/step.1"),
        (CallReturned(status=200, body=f'{{"a": {text}', content_type="json", headers={},
                      origin=text, elapsed_ms=1.0), "plan.1/step.1/call.2"),
        (CallRefused(api=text, title=text, arguments={text: text}, error=text, message=text),
         "plan.1/step.1/call.3"),
        (Decided(point="toolkit_exhausted", title=text, alternatives=[], chosen=None,
                 because=text, data={"toolkit_name": text}), "plan.1/step.1"),
        (NodeClosed(state="failed", reason=text, error=text), "plan.1/step.1"),
        (NodeClosed(state="replanned", reason=text, error=None), "plan.1"),
    ]  # fmt: skip


def page_of(workspace: Workspace, text: str) -> str:
    run = stored_run(
        *hostile_events(text), query=text, answer=text, strategy=text, model=text, provider=text
    )
    events = [*run.events, stored_event(len(run.events) + 1, "new.type", {"x": text})]
    (number,) = add_runs(workspace, [dataclasses.replace(run, events=events)])
    return export_html(workspace, number)


def check(page: str) -> Page:
    parsed = Page(page)
    assert ACTING.search(page) is None
    assert set(parsed.links) <= set(parsed.ids)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert "<script" not in page.casefold()
    return parsed


@pytest.mark.parametrize("text", HOSTILE)
def test_page_when_texts_are_hostile_then_they_are_shown_and_do_nothing(
    workspace: Workspace, text: str
) -> None:
    parsed = check(page_of(workspace, text))
    if ACTING.search(text) is None and "\U000e0041" not in text:
        assert parsed.text.count(text) >= 15
    else:
        assert "\u2400" in parsed.text or "⟨U+202E⟩" in parsed.text


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_page_when_texts_are_anything_then_is_well_formed(workspace: Workspace, text: str) -> None:
    check(page_of(workspace, text))


def page_template(text: str) -> str:
    names = ("policy", "style", "version", "run", "query", "origin", "status", "status_word")
    lists = {"remarks": [(text, text)], "facts": {text: text}, "blocks": [(text, text, 0, ())]}
    return render_html("run_page.html", **dict.fromkeys(names, text), **lists, nodes=[], n_open=0)


@given(text=st.text(min_size=1, max_size=50))
def test_template_when_values_are_anything_then_holds_no_markup_of_theirs_and_nothing_that_acts(
    text: str,
) -> None:
    page = page_template(text)
    assert ACTING.search(page) is None
    assert [sign for sign in page if sign in "<>\"'"] == [
        sign for sign in page_template("x") if sign in "<>\"'"
    ]
    page.encode()


def test_template_when_a_value_is_missing_then_is_an_error_and_not_empty() -> None:
    with pytest.raises(UndefinedError, match="policy"):
        render_html("run_page.html")


def test_page_when_opened_then_its_policy_allows_its_own_style_only(workspace: Workspace) -> None:
    page = export_html(workspace, record_run(workspace))
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f'http-equiv="Content-Security-Policy" content="{POLICY}"' in page
    assert POLICY.startswith("default-src 'none'; style-src 'sha256-")
    assert f"'sha256-{digest}'" in POLICY
    assert "unsafe" not in POLICY
    assert "script-src" not in POLICY
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert "prefers-color-scheme: dark" in style[1]
    assert not re.search(r"url\(|@import|https?:", style[1])
    assert not re.search(r"<[^>]+ (style|src|on\w+)=", page)


def test_page_when_a_run_fell_back_and_replanned_then_shows_every_node_and_why(
    workspace: Workspace,
) -> None:
    run = record_run(
        workspace,
        plans=[[("find it", 1, []), ("use it", 2, [1])], [("find it", 1, []), ("use it", 3, [1])]],
        failing=[NAMES[0], *NAMES[3:6]],
        query="Where is it?",
        arguments={"q": "needle"},
        replies={"kit1_1": {"place": "haystack"}},
    )
    parsed = check(export_html(workspace, run))
    tree = load_tree(workspace, run)
    assert len(parsed.ids) == len(tree.nodes) - 1
    for node in tree.nodes.values():
        assert node.title in parsed.text
    for words in ("failed: server error 500", "needle", "haystack", "replanned", "Alternatives",
                  "because kit1 · kit1_0 failed", "Where is it?", "solved", "Prompt"):  # fmt: skip
        assert words in parsed.text
    assert parsed.links


def test_page_when_models_talked_then_calls_are_cards_and_each_turn_shows_what_is_new(
    workspace: Workspace,
) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("Be short.", [Function("look_for_Book", "", {"type": "object"})])
        talk.say("Find it.")
        turn = await talk.reply()
        talk.result(turn.calls[0], "shelf 7")
        talk.say("Differ.", is_hidden=True)
        return (await talk.reply()).text

    model = Talker(turns=[("I look.", ("look_for_Book", '{"q": "a"}')), "It is there."])
    page = check(export_html(workspace, do(workspace, work, model).run))
    assert "Calls Book · look" in page.text
    assert "Prompt · 2 messages · " in page.text
    assert "Prompt · 2 messages · 2 before, as in earlier turns · " in page.text
    assert page.text.count("Be short.") == 1
    assert page.text.count("Resultshelf 7") == 1
    assert "user · only this turn saw it" in page.text
    assert "It is there." in page.text


def test_page_when_a_model_thought_first_then_that_is_folded_and_beside_the_answer(
    workspace: Workspace,
) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("Be short.")
        talk.say("Where is it?")
        return (await talk.reply()).text

    thinks = Reply(data=None, text="It is there.", usage=Usage(input_tokens=1, output_tokens=1),
                   raw={"reasoning": "Hm, <b>here</b>?"})  # fmt: skip
    text = export_html(workspace, do(workspace, work, Talker(turns=[thinks])).run)
    check(text)
    folded = (
        '<details class="payload"><summary>Thoughts · 16 characters</summary>'
        "<pre>Hm, &lt;b&gt;here&lt;/b&gt;?</pre></details><pre>It is there.</pre>"
    )
    assert folded in text
    assert text.count("Hm, ") == 1
    assert '<p class="answer">It is there.</p>' in text


def test_page_when_a_payload_is_huge_then_is_cut_and_says_so(workspace: Workspace) -> None:
    run = record_run(workspace, replies={"kit1_0": {"text": "x" * 500_000}})
    page = export_html(workspace, run)
    assert len(page) < 500_000
    assert "more characters are left out here; the JSONL export holds them" in page


def test_page_when_a_tree_is_very_deep_then_is_made_all_the_same(workspace: Workspace) -> None:
    events: list[tuple[Event, str]] = []
    path = ""
    for number in range(1500):
        path = f"{path}/step.1".lstrip("/")
        events.append((NodeOpened(kind="step", title=f"level {number}", data={}), path))
    (run,) = add_runs(workspace, [stored_run(*events)])
    assert len(check(export_html(workspace, run)).ids) == 1500


def test_command_when_html_is_written_then_one_run_per_file(tmp_path: Path) -> None:
    path, page = tmp_path / "w.toolplanner", tmp_path / "run.html"
    with Workspace.create(path) as workspace:
        record_run(workspace)
        with pytest.raises(NotFound):
            export_html(workspace, 9)  # type: ignore[arg-type]
    done = toolplanner("runs", "export", path, 1, "--format", "html", "--output", page)
    assert done.status == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.glob("*.part")) == []
    assert toolplanner("runs", "export", path, 1, 1, "--format", "html").status == 2
    missing = toolplanner("runs", "export", path, 1, "--output", tmp_path / "no" / "run.jsonl")
    assert missing.status == 2
    assert "cannot be written" in missing.err
