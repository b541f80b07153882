"""No number stands before a plural that 1 does not have: "1 toolkits" is said by `counted`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = [ROOT / "core" / "toolplanner_core", ROOT / "toolplanner_gui"]
PLURAL = re.compile(
    r" (APIs|toolkits|runs|calls|cases|questions|parts|steps|events|regions|tools|verdicts|groups"
    r"|edits|proposals|queries|branches|changes)\b"
)
COUNTING = ("counted(", "listed(")
SEVERAL = {
    "actions/run_context_menu.py: {len(runs):,} runs",
    "cli/name_lookup.py: {len(found):,} APIs",
    "clustering/splitting.py: {k} parts",
    "curation/edits/marks.py: {len(chosen):,} APIs",
    "curation/grouping/accepting.py: {len(items):,} parts",
    "curation/grouping/splitting.py: {k} parts",
    "curation/sharing/decisions/resolving.py: {len(here):,} APIs",
    "curation/sharing/decisions/resolving.py: {len(named) or 'no'} toolkits",
    "panels/charts_panel.py: {mean:.1f} APIs",
    "panels/charts_panel.py: {point.mean_size:.1f} APIs",
    "prompts/adaplanner.py: {len(listed)} steps",
    "prompts/make_plan.py: {len(listed) + len(before)} steps",
    "runs/compare/diff.py: {lacks} calls",
    "runs/events/shared.py: {self.of} branches",
    "runs/presentation/debug_words.py: {rule.next:,} calls",
    "strategies/agents/agent_search.py: {self.limits.pool} APIs",
    "strategies/toolkits/steps.py: {tried:,} APIs",
    "training/search_metrics.py: {each.apis} APIs",
    "windows/case_dialog.py: {words} edits",
    "windows/edit_dialogs.py: {apis} APIs",
    "windows/edit_dialogs.py: {count(chosen.reach)} APIs",
    "windows/debug_toolbar.py: {held} branches",
}
"""Said where there are always several, of a mean, or no number at all."""


def test_numbers_when_a_noun_follows_then_one_of_them_has_no_plural() -> None:
    assert sorted(set(_plurals()) - SEVERAL) == []


def _plurals() -> Iterator[str]:
    for folder in PROGRAM:
        for path in sorted(folder.rglob("*.py")):
            for text in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(text, ast.JoinedStr):
                    continue
                for value, after in zip(text.values, text.values[1:], strict=False):
                    if not isinstance(value, ast.FormattedValue):
                        continue
                    found = PLURAL.match(after.value) if isinstance(after, ast.Constant) else None
                    if found and not ast.unparse(value.value).startswith(COUNTING):
                        said = ast.unparse(ast.JoinedStr([value]))[2:-1]
                        yield f"{path.relative_to(folder).as_posix()}: {said}{found[0]}"
