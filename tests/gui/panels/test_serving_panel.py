"""The gateway of the window, with the SDK's own client over real loopback."""

import json
import socket
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.agent_thread import agent_at
from fixtures.gateway_client import gateway_over_http, over_stdio, texts_of
from fixtures.notes_server import Notes, notes_workspace
from fixtures.rough_site import HttpSite
from PySide6.QtWidgets import QMessageBox

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.debugging.debugger import StepCommand
from toolplanner_core.runs.debugging.faults import FaultTarget
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.serving.profile import ServingMode, ServingProfile
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.toolkit_actions import serve_or_not
from toolplanner_gui.actions.workspace_files import close_workspace, open_later
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.run_header import describe_run_facts
from toolplanner_gui.panels.serving_panel import ServingPanel
from toolplanner_gui.windows.main_window import MainWindow

HUB = "ExchangeHub · Convert currency"
CALL = {
    "name": "ExchangeHub_Convert_currency",
    "arguments": {"from": "USD", "to": "EUR", "amount": 250},
}
NEED = {"need": "convert an amount of money to another currency"}
READING = ServingProfile()
WRITING = ServingProfile(mode=ServingMode.FLAT, allows_changes=True)


@pytest.fixture
def panel(opened: AppContext, qtbot) -> ServingPanel:
    return shown(opened, qtbot)


def shown(context: AppContext, qtbot) -> ServingPanel:
    made = ServingPanel(context)
    qtbot.addWidget(made)
    made.resize(1000, 300)
    made.show()
    qtbot.waitUntil(lambda: made.is_idle)
    return made


def serve(panel: ServingPanel, qtbot, profile: ServingProfile = READING) -> str:
    """Its address."""
    panel.serving.start(profile, port=0)
    qtbot.waitUntil(lambda: panel.serving.at is not None and panel.is_idle)
    assert panel.serving.at is not None
    return panel.serving.at.address


def states(panel: ServingPanel) -> list[tuple[str, str]]:
    """What was asked for and how it stands, the newest first."""
    rows = [panel.lines.row(n).cells for n in range(panel.lines.rowCount())]
    return [(cells[0], cells[2]) for cells in rows]


def wait_for(told: "Future[Any]", qtbot) -> Any:
    """What came of it, or why it broke."""
    qtbot.waitUntil(told.done)
    return told.result()


async def convert(client: Any) -> list[str]:
    await client.call_tool("find_tools", NEED)
    return texts_of(await client.call_tool("call_tool", CALL))


def test_gateway_when_an_agent_calls_then_panel_tree_and_list_show_it_live_and_stop_ends_it(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    address = serve(panel, qtbot)
    assert panel.address.text() == address
    assert panel.says.text().startswith("toolkits · 36 tools, about ")
    assert panel.pages.currentIndex() == 0, "the three steps, until a client is there"
    told = agent_at(address, convert)
    wait_for(told, qtbot)
    qtbot.waitUntil(lambda: states(panel)[:1] == [(HUB, "ok")])
    assert json.loads(told.result()[0])["result"] == pytest.approx(218.91)
    assert [word for _, word in states(panel)] == ["ok", "ok"]
    qtbot.waitUntil(lambda: panel.clients.row(0).cells[2] == "1")
    assert panel.clients.row(0).cells[0] == "Claude Code 2.1"
    qtbot.waitUntil(lambda: opened.serving.words == "serving 1 client")
    panel.lines_view.activated.emit(panel.lines.index(0, 0))
    qtbot.waitUntil(lambda: opened.run_view.node == NodePath("request.1"))
    assert opened.run_view.is_run_live
    panel.toggle()
    qtbot.waitUntil(lambda: not opened.serving.is_on)
    ended = [Status.SERVED]
    qtbot.waitUntil(lambda: [run.status for run in opened.run_view.summaries] == ended)
    assert not opened.run_view.is_run_live
    port = int(address.rpartition(":")[2].partition("/")[0])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port)).close()


def test_fault_and_breakpoint_of_the_window_when_an_agent_calls_then_they_act_and_a_person_decides(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    address = serve(panel, qtbot)

    async def talk(client: Any) -> list[list[str]]:
        return [await convert(client), await convert(client)]

    opened.debug.inject(FaultTarget(api=HUB), "500", is_next_only=True)
    opened.debug.breakpoints.put(f'api="{HUB}",at=before_call,hits=2')
    told = agent_at(address, talk)
    qtbot.waitUntil(lambda: opened.debug.is_paused or told.done())
    assert not told.done(), told.result()
    stop = opened.debug.current
    assert stop is not None
    assert stop.breakpoint
    qtbot.waitUntil(lambda: opened.debug.run_of(stop) is not None)
    qtbot.waitUntil(lambda: opened.debug.faults.items == ())  # it was for one call
    changed = {"from": "USD", "to": "EUR", "amount": 500}
    opened.debug.resume(
        StepCommand.CONTINUE, decision=StopDecision(choice=Choice.EDIT, arguments=changed)
    )
    first, second = wait_for(told, qtbot)
    assert first[-1].startswith("Answered by ")
    assert HUB in first[-1]
    assert "server error" in first[-1]
    assert json.loads(second[0])["result"] == pytest.approx(2 * 218.91, abs=0.02)
    qtbot.waitUntil(lambda: [word for _, word in states(panel)][:1] == ["ok"])
    assert (HUB, "fell back") in states(panel)


def test_faults_of_the_window_when_they_strike_an_agent_then_panel_and_run_say_so_and_end_it(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    assert not panel.faults.isVisible()
    address = serve(panel, qtbot)
    opened.debug.inject(FaultTarget(api=HUB), "500")
    assert panel.faults.isVisible()
    whose = "Your faults strike every agent served here: 500 server error: every call of "
    assert panel.faults.says.text() == whose + HUB
    told = wait_for(agent_at(address, convert), qtbot)
    assert told[-1].startswith("Answered by ")
    qtbot.waitUntil(lambda: panel.faults.says.text().endswith(" · struck 1 call"))
    qtbot.waitUntil(lambda: (HUB, "fell back") in states(panel))
    assert ": an injected fault: " in panel.lines.row(0).cells[4]
    run = opened.serving.clients[0].run
    facts = describe_run_facts(opened.run_view.served_tree(run).nodes[NodePath("")], None)
    assert "your faults strike it" in facts
    panel.faults.off_button.click()
    assert not panel.faults.isVisible()
    assert opened.debug.faults.items, "they are only switched off"
    again = wait_for(agent_at(address, convert), qtbot)
    assert json.loads(again[0])["result"] == pytest.approx(218.91)


def test_client_when_it_leaves_then_it_is_shown_as_gone_until_it_is_forgotten(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    address = serve(panel, qtbot)
    wait_for(agent_at(address, convert), qtbot)  # leaves without a word, as clients of 2026 do
    wait_for(agent_at(address, convert, name="Cursor", version="3", mode="legacy"), qtbot)
    qtbot.waitUntil(lambda: [each.name for each in opened.serving.clients] == ["Claude Code 2.1"])
    qtbot.waitUntil(lambda: opened.serving.words == "serving 1 client")
    qtbot.waitUntil(lambda: panel.clients.rowCount() == 2 and panel.is_idle)
    rows = [panel.clients.row(row).cells[:3] for row in range(2)]
    assert rows == [("Claude Code 2.1", "here", "1"), ("Cursor 3", "left just now", "1")]
    qtbot.waitUntil(lambda: len(states(panel)) == 4)
    assert panel.clients_view.columnWidth(0) >= 100, "who it is can be read"
    panel._show_gone(False)
    qtbot.waitUntil(lambda: panel.clients.rowCount() == 1 and len(states(panel)) == 2)
    panel._show_gone(True)
    opened.serving.forget_gone()
    qtbot.waitUntil(lambda: panel.clients.rowCount() == 1 and panel.is_idle)
    panel.toggle()
    qtbot.waitUntil(lambda: not opened.serving.is_on)
    assert [each.name for each in opened.serving.gone] == ["Claude Code 2.1"]
    qtbot.waitUntil(lambda: panel.clients.row(0).cells[1] == "left just now")


def test_client_when_the_list_of_runs_is_older_than_its_end_then_it_is_no_other_ones(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    """The list is read beside it: a run that ended here may still stand there as going on."""
    address = serve(panel, qtbot)
    wait_for(agent_at(address, convert, name="Cursor", version="3", mode="legacy"), qtbot)
    qtbot.waitUntil(lambda: len(opened.serving.gone) == 1)
    view, ended = opened.run_view, [Status.SERVED]
    qtbot.waitUntil(lambda: [run.status for run in view.summaries] == ended)
    view.summaries = [replace(run, status=Status.RUNNING) for run in view.summaries]
    opened.serving.look()
    qtbot.waitUntil(lambda: not opened.tasks.runs_for(opened.serving))
    assert opened.serving.clients == []
    assert len(opened.serving.gone) == 1


def test_agent_that_starts_serve_itself_when_the_window_serves_then_its_faults_act_on_it(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    """Its program starts the command; what it asks for is a run of this window."""
    serve(panel, qtbot)
    opened.debug.inject(FaultTarget(api=HUB), "500")
    with ThreadPoolExecutor(1) as agent:
        told = agent.submit(over_stdio, opened.file.path, convert)
        texts = wait_for(told, qtbot)
    assert texts[-1].startswith("Answered by ")
    assert f"in the place of {HUB}" in texts[-1]
    qtbot.waitUntil(lambda: opened.serving.clients == [])
    ended = [Status.SERVED]
    qtbot.waitUntil(lambda: [run.status for run in opened.run_view.summaries] == ended)


def test_exhausted_toolkit_when_a_person_changes_an_argument_then_the_agent_gets_that_reply(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    """For this agent alone: what another one asks for is not held."""
    address = serve(panel, qtbot)
    opened.debug.breakpoints.put('failure=exhausted,client="claude code"')
    opened.debug.inject(FaultTarget(toolkit="Currency exchange"), "500")
    others = wait_for(agent_at(address, convert, name="Cursor", version="3"), qtbot)
    assert others[0].startswith("ExchangeHub · Convert currency failed")
    told = agent_at(address, convert)
    qtbot.waitUntil(lambda: opened.debug.is_paused or told.done())
    assert not told.done(), told.result()
    stop = opened.debug.current
    assert stop is not None
    assert stop.stop.title == "No API of the toolkit is left"
    qtbot.waitUntil(lambda: opened.debug.run_of(stop) is not None)
    opened.debug.faults.remove([rule.text for rule in opened.debug.faults.items])
    tree = opened.run_view.served_tree(opened.debug.run_of(stop))
    again = StopDecision(choice=Choice.TAKE, taken=tree.nodes["request.1"].data["api"])
    opened.debug.resume(StepCommand.STEP_INTO, decision=again)
    qtbot.waitUntil(lambda: opened.debug.current not in (None, stop))
    assert opened.debug.current.stop.arguments == CALL["arguments"]
    changed = {"from": "USD", "to": "EUR", "amount": 500}
    opened.debug.resume(
        StepCommand.CONTINUE, decision=StopDecision(choice=Choice.EDIT, arguments=changed)
    )
    reply = wait_for(told, qtbot)
    assert json.loads(reply[0])["result"] == pytest.approx(2 * 218.91, abs=0.02)
    assert reply[-1].startswith(f"Answered by {HUB}, asked again by a person")
    assert "amount=500" in reply[-1]


@pytest.fixture(scope="module")
def made_notes(tmp_path_factory: pytest.TempPathFactory) -> Generator[Notes]:
    with notes_workspace(tmp_path_factory.mktemp("notes")) as made:
        yield made


@pytest.fixture
def notes(
    made_notes: Notes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, context: AppContext, qtbot
) -> HttpSite:
    """The server of a workspace that is open."""
    file, site = made_notes.copied_to(tmp_path, monkeypatch)
    context.tasks.spawn(context.open_workspace(file), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    return site


def written(site: HttpSite) -> int:
    return sum(each.method == "POST" for each in site.asked)


def save(text: str) -> Any:
    async def talk(client: Any) -> Any:
        return await client.call_tool("Notes_createNote", {"text": text})

    return talk


def test_write_of_an_agent_when_it_waits_then_the_window_shows_it_whole_and_a_person_decides(
    notes: HttpSite, context: AppContext, qtbot
) -> None:
    panel = shown(context, qtbot)
    address = serve(panel, qtbot, WRITING)
    words = "serving 1 client · 1 call of agents to decide"
    for text, is_allowed in (("buy milk", True), ("sell it", False)):
        told = agent_at(address, save(text))
        qtbot.waitUntil(lambda told=told: panel.waiting.card is not None or told.done())
        # Who is there and what waits are read one after the other.
        qtbot.waitUntil(lambda told=told: context.serving.words == words or told.done())
        card = panel.waiting.card
        assert card is not None
        whole = card.shown.accessibleName()
        assert f"POST {notes.origin}/notes" in whole
        assert text in whole
        (card.allow_button if is_allowed else card.refuse_button).click()
        reply = wait_for(told, qtbot)
        assert reply.is_error is not is_allowed, texts_of(reply)
        qtbot.waitUntil(lambda: panel.waiting.card is None)
    assert written(notes) == 1


def test_step_when_a_write_waits_then_its_run_is_shown_at_the_stop(
    notes: HttpSite, context: AppContext, qtbot
) -> None:
    panel = shown(context, qtbot)
    told = agent_at(serve(panel, qtbot, WRITING), save("buy milk"))
    qtbot.waitUntil(lambda: panel.waiting.card is not None)
    qtbot.waitUntil(lambda: bool(context.debug.held_runs))
    panel.waiting.card.step_button.click()
    qtbot.waitUntil(lambda: context.run_view.run in context.debug.held_runs)
    panel.toggle()
    qtbot.waitUntil(lambda: not context.serving.is_on)
    assert "The call was not made" in texts_of(wait_for(told, qtbot))[0]
    assert written(notes) == 0, "nobody allowed it"


def test_gateway_of_another_process_when_its_call_waits_then_the_window_shows_and_decides_it(
    notes: HttpSite, context: AppContext, qtbot
) -> None:
    panel = shown(context, qtbot)

    async def talk(client: Any) -> Any:
        asked = await client.call_tool("Notes_createNote", {"text": "buy milk"})
        ticket = {"ticket": asked.meta["toolplanner/served"]["ticket"]}
        while (
            "Nothing was done yet" in texts_of(reply := await client.call_tool("more", ticket))[0]
        ):
            pass
        return reply

    flags = ("--mode", "flat", "--allow", "write")
    with gateway_over_http(context.file.path, *flags) as gateway:
        told = agent_at(gateway.address, talk, name="Cursor", version="3")
        qtbot.waitUntil(lambda: panel.waiting.card is not None or told.done())
        card = panel.waiting.card
        assert card is not None, told.result()
        assert f"POST {notes.origin}/notes" in card.shown.accessibleName()
        assert not card.step_button.isEnabled(), "the debugger is in the other process"
        qtbot.waitUntil(lambda: states(panel) == [("Notes · createNote", "held")])
        qtbot.waitUntil(lambda: panel.clients.row(0).cells[0] == "Cursor 3 (elsewhere)")
        card.allow_button.click()
        assert not wait_for(told, qtbot).is_error
        qtbot.waitUntil(lambda: states(panel) == [("Notes · createNote", "ok")])
    assert written(notes) == 1
    qtbot.waitUntil(lambda: not context.serving.clients)


def test_switch_when_a_port_is_taken_for_the_first_time_then_it_asks_once(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    window.call_panel(panel_commands.toggle_serving)
    qtbot.waitUntil(lambda: any(box.isVisible() for box in window.findChildren(QMessageBox)))
    [box] = window.findChildren(QMessageBox)
    assert "Let agents use “demo.toolplanner” at port" in box.text()
    next(button for button in box.buttons() if button.text() == "Start serving").click()
    qtbot.waitUntil(lambda: context.serving.at is not None)
    at = context.serving.at
    window.call_panel(panel_commands.toggle_serving)
    qtbot.waitUntil(lambda: not context.serving.is_on)
    window.call_panel(panel_commands.toggle_serving)
    qtbot.waitUntil(lambda: context.serving.at is not None)
    assert context.serving.at == at
    close_workspace(context)
    qtbot.waitUntil(lambda: context.opened is None and context.tasks.is_idle)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", at.port)).close()


def test_toolkit_when_a_person_does_not_serve_it_then_the_next_call_is_refused_until_it_is(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    [money] = [kit for kit in opened.catalogue.toolkits if kit.name == "Currency exchange"]
    qtbot.waitUntil(lambda: opened.serving.kept is not None)
    address = serve(panel, qtbot, panel._profile())
    assert wait_for(agent_at(address, convert), qtbot)[0].startswith("{")
    opened.selection.select_toolkits([money.id])
    for is_served in (False, True):
        serve_or_not(opened)
        qtbot.waitUntil(lambda: opened.serving.is_served([money.id]) is is_served)  # noqa: B023
        [told, *_] = wait_for(agent_at(address, convert), qtbot)
        assert told.startswith("{") is is_served, told
    panel.toggle()
    qtbot.waitUntil(lambda: not opened.serving.is_on)


def test_mode_when_chosen_then_the_panel_says_what_it_takes_of_a_context_before_serving(
    panel: ServingPanel, opened: AppContext, qtbot
) -> None:
    begin = "Nobody is served. Would be: "
    qtbot.waitUntil(lambda: panel.says.text().startswith(f"{begin}toolkits · 36 tools, about "))
    panel._keep_mode(ServingMode.SEARCH)
    qtbot.waitUntil(lambda: panel.says.text().startswith(f"{begin}search · 4 tools, about "))
    panel._keep_mode(ServingMode.FLAT)
    qtbot.waitUntil(lambda: "too long for most clients" in panel.says.text())
    assert panel._profile().mode is ServingMode.FLAT
