"""What was chosen for a run: options, limits, seed, faults and models of roles, from its row.

What is as usual is left out in words, so that two runs that differ say in what.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolplanner_core.options.option import describe_options
from toolplanner_core.runs.config.spec import Limits, roles_from
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.runs import RunRow

_AS_USUAL = "as usual"
_LONGEST = 80
"""Characters of a value that no option describes."""


def settings_words(run: RunRow) -> str:
    """The settings of a run that are not as usual: "Searches: 0; seed: 7"."""
    return "; ".join(f"{name}: {value}" for name, value in _chosen(run)) or _AS_USUAL


def other_settings(left: RunRow, right: RunRow) -> list[tuple[str, str, str]]:
    """Settings that differ between two runs: what, and how it is in each."""
    mine, theirs = dict(_chosen(left)), dict(_chosen(right))
    names = [*mine, *(name for name in theirs if name not in mine)]
    rows = [(name, mine.get(name, _AS_USUAL), theirs.get(name, _AS_USUAL)) for name in names]
    return [row for row in rows if row[1] != row[2]]


def _chosen(run: RunRow) -> Iterator[tuple[str, str]]:
    plugin = strategies.find(run.strategy)
    options: Mapping[str, Any] = run.options.get("options") or {}
    yield from _described(options, None if plugin is None else plugin.options)
    yield from _described(run.options.get("limits") or {}, Limits, after=" at most")
    if seed := run.options.get("seed"):
        yield "seed", str(seed)
    for role, model in roles_from(run.options).items():
        yield f"{role} model", model
    if faults := run.options.get("faults"):
        yield "faults", ", ".join(map(str, faults))
    if given := run.options.get("provider_options"):
        yield "provider options", one_line(json.dumps(given, ensure_ascii=False), _LONGEST)


def _described(
    chosen: Mapping[str, Any], options: type | None, *, after: str = ""
) -> Iterator[tuple[str, str]]:
    """Those that differ from the default, by their titles; by their names where nobody knows them,
    as of a plug-in that is not installed here."""
    fields = {} if options is None else {each.name: each for each in describe_options(options)}
    for name, value in chosen.items():
        field = fields.get(name)
        if field is None:
            yield name, one_line(json.dumps(value, ensure_ascii=False), _LONGEST)
        elif field.words_of(value) != field.default_words:
            limit = after if value is not None else ""
            yield field.title, f"{field.words_of(value)}{limit}"
