"""Preferences: an endpoint is tried and saved, with a real server and no keychain."""

import json
import select
import socket
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from fixtures.scripted_endpoint import Answers, Status, Turn, scripted_endpoint

from toolplanner_core import keys
from toolplanner_core.llm.capabilities import known_capabilities
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import person_prices
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.presets import usual_run
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.settings import DayLimits, load_settings, settings_path
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.cost_dialogs import BudgetsDialog, PricesDialog
from toolplanner_gui.windows.preferences_dialog import PreferencesDialog


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    store = keys.KeyStore(tmp_path / "person" / "keys.json", ring=lambda: None, environment={})
    for place in (
        "toolplanner_gui.windows.preferences_dialog.person_keys",
        "toolplanner_core.endpoints.person_keys",
    ):
        monkeypatch.setattr(place, lambda: store)
    monkeypatch.setattr(
        "toolplanner_core.llm.capabilities.user_cache_path", lambda name: tmp_path / name
    )


@pytest.fixture
def dialog(context: AppContext) -> PreferencesDialog:
    made = PreferencesDialog(context, context.shell.window_widget)
    made.show()
    return made


def answer(body: dict[str, Any]) -> Any:
    if "tools" in body:
        return Turn("", [("time_in", {"city": "Oslo"})])
    return json.dumps({"city": "Paris"})


def test_test_when_its_dialog_is_closed_before_anybody_answers_then_no_fault(
    dialog: PreferencesDialog, context: AppContext, qtbot
) -> None:
    problems: list[object] = []
    context.problem_reported.connect(problems.append)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dialog.address.setText(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        dialog.test_button.click()
        qtbot.waitUntil(lambda: bool(select.select([silent], [], [], 0)[0]))
        dialog.reject()
        qtbot.waitUntil(lambda: not shiboken6.isValid(dialog))
    qtbot.waitUntil(lambda: context.tasks.is_idle)
    assert problems == []


def test_endpoint_when_tried_then_says_what_it_can_do_and_saves_it(
    dialog: PreferencesDialog, qtbot
) -> None:
    with scripted_endpoint(Answers(answer)) as endpoint:
        dialog.address.setText(endpoint.url)
        assert dialog.preset.currentText() == "Another address"
        dialog.model.setEditText("scripted")
        dialog.key.setText("secret-key-of-mine")
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
        assert dialog.works.isVisible() and not dialog.problem.isVisible()
        assert "Typed answers: yes, by JSON schema" in dialog.told.text()
        assert "Dialogues with functions: yes, by function calls" in dialog.told.text()
        assert set(endpoint.keys) == {"Bearer secret-key-of-mine"}
        dialog.save_button.click()
    assert load_settings().endpoint.base_url == endpoint.url
    assert load_settings().endpoint.model == "scripted"
    kept = "".join(p.read_text() for p in settings_path().parent.iterdir())
    assert "secret-key-of-mine" not in kept


def test_models_when_the_endpoint_lists_them_then_counted_and_offered_for_each_role(
    dialog: PreferencesDialog, qtbot
) -> None:
    with scripted_endpoint(Answers(answer)) as endpoint:
        endpoint.models = ("small", "large")
        dialog.address.setText(endpoint.url)
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
        assert not endpoint.requests, "which one is to be tried is not known"
    assert dialog.told.text() == "Reached; it lists 2 models.\nChoose a model to try it."
    for field in (dialog.model, *dialog.roles.values()):
        assert [field.itemText(i) for i in range(field.count())] == ["large", "small"]
        assert field.currentText() == "", "nothing is chosen for a person"


def test_learned_of_an_endpoint_when_tried_then_shown_at_its_address_until_forgotten(
    dialog: PreferencesDialog, qtbot
) -> None:
    assert not dialog.forget_button.isVisible()
    with scripted_endpoint(Status(400, "unsupported value: temperature"), Answers(answer)) as (
        endpoint
    ):
        dialog.address.setText(endpoint.url)
        dialog.model.setEditText("scripted")
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
    told = dialog.learned.text()
    assert "scripted: typed answers by JSON schema; dialogues by function calls" in told
    assert "keeps schemas; streams; refused temperature" in told
    dialog.address.setText("http://127.0.0.1:1/v1")
    assert not dialog.learned.isVisible() and not dialog.forget_button.isVisible()
    dialog.address.setText(endpoint.url)
    assert dialog.learned.isVisible()
    dialog.forget_button.click()
    assert known_capabilities() == [] and not dialog.learned.isVisible()
    assert not dialog.forget_button.isVisible()


def test_endpoint_when_it_fails_then_says_why_and_nothing_is_saved(
    dialog: PreferencesDialog, qtbot
) -> None:
    with scripted_endpoint(Status(401, "bad key")) as endpoint:
        dialog.address.setText(endpoint.url)
        dialog.model.setEditText("scripted")
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
    assert dialog.problem.text() == (
        "It does not work. HTTP 401: bad key. Write the key of this endpoint under Key."
    )
    assert dialog.problem.isVisible() and not dialog.works.isVisible()
    dialog.address.setText("nowhere")
    dialog.save_button.click()
    assert dialog.isVisible() and "not an address" in dialog.banner.text
    assert not settings_path().exists()


@pytest.mark.parametrize(
    ("is_silent", "why"),
    [(True, "did not answer in time. Look whether the server"), (False, "cannot be reached")],
)
def test_endpoint_when_nobody_answers_then_said_once_without_asking_on(
    dialog: PreferencesDialog, qtbot, monkeypatch: pytest.MonkeyPatch, is_silent: bool, why: str
) -> None:
    monkeypatch.setattr("toolplanner_core.llm.endpoint_check._LIST_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        if not is_silent:
            silent.close()
        dialog.address.setText(f"http://127.0.0.1:{port}/v1")
        dialog.model.setEditText("scripted")
        dialog.test_button.click()
        assert "Asking" in dialog.told.text()
        qtbot.waitUntil(dialog.test_button.isEnabled)
    assert dialog.problem.text().startswith("It does not work. The ")
    assert why in dialog.problem.text() and dialog.problem.isVisible()
    assert not dialog.told.isVisible() and not dialog.works.isVisible()


def test_test_of_an_endpoint_when_it_hangs_then_it_can_be_stopped_at_once(
    dialog: PreferencesDialog, qtbot
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dialog.address.setText(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        dialog.test_button.setFocus()
        dialog.test_button.click()
        assert dialog.stop_button.isVisible() and dialog.stop_button.hasFocus()
        qtbot.waitUntil(lambda: bool(select.select([silent], [], [], 0)[0]))  # it is asked
        dialog.stop_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
        assert dialog.told.text() == "The test was stopped; nothing was found out."
        assert not dialog.stop_button.isVisible() and not dialog.problem.isVisible()
        dialog.test_button.click()
        dialog.reject()  # also whoever closes it waits for nothing
        qtbot.waitUntil(lambda: dialog.context.tasks.is_idle)


@pytest.mark.parametrize(
    ("said", "why"), [("Paris", "not the JSON"), ('{"town": 1}', "not the JSON"), ("", "empty")]
)
def test_endpoint_when_its_typed_answer_does_not_fit_then_no_yes_beside_it(
    dialog: PreferencesDialog, qtbot, said: str, why: str
) -> None:
    with scripted_endpoint(Answers(lambda _: said)) as endpoint:
        dialog.address.setText(endpoint.url)
        dialog.model.setEditText("scripted")
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
    lines = dialog.told.text().splitlines()
    (typed,) = [line for line in lines if line.startswith("Typed answers")]
    assert not dialog.works.isVisible() and not dialog.problem.isVisible()
    assert "not reliable" in typed and why in typed and "yes" not in typed
    (turn,) = [line for line in lines if line.startswith("Dialogues with functions")]
    assert "it answers, but called none" in turn


def test_error_when_the_connection_is_tried_again_then_it_goes(
    dialog: PreferencesDialog, qtbot
) -> None:
    dialog.address.setText("nowhere")
    dialog.save_button.click()
    assert dialog.banner.isVisible()
    with scripted_endpoint(Answers(answer)) as endpoint:
        dialog.address.setText(endpoint.url)
        dialog.model.setEditText("scripted")
        dialog.test_button.click()
        qtbot.waitUntil(dialog.test_button.isEnabled)
    assert not dialog.banner.isVisible()


def test_models_of_roles_when_saved_then_runs_begin_with_them_and_the_dialog_shows_them(
    dialog: PreferencesDialog, context: AppContext, qtbot
) -> None:
    for role, name in {Role.ACTING: "small:8b", Role.PLANNING: "large", Role.JUDGING: " "}.items():
        dialog.roles[role].setEditText(name)
    with qtbot.waitSignal(context.preferences_changed):
        dialog.save_button.click()
    usual = usual_run()
    assert (usual.model, usual.roles) == ("openai:small:8b", {"planning": "openai:large"})
    again = PreferencesDialog(context, context.shell.window_widget)
    assert [field.currentText() for field in again.roles.values()] == ["small:8b", "large", ""]


def test_service_when_chosen_then_its_address_and_whether_it_takes_a_key(
    dialog: PreferencesDialog,
) -> None:
    dialog.preset.setCurrentText("Ollama")
    dialog._on_preset(dialog.preset.currentIndex())
    assert dialog.address.text() == "http://127.0.0.1:11434/v1"
    assert dialog.key.placeholderText() == "None is needed"


def test_prices_when_a_line_is_wrong_then_said_and_kept_open_until_it_is_right(
    context: AppContext,
) -> None:
    prices = PricesDialog(context, context.shell.window_widget)
    prices.show()
    prices.text.setPlainText("my-model* cheap")
    prices.save_button.click()
    assert prices.isVisible() and "no price" in prices.banner.text
    prices.text.setPlainText("my-model* 0.5 1.5")
    prices.save_button.click()
    assert [price.input for price in person_prices()] == [0.5]
    again = PricesDialog(context, context.shell.window_widget)
    assert again.text.toPlainText() == "my-model* 0.5 1.5"


def test_budgets_when_saved_then_new_runs_and_days_have_them_and_what_was_spent_is_said(
    context: AppContext, qtbot
) -> None:
    DayBudget().add(Usage(input_tokens=90, output_tokens=10), None)
    budgets = BudgetsDialog(context, context.shell.window_widget)
    budgets.show()
    assert "Spent today: 1 reply, 100 tokens, 1 reply of unknown price" in budgets.spent.text()
    budgets.run.put({"max_model_calls": 30})
    budgets.day.put({"max_tokens": 9000})
    with qtbot.waitSignal(context.preferences_changed):
        budgets.save_button.click()
    assert load_settings().day_limits == DayLimits(max_tokens=9000)
    assert usual_run().limits == Limits(max_model_calls=30)
    again = BudgetsDialog(context, context.shell.window_widget)
    assert again.day.instance == DayLimits(max_tokens=9000)
    assert again.run.instance == Limits(max_model_calls=30)
