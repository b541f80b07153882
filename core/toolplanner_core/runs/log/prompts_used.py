"""Which prompts a run used, and whether they are the same now."""

from collections.abc import Iterable, Mapping

from toolplanner_core.prompts.editing import workspace_prompts
from toolplanner_core.prompts.texts import default_prompts, hash_of
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.workspace import Workspace


def prompts_used(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """Hashes of the texts that were used, by name; more than one where a fork went on with
    another text."""
    found: dict[str, dict[str, None]] = {}
    for record in records:
        if isinstance(record.event, ModelAsked):
            for name, hash_ in record.event.prompts.items():
                found.setdefault(name, {})[hash_] = None
    return {name: tuple(found[name]) for name in sorted(found)}


def changed_prompts(workspace: Workspace, used: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Those of which another text holds in the workspace now. Blocks."""
    now = {one.name: one.hash for one in workspace_prompts(workspace)}
    return tuple(name for name, hashes in used.items() if set(hashes) != {now.get(name)})


def prompt_words(name: str, hash_: str, *, is_titled: bool = False) -> str:
    """A used prompt in words: "make_plan 1f0c2a93be47 (edited)"; with its title for its name."""
    default = default_prompts().get(name) if is_titled else None
    shown = f"{default.title} ·" if default is not None else name
    return f"{shown} {hash_} (edited)" if is_edited(name, hash_) else f"{shown} {hash_}"


def is_edited(name: str, hash_: str) -> bool:
    """Whether a used text is not the default of this program."""
    default = default_prompts().get(name)
    return default is None or hash_of(default.text) != hash_
