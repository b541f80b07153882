"""Canaries: 30 secrets in 6 places leave no trace in database, WAL, exports or logs."""

import asyncio
import base64
import logging
import zlib
from typing import Any
from urllib.parse import quote_plus

import pytest
from fixtures.canaries import CANARIES, KNOWN, NAMES, every_form, name_of, spoken
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, api_finder, make_api, make_parts

from toolplanner_core.domain.observation import RawResult
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.export.otlp import export_otlp
from toolplanner_core.runs.log.redaction import Redactor, SecretTexts
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.workspace import Workspace


def provider_that_echoes(canary: str) -> ScriptedProvider:
    """The first API fails with the canary in its error, the second has it all over its reply."""
    said = spoken(canary)
    encoded = base64.b64encode(f"user:{canary}".encode()).decode()

    def broken(arguments: Any) -> RawResult:
        raise RuntimeError(f"could not connect with {said}")

    def reply(arguments: Any) -> RawResult:
        assert arguments[name_of(canary)] == canary, "the provider gets the real value"
        return RawResult(
            status=200,
            body=f'{{"echo": "{said.replace(chr(10), " ")}", "more": "{said[:4]}"}}',
            headers={
                "Set-Cookie": f"id={canary}",
                "X-Echo": said,
                "Authorization": f"Basic {encoded}",
            },
            origin="scripted",
        )

    return ScriptedProvider({"kit_0": broken, "kit_1": reply})


def exports_of_run_with(canary: str, workspace: Workspace) -> list[str]:
    """A run that has the canary in its query, plan, arguments and replies; its exports."""
    properties = {name: {"type": "string"} for name in ("q", "url", *NAMES)}
    parameters = {"type": "object", "properties": properties}
    kits = {"Kit": [make_api(f"kit_{i}", parameters=parameters) for i in range(2)]}
    said, address = spoken(canary), f"https://x.example/?access_token={quote_plus(canary)}"
    model = ScriptedModel(
        plans=[[(f"use {said}", 1, [])]],
        arguments={f"kit_{i}": {name_of(canary): canary, "url": address} for i in range(2)},
    )
    parts = make_parts(kits, model, provider_that_echoes(canary))
    summary = asyncio.run(run(workspace, RunSpec(query=f"find {said}"), parts=parts))
    assert summary.status == "answered"
    if "\n" not in canary:  # a prompt cuts a text that long, before or after it is blacked out
        assert replay(workspace, summary.run, api_of=api_finder(kits)).divergence is None
    return [
        export_html(workspace, summary.run),
        *(str(line) for line in export_jsonl(workspace, [summary.run])),
        str(export_otlp(workspace, [summary.run], content=True)),
    ]


def test_canaries_when_in_six_places_then_no_trace_is_left(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(CANARIES) == len(set(CANARIES)) == 30
    for number, value in enumerate(KNOWN):
        monkeypatch.setenv(f"CANARY_{number}_API_KEY", value)
    caplog.set_level(logging.DEBUG)
    exported = [text for canary in CANARIES for text in exports_of_run_with(canary, workspace)]
    files = [
        path.read_bytes()
        for path in workspace.path.parent.iterdir()
        if path.name.startswith(workspace.path.name)
    ]
    assert len(files) >= 2, "the write-ahead log is looked at too"
    db = workspace.reader().conn
    blobs = b"\n".join(
        zlib.decompress(data) if codec == "zlib" else data
        for codec, data in db.execute("SELECT codec, data FROM blobs")
    )
    places = {
        "files": b"".join(files),
        "blobs": blobs,
        "exports": "\n".join(exported).encode(),
        "logs": caplog.text.encode(),
    }
    found = [
        (place, CANARIES.index(canary))
        for place, content in places.items()
        for canary in CANARIES
        for form in every_form(canary)
        if form.encode() in content
    ]
    assert found == []


def test_texts_when_harmless_then_untouched() -> None:
    harmless = [
        "The password policy of the token ring network",
        "A cookie is a biscuit; the secret ingredient is butter.",
        "https://example.org/path?city=Zagreb&days=3",
        '{"tokens": 12, "next": "page-2", "author": "me"}',
        "basic weather, bearer of news",
    ]
    cleaner = SecretTexts(["short"])
    assert [cleaner.clean(item) for item in harmless] == harmless
    value = {"list": ["a", {"b": 1}], "token_count": 4}
    assert Redactor().value(value) is value
    assert Redactor().value({"token": 12, "password": None}) == {"token": 12, "password": None}
