"""Programs under the debugger: line by line, edited calls, forks inside a program."""

from typing import Any

from fixtures.scripted_run import ScriptedProvider, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.cli.stepping import describe
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.stop_points import BEFORE_LINE, Choice
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.presentation.node_report import make_report
from toolplanner_core.runs.presentation.stop_choices import offers, stop_sections
from toolplanner_core.runs.replay.fork import ForkChanges, fork
from toolplanner_core.workspace import Workspace

TEXT = """\
place = geo_find_for_geo(q="Oslo")
names = [place["id"]]
for name in names:
    warm = meteo_now_for_meteo(q=name)
print(warm["celsius"], "in", name)"""


def provider() -> ScriptedProvider:
    def warm(arguments: Any) -> Any:
        return ok({"celsius": len(arguments["q"])})

    return ScriptedProvider({"geo_find": ok({"id": "no-03"}), "meteo_now": warm})


def speak(workspace: Workspace, *script: Any, **more: Any) -> Spoken:
    return speak_run(workspace, "atc", list(script), provider=provider(), **more)


class Watcher:
    """Somebody who is shown each stop, and steps on or decides."""

    def __init__(self, *breakpoints: str, step: bool = False, decide: Any = None) -> None:
        self.held: list[Held] = []
        self._step, self._decide, self._seen = step, decide, set[Any]()
        self.debugger = Debugger(
            [parse_breakpoint(text) for text in breakpoints], step=step, on_change=self._changed
        )

    def _changed(self) -> None:
        for held in self.debugger.held[:1]:
            if held.released not in self._seen:
                self._seen.add(held.released)
                self.held.append(held)
                action = StepCommand.STEP_INTO if self._step else StepCommand.CONTINUE
                decision = self._decide(held) if self._decide else None
                self.debugger.resume(action, decision=decision)


def test_program_when_stepped_then_held_at_each_line_with_its_values(workspace: Workspace) -> None:
    watcher = Watcher(step=True)
    spoken = speak(workspace, {"program": TEXT}, company={"debugger": watcher.debugger})
    assert spoken.summary.answer == "5 in no-03"
    lines = [held.stop for held in watcher.held if held.stop.point is BEFORE_LINE]
    assert [stop.title for stop in lines] == [
        f"Line {number}: {text.strip()}" for number, text in enumerate(TEXT.split("\n"), start=1)
    ]
    assert lines[3].data == {
        "place": "{'id': 'no-03'}", "names": "['no-03']", "name": "'no-03'",
    }  # fmt: skip
    sections = {title: text for title, text, *_ in stop_sections(lines[3])}
    assert "▶   4      warm = meteo_now" in sections["Program"]
    assert "name = 'no-03'" in sections["Values"]
    assert [offer.choice for offer in offers(lines[3])] == [None, Choice.GIVE_UP]
    points = [held.stop.point.id for held in watcher.held]
    assert points.index("before_line") < points.index("before_call")
    assert replay_spoken(workspace, spoken.summary).identical


def test_program_when_stepped_into_a_function_then_each_stop_and_each_call_tells_the_stack(
    workspace: Workspace,
) -> None:
    lines = TEXT.split("\n")
    asked = ["def warm_at(name):", "    return meteo_now_for_meteo(q=name)"]
    text = "\n".join([*asked, lines[0], 'print(warm_at(place["id"]))'])
    watcher = Watcher(step=True)
    spoken = speak(workspace, {"program": text}, company={"debugger": watcher.debugger})
    stack = (
        'line 4: print(warm_at(place["id"]))\nline 2 in warm_at: return meteo_now_for_meteo(q=name)'
    )
    stops = [held for held in watcher.held if held.stop.point is BEFORE_LINE]
    assert [held.stop.title[:6] for held in stops] == ["Line 1", "Line 3", "Line 4", "Line 2"]
    held = stops[-1]
    sections = {title: told for title, told, *_ in stop_sections(held.stop)}
    assert sections["Call stack"] == stack
    assert describe(held)[-2:] == [f"  at {each}" for each in stack.split("\n")]
    assert replay_spoken(workspace, spoken.summary).identical
    node = load_tree(workspace, spoken.summary.run).nodes[NodePath("program.1/line.2")]
    report = make_report(node, [], cause=None)
    assert [each.text for each in report.result if each.title == "Call stack"] == [stack]


def test_program_when_a_breakpoint_names_a_value_then_held_there(workspace: Workspace) -> None:
    watcher = Watcher('at=before_line,if="data.name != null"')
    speak(workspace, {"program": TEXT}, company={"debugger": watcher.debugger})
    assert [held.stop.title[:6] for held in watcher.held] == ["Line 4", "Line 5"]


def test_program_when_a_person_gives_up_at_a_line_then_the_run_ends_there(
    workspace: Workspace,
) -> None:
    def give_up(_: Held) -> StopDecision:
        return StopDecision(choice=Choice.GIVE_UP)

    watcher = Watcher("at=before_line", decide=give_up)
    spoken = speak(workspace, {"program": TEXT}, company={"debugger": watcher.debugger})
    assert spoken.summary.status is Status.CANCELLED
    assert spoken.calls == []
    assert replay_spoken(workspace, spoken.summary).identical


def test_program_when_forked_at_a_call_with_other_arguments_then_goes_on_from_its_middle(
    workspace: Workspace,
) -> None:
    first = speak(workspace, {"program": TEXT})
    place = NodePath("program.1/line.2/call.1")
    spec = fork(workspace, first.summary.run, place, ForkChanges(arguments={"q": "se-1"}))
    second = speak(workspace, spec=spec)
    assert second.summary.answer == "4 in no-03"
    assert second.calls == [("meteo_now", {"q": "se-1"})]
    assert second.requests == []
    types = [record.type for record in read_run(workspace, second.summary.run)]
    assert types.count("program.ended") == 1
    assert replay_spoken(workspace, second.summary).identical
