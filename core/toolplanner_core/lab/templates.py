"""Tables of the papers as experiments: arms with the papers' settings, and the papers' figures.

A template is a file of `resources/lab_templates`, `PAPER/TABLE.toml`: which arms, which judges,
the figures that the paper prints by model, measure and arm (one for each split), of how many
queries they are (`is_presumed`: the paper does not say), and what differs from the paper here.
"""

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.options.published import published_options
from toolplanner_core.resources import resource_root
from toolplanner_core.strategies.interface.strategy import strategies

ARM = "\n[arm."
"""How each arm begins in the text of an experiment."""
_FOLDER = "lab_templates"
_FIRST, _SECOND, _NEEDS_EDIT = "first", "second", "needs_edit"
_OF_ARM = ("candidates", "distractors", "faults")
"""What stands in an experiment file as it stands in a template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of a paper.

    Attributes:
        id: such as "tool-planner/table-4".
        splits: of a data set, as of `ExperimentResults.share_of`.
        queries: how many the paper has of each.
        is_presumed: whether the paper leaves that number to be presumed.
        measures: amounts of ours that stand beside verdicts, such as "seconds".
        says: what differs here.
        arms: strategy, options that differ from those of its paper, and what else an experiment
            file says of an arm, by name. A model "first" or "second" is one that a person names;
            `needs_edit` = the toolkits of an edit that a person names for this arm.
        published: figures by model, measure ("pass", "win", "hallucination" in per cent, "tokens")
            and arm, one for each split; NaN = the paper has none.
    """

    id: str
    title: str
    paper: str
    judges: tuple[str, ...]
    baseline: str
    splits: tuple[str, ...]
    queries: tuple[int, ...]
    is_presumed: bool
    measures: tuple[str, ...]
    says: tuple[str, ...]
    arms: Mapping[str, Mapping[str, Any]]
    published: Mapping[str, Mapping[str, Mapping[str, tuple[float, ...]]]]

    @property
    def needs_second_model(self) -> bool:
        """Whether some of its arms ask a model of their own."""
        return any(
            _SECOND in (said.get("model"), *said.get("roles", {}).values())
            for said in self.arms.values()
        )

    @property
    def arms_with_edit(self) -> tuple[str, ...]:
        """Arms that differ by their toolkits."""
        return tuple(name for name, said in self.arms.items() if said.get(_NEEDS_EDIT))


def paper_tables() -> list[PaperTable]:
    """All, by id."""
    root = resource_root() / _FOLDER
    return [_read(file, root) for file in sorted(root.glob("*/*.toml"))]


def paper_table(name: str) -> PaperTable:
    """One by its id.

    Raises:
        NotFound: there is none.
    """
    known = {each.id: each for each in paper_tables()}
    if name not in known:
        raise NotFound(f"There is no template {name!r}", todo=f"There are: {', '.join(known)}")
    return known[name]


def experiment_text(
    table: PaperTable,
    *,
    workspace: str,
    dataset: str,
    model: str,
    provider: str,
    label: str,
    second_model: str = "",
    edits: Mapping[str, int] | None = None,
) -> str:
    """The experiment file of a table: its arms with the settings of their papers.

    Args:
        workspace, dataset: as the file shall name them.
        model: who answers all questions, but those that the table has `second_model` answer.
        label: what a reader must know of this model, "" = nothing.
        edits: numbers of the edits after which the toolkits of arms are taken; of arms that differ
            by their toolkits, only those are written that are named here.

    Raises:
        BadInput: a second model or an edit is missing, or an edit is for no such arm.
    """
    known = edits or {}
    _refuse_incomplete(table, model, second_model, known)
    lines = [f"# {table.paper}: {table.title}", *(f"# {each}" for each in table.says)]
    top = {
        "workspace": workspace,
        "dataset": dataset,
        "template": table.id,
        **({"label": label} if label else {}),
        "judges": list(table.judges),
        **({"baseline": table.baseline} if table.baseline else {}),
    }
    lines += [f"{key} = {_toml(value)}" for key, value in top.items()]
    for name, said in table.arms.items():
        if name in table.arms_with_edit and name not in known:
            continue
        named = {_FIRST: model, _SECOND: second_model}
        strategy = strategies.get(said["strategy"])
        options = {} if strategy.published is None else published_options(strategy)
        options |= said.get("options", {})
        roles = {role: named[of] for role, of in said.get("roles", {}).items()}
        settings = {
            "strategy": said["strategy"],
            "model": named[said.get("model", _FIRST)],
            "provider": provider,
            **{key: said[key] for key in _OF_ARM if key in said},
            **({"edit": known[name]} if name in known else {}),
        }
        lines.append(f"{ARM}{_toml(name)}]")
        lines += [f"{key} = {_toml(value)}" for key, value in settings.items()]
        lines += [f"{key} = {_inline(value)}" for key, value in
                  (("roles", roles), ("options", options)) if value]  # fmt: skip
    return "\n".join(lines) + "\n"


def _refuse_incomplete(
    table: PaperTable, model: str, second_model: str, edits: Mapping[str, int]
) -> None:
    if table.needs_second_model and second_model in ("", model):
        raise BadInput(
            f"{table.id} compares two models",
            todo="Name the second model, too",
        )
    asked = table.arms_with_edit
    if asked and not edits:
        raise BadInput(
            f"The arms of {table.id} differ by their toolkits",
            why=f"Its arms are: {', '.join(asked)}",
            todo="Name for each arm the edit of the history after which its toolkits are taken",
        )
    if foreign := [name for name in edits if name not in asked]:
        raise BadInput(
            f"{table.id} has no arm {foreign[0]!r} with toolkits of its own",
            todo=f"There are: {', '.join(asked)}" if asked else "Name no edit",
        )


def _inline(values: Mapping[str, Any]) -> str:
    return f"{{ {', '.join(f'{key} = {_toml(value)}' for key, value in values.items())} }}"


def _toml(value: Any) -> str:
    """Text, numbers, truth and lists are written alike in JSON and TOML, which has no null."""
    return '"none"' if value is None else json.dumps(value, ensure_ascii=False)


def _read(file: Path, root: Path) -> PaperTable:
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return PaperTable(
        id=file.relative_to(root).with_suffix("").as_posix(),
        title=data["title"],
        paper=data["paper"],
        judges=tuple(data["judges"]),
        baseline=data["baseline"],
        splits=tuple(data["splits"]),
        queries=tuple(data["queries"]),
        is_presumed=data["is_presumed"],
        measures=tuple(data.get("measures", ())),
        says=tuple(data["says"]),
        arms=data["arm"],
        published={
            model: {
                measure: {arm: tuple(map(float, row)) for arm, row in rows.items()}
                for measure, rows in measures.items()
            }
            for model, measures in data.get("published", {}).items()
        },
    )


def has_figure(value: float) -> bool:
    """Whether a paper prints it."""
    return not math.isnan(value)
