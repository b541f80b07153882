"""What an import would bring, and what it brought, in one line each. Used by the import dialog."""

from toolplanner_core.sources.previewing import ImportPreview
from toolplanner_core.sources.reports import ImportReport
from toolplanner_core.words.wording import count, counted, duration


def describe_preview(preview: ImportPreview) -> str:
    """What would come in, and of how much of the location that is known."""
    parts = [
        counted(preview.apis, "API"),
        counted(preview.tools, "tool"),
        counted(preview.categories, "category", "categories"),
    ]
    text = f"{', '.join(parts)} in the format {preview.format_id}"
    if not preview.is_complete:
        return f"At least {text}; the rest is being read."
    beside = "".join(f" Beside them {each.what}." for each in preview.noted)
    left = f"{text}. {counted(preview.rejected_count, 'record')} would be rejected.{beside}"
    found = preview.comparison
    if found is None or not (found.unchanged or found.changed or found.missing or found.twice):
        return left
    parts = [f"{found.added:,} new", f"{found.unchanged:,} unchanged", f"{found.changed:,} changed"]
    parts += [f"{found.twice:,} also in another catalogue"] if found.twice else []
    gone = f" {count(found.missing)} of before {_do(found.missing)} not come again."
    waits = f" {counted(found.waiting, 'API waits', 'APIs wait')} then for your acceptance."
    said = f"{left} Of them {', '.join(parts)}.{gone if found.missing else ''}"
    return f"{said}{waits if found.waiting else ''}"


def _do(n: int) -> str:
    return "does" if n == 1 else "do"


def describe_report(report: ImportReport) -> str:
    """What an import did, in one line."""
    parts = [f"{report.added:,} added"]
    for n, word in (
        (report.updated, "changed"),
        (report.unchanged, "unchanged"),
        (report.missing, "did not come again"),
        (len(report.rejected), "rejected"),
    ):
        if n:
            parts.append(f"{n:,} {word}")
    if report.left_out:
        parts.append(f"{report.left_out:,} left out")
    done = f"Imported {report.source}: {', '.join(parts)} in {duration(report.seconds)}"
    if not report.changes:
        return done
    first, *others = report.changes
    more = f" and {count(report.updated - 1)} more" if others else ""
    return f"{done}. Changed: {first.title} ({', '.join(first.parts)}){more}"
