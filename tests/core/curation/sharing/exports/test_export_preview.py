"""What an export would hold is said before it is written, and is what is written then."""

import json
from pathlib import Path

import pytest

from toolplanner_core.curation.sharing.exports.export_forms import export_form, export_forms
from toolplanner_core.curation.sharing.exports.form import ExportRequest
from toolplanner_core.curation.sharing.exports.preview import preview_export
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import list_toolkits


@pytest.mark.parametrize("form", [form for form in export_forms() if form != "decisions"])
def test_preview_when_a_form_is_chosen_then_its_size_is_that_of_the_file(
    form: str, demo: Path
) -> None:
    with Workspace.open(demo) as workspace:
        first = list_toolkits(workspace)[0]
        for request in (
            ExportRequest(workspace=workspace),
            ExportRequest(workspace=workspace, toolkits=[first.id]),
        ):
            found = preview_export(request, form)
            written = "".join(export_form(form).write(request))
            assert found.size == pytest.approx(len(written.encode()), abs=64), "its date differs"
            assert found.refused == 0
        assert found.toolkits == 1 and found.apis == first.size


def test_preview_when_for_a_model_then_tokens_and_what_is_left_out_are_said(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        request = ExportRequest(workspace=workspace)
        assert preview_export(request, "csv").tokens is None
        found = preview_export(request, "openai")
        tools = json.loads("".join(export_form("openai").write(request)))["toolkits"]
        assert found.apis == sum(len(kit["tools"]) for kit in tools) == 196
        assert found.tokens is not None and 8_000 < found.tokens < 60_000
        assert found.words.startswith("35 toolkits with 196 APIs, ")
        assert "tokens" in found.words and "Not in it" not in found.words
        assert "too many: OpenAI takes at most 128 tools; let" in found.words
        first = ExportRequest(workspace=workspace, toolkits=[list_toolkits(workspace)[0].id])
        assert preview_export(first, "openai").warning == ""
