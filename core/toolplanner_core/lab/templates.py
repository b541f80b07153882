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

from toolplanner_core.errors import NotFound
from toolplanner_core.options.published import published_options
from toolplanner_core.resources import resource_root
from toolplanner_core.strategies.interface.strategy import strategies

_FOLDER = "lab_templates"
_GIVEN = ("candidates", "distractors")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of a paper.

    Attributes:
        id: such as "tool-planner/table-4".
        splits: of a data set, as of `ExperimentResults.share_of`.
        queries: how many the paper has of each.
        is_presumed: whether the paper leaves that number to be presumed.
        says: what differs here.
        arms: strategy, options that differ from those of its paper, and what is given with each
            query (`candidates`, `distractors`), by name.
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
    says: tuple[str, ...]
    arms: Mapping[str, Mapping[str, Any]]
    published: Mapping[str, Mapping[str, Mapping[str, tuple[float, ...]]]]


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
) -> str:
    """The experiment file of a table: its arms with the settings of their papers.

    Args:
        workspace, dataset: as the file shall name them.
        model: who answers all questions of all arms.
        label: what a reader must know of this model, "" = nothing.
    """
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
        strategy = strategies.get(said["strategy"])
        options = {} if strategy.published is None else published_options(strategy)
        options |= said.get("options", {})
        lines += ["", f"[arm.{_toml(name)}]", f"strategy = {_toml(said['strategy'])}"]
        lines += [f"model = {_toml(model)}", f"provider = {_toml(provider)}"]
        lines += [f"{key} = {_toml(said[key])}" for key in _GIVEN if key in said]
        if options:
            inside = ", ".join(f"{key} = {_toml(value)}" for key, value in options.items())
            lines.append(f"options = {{ {inside} }}")
    return "\n".join(lines) + "\n"


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
