"""What was learned of endpoints: listed by address, forgotten by address and model."""

import json
from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.llm.capabilities import (
    capabilities_path,
    forget_capabilities,
    known_capabilities,
    known_mode,
    remember_mode,
    remember_refusal,
    remember_schema_support,
    remember_streams,
)

HERE, THERE = "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v10"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "toolplanner_core.llm.capabilities.user_cache_path", lambda name: tmp_path / name
    )
    remember_mode(f"{HERE}/", "llama3:8b", "answers", "tools")
    remember_streams(f"{HERE}/", "llama3:8b", True)
    remember_schema_support(HERE, "llama3:8b", False)
    remember_refusal(HERE, "other", "temperature")
    remember_refusal(HERE, "other", "stream")
    remember_refusal(THERE, "third", "max_tokens")


def test_learned_when_asked_for_an_address_then_its_models_in_words() -> None:
    assert [(known.model, known.words) for known in known_capabilities(HERE)] == [
        ("llama3:8b", "typed answers by function calls; does not keep schemas; streams"),
        ("other", "does not stream; refused temperature"),
    ]
    assert known_capabilities(f"{HERE}/") == known_capabilities(HERE)
    assert len(known_capabilities()) == 3


def test_forgotten_when_an_address_or_a_model_is_named_then_only_that() -> None:
    assert forget_capabilities(HERE, "other") == 1
    assert [known.model for known in known_capabilities(HERE)] == ["llama3:8b"]
    assert forget_capabilities(HERE) == 1
    assert known_mode(HERE, "llama3:8b", "answers") is None
    assert [known.base_url for known in known_capabilities()] == [THERE]


def test_command_when_endpoints_are_listed_and_forgotten_then_says_what_and_how_many() -> None:
    rows = command_here("endpoints", "list", "--json").data
    assert [row["model"] for row in rows] == ["llama3:8b", "other", "third"]
    assert rows[1]["refused"] == ["stream", "temperature"]
    assert "2 models" in command_here("endpoints", "forget", HERE).out
    assert len(known_capabilities()) == 1


def test_learned_when_the_file_is_spoilt_then_nothing_is_known() -> None:
    capabilities_path().write_text(json.dumps({f"{HERE}/ x": {"answers": 5, "streams": "yes"}}))
    (known,) = known_capabilities(HERE)
    assert known.words == ""
    capabilities_path().write_text("not json")
    assert known_capabilities() == []
