"""What the window says of an import that changes the documentation of tools."""

from toolplanner_core.sources.documentation_changes import ApiChange, PartChange
from toolplanner_core.sources.import_report import ImportReport
from toolplanner_core.sources.source import Rejected
from toolplanner_gui.windows.import_report_dialog import describe_report


def test_report_when_documentation_changed_then_it_names_the_first_and_its_parts() -> None:
    details = tuple(
        PartChange(part=part, before="", now="") for part in ("description", "parameter x gone")
    )
    change = ApiChange(id="a", title="Shop · list", details=details)
    figures = {"source": "shop", "format_id": "openapi", "added": 1, "unchanged": 0, "missing": 0}
    one = ImportReport(**figures, updated=1, seconds=2.0, changes=[change])
    said = "Imported shop: 1 added, 1 changed in 2.0 s. Changed:"
    assert describe_report(one) == f"{said} Shop · list (description, parameter x gone)"
    others = ImportReport(
        **figures, left_out=2, updated=0, seconds=2.0, rejected=[Rejected(where="x", why="y")]
    )
    assert describe_report(others) == "Imported shop: 1 added, 1 rejected, 2 left out in 2.0 s"
    many = ImportReport(**figures, updated=1201, seconds=2.0, changes=[change] * 1000)
    assert describe_report(many).endswith("(description, parameter x gone) and 1,200 more")
