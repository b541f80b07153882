"""What `toolplanner import` says: what was done, or what would be."""

from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.cli.terminal import print_line
from toolplanner_core.sources.changes import ApiChange
from toolplanner_core.sources.comparing import Comparison
from toolplanner_core.sources.previewing import ImportPreview
from toolplanner_core.sources.reports import ImportReport
from toolplanner_core.words.wording import counted, one_line

_LINES_SHOWN = 20
_PART_WIDTH = 400


def print_totals(totals: Mapping[str, Any], reports: Sequence[ImportReport]) -> None:
    """What all sources of one command brought together.

    Args:
        totals: figures by name, as `--json` prints them.
        reports: of the catalogues among the sources.
    """
    print_line(
        f"{totals['added']:,} added, {totals['updated']:,} changed,"
        f" {totals['unchanged']:,} unchanged, {len(totals['rejected']):,} rejected"
        f" in {totals['seconds']:.1f} s."
    )
    if left_out := totals["left_out"]:
        print_line(f"{counted(left_out, 'API was', 'APIs were')} left out.")
    if missing := totals["missing"]:
        stays = "stays as it is" if missing == 1 else "stay as they are"
        listed = "toolplanner apis list --missing"
        print_line(f"{counted(missing, 'API')} did not come again and {stays} ({listed}):")
        _print_first(totals["gone"], missing)
    if new := [title for report in reports for title in report.new]:
        print_line("New:")
        _print_first(new, sum(report.added for report in reports if report.new))
    changes = [change for report in reports for change in report.changes]
    if changes:
        print_line("Changed:")
        _print_first([f"{c.title}: {', '.join(c.parts)}" for c in changes], totals["updated"])
    for noted in totals["noted"]:
        print_line(f"  {noted['where']}: {noted['what']}")
    if waiting := totals["waiting"]:
        they = counted(waiting, "API is", "APIs are")
        print_line(
            f"{they} neither planned with nor called until you accept the new documentation:"
            " toolplanner changes list"
        )
    rejected = [f"{each['where']}: {each['why']}" for each in totals["rejected"]]
    _print_first(rejected, len(rejected))


def print_preview(preview: ImportPreview) -> None:
    """What an import would do; nothing was written."""
    found = preview.comparison or Comparison()
    print_line(
        f"{counted(preview.apis, 'API')} in the format {preview.format_id}: {found.added:,} new,"
        f" {found.changed:,} changed, {found.unchanged:,} unchanged; {found.missing:,} gone,"
        f" {preview.rejected_count:,} rejected. Nothing was written."
    )
    for change in found.changes[:_LINES_SHOWN]:
        print_change(change)
    if found.changed > _LINES_SHOWN:
        print_line(f"  and {found.changed - _LINES_SHOWN:,} more (--json lists them)")
    for words, lines, total in (
        ("New:", found.new, found.added - found.twice if found.new else 0),
        ("Gone:", found.gone, found.missing),
        ("In another catalogue of the workspace too:", found.elsewhere, found.twice),
        (
            "Rejected:",
            [f"{each.where}: {each.why}" for each in preview.rejected],
            preview.rejected_count,
        ),
    ):
        if total:
            print_line(words)
            _print_first(lines, total)


def print_change(change: ApiChange) -> None:
    """One API and what differs, by words."""
    why = " (as it was before: it counts again)" if change.is_back else " (of no consequence)"
    print_line(f"{change.title}{'' if change.matters else why}")
    for part in change.details:
        print_line(f"  {part.part}: {one_line(part.told, _PART_WIDTH)}")


def _print_first(lines: Sequence[str], total: int) -> None:
    for line in lines[:_LINES_SHOWN]:
        print_line(f"  {line}")
    if total > _LINES_SHOWN:
        print_line(f"  and {total - _LINES_SHOWN:,} more (--json lists them)")
