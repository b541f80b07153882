"""`toolplanner toolkits report`: on the screen and as a file."""

from pathlib import Path

from fixtures.command_line import command_here

from toolplanner_core.curation.looking.catalogue_report import catalogue_report, read_figures
from toolplanner_core.workspace import Workspace


def test_report_when_asked_for_then_it_is_the_page_of_the_window_as_markdown(
    demo: Path, tmp_path: Path
) -> None:
    with Workspace.open(demo) as workspace:
        text = catalogue_report(read_figures(workspace), name=demo.name)
    assert text.startswith("# ")
    said = command_here("toolkits", "report", demo)
    assert (said.status, said.out.strip()) == (0, text.strip())
    path = tmp_path / "report.md"
    assert command_here("toolkits", "report", demo, "--output", path).status == 0
    assert path.read_text(encoding="utf-8").strip() == text.strip()
