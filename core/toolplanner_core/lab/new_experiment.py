"""A new experiment from a few answers: the question, the data set, what is compared, the seeds.

What it writes is an ordinary experiment file (`experiment_file.py`), which a person may change.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from toolplanner_core.domain.lab import DataSet
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.importing import import_data_set
from toolplanner_core.lab.datasets.jsonl import SUFFIX as DATA_SET_SUFFIX
from toolplanner_core.lab.datasets.jsonl import read_data_set, write_data_set
from toolplanner_core.lab.datasets.library import list_library
from toolplanner_core.lab.experiment_file import (
    SUFFIX,
    ExperimentFile,
    read_experiment_file,
    resolve,
)
from toolplanner_core.lab.looking.plan import PlannedExperiment, plan_of
from toolplanner_core.lab.templates import experiment_text, paper_table
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.export_file import write_file

RATES = (0.0, 0.1, 0.3, 0.5)
"""Chances that an API fails, of the question about failures."""
_NAME = re.compile(r"[\w][\w .-]{0,59}")
_OFFLINE_JUDGES = ("expected", "gold", "evidence")


class Asked(StrEnum):
    """What an experiment asks."""

    STRATEGIES = "strategies"
    MERGE = "merge"
    RESILIENCE = "resilience"
    TEMPLATE = "template"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewExperiment:
    """The answers.

    Attributes:
        workspace: its catalogue and toolkits are used; the experiment's file stands beside it.
        dataset: file of the queries; None = the cases of the workspace, which are written to one.
        strategies: ids; of a merge the first one alone is used.
        before, after: numbers of edits, of a merge.
        template: id of a paper's table.
    """

    name: str
    asked: Asked
    workspace: Path
    dataset: Path | None
    strategies: Sequence[str]
    model: str
    provider: str
    seeds: Sequence[int] = (1,)
    before: int = 0
    after: int = 0
    template: str = ""

    @property
    def file(self) -> Path:
        """Where it is written."""
        return self.workspace.with_name(f"{self.name}{SUFFIX}")


def data_sets_beside(workspace: Path) -> list[Path]:
    """Files of queries in the folder of a workspace."""
    return sorted(workspace.parent.glob(f"*{DATA_SET_SUFFIX}"))


def offered_data_sets(workspace: Path) -> list[Path]:
    """Files of queries beside a workspace, then those of this machine's library."""
    return [*data_sets_beside(workspace), *list_library()]


def experiment_of(asked: NewExperiment) -> tuple[str, DataSet]:
    """The text of the experiment file, and its queries. Blocks.

    Raises:
        BadInput: the name cannot be one, a choice is missing, or the queries cannot be read.
        NotFound: there is no such template.
    """
    if not _NAME.fullmatch(asked.name):
        raise BadInput(
            f"{asked.name!r} cannot name an experiment", todo="Take letters, digits and spaces"
        )
    queries = _queries(asked)
    place = _data_set_file(asked)
    places = {
        "workspace": asked.workspace.name,
        "dataset": place.name if place.parent == asked.workspace.parent else place.as_posix(),
    }
    if asked.asked is Asked.TEMPLATE:
        text = experiment_text(
            paper_table(asked.template), model=asked.model, provider=asked.provider, label="",
            workspace=places["workspace"], dataset=places["dataset"],
        )  # fmt: skip
        return text, queries
    arms = _arms(asked)
    top = {
        **places,
        "seeds": list(asked.seeds),
        "judges": _judges(queries),
        "baseline": next(iter(arms)) + _suffix(asked),
    }
    lines = [f"{key} = {_toml(value)}" for key, value in top.items()]
    for name, settings in arms.items():
        lines += ["", f"[arm.{_toml(name)}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in settings.items()]
    if asked.asked is Asked.RESILIENCE:
        lines += ["", "[factor.faults]"]
        lines += [f"{_toml(_rate(rate))} = {_toml(_faults(rate))}" for rate in RATES]
    names = [name + _suffix(asked) for name in arms]
    if len(names) > 1:
        compare = [[name, names[0]] for name in names[1:]]
        lines += ["", "[plan]", f"compare = {_toml(compare)}"]
    return "\n".join(lines) + "\n", queries


def plan_new(asked: NewExperiment) -> PlannedExperiment:
    """What it would run; writes nothing. Blocks.

    Raises:
        UserError: as `experiment_of` and `resolve`.
    """
    import tempfile

    text, queries = experiment_of(asked)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / f"queries{DATA_SET_SUFFIX}"
        write_data_set(queries, data)
        file = Path(folder) / f"new{SUFFIX}"
        file.write_text(text, encoding="utf-8")
        read = read_experiment_file(file)
        with Workspace.open(asked.workspace) as workspace:
            head = read_head(workspace.reader())
        found = ExperimentFile(
            path=asked.file, workspace=asked.workspace, dataset=data, data=read.data
        )
        experiment, data_set = resolve(found, edit=head)
    return plan_of(experiment, data_set)


def write_new(asked: NewExperiment) -> Path:
    """Write the experiment file, and the queries where they are cases; the file. Blocks.

    Raises:
        BadInput: there is an experiment of this name; else as `experiment_of`.
    """
    if asked.file.exists() or asked.file.with_suffix("").exists():
        raise BadInput(f"There is an experiment called {asked.name}", todo="Give it another name")
    text, queries = experiment_of(asked)
    if asked.dataset is None:
        write_data_set(queries, _data_set_file(asked))
    write_file([text], asked.file)
    return asked.file


def _queries(asked: NewExperiment) -> DataSet:
    if asked.dataset is not None:
        found = read_data_set(asked.dataset)
        if found.rejected:
            first = found.rejected[0]
            raise BadInput("A query cannot be read", where=first.where, why=first.why)
        return found.data_set
    made = import_data_set(asked.workspace, name=f"cases of {asked.name}", format_id="cases")
    return made.data_set


def _data_set_file(asked: NewExperiment) -> Path:
    return asked.dataset or asked.workspace.with_name(f"cases of {asked.name}{DATA_SET_SUFFIX}")


def _judges(queries: DataSet) -> list[str]:
    """Those that ask no model, and can judge some of the queries."""
    has = {
        "expected": any(query.expected is not None for query in queries),
        "gold": any(query.gold for query in queries),
        "evidence": True,
    }
    return [judge for judge in _OFFLINE_JUDGES if has[judge]]


def _arms(asked: NewExperiment) -> Mapping[str, Mapping[str, Any]]:
    """Tables of the arms by name; the first one is the baseline."""
    if not asked.strategies:
        raise BadInput("Nothing is compared", todo="Choose at least one strategy")
    common = {"model": asked.model, "provider": asked.provider}
    if asked.asked is not Asked.MERGE:
        return {each: {"strategy": each, **common} for each in asked.strategies}
    if asked.before == asked.after:
        raise BadInput("Both states of the toolkits are the same", todo="Choose two states")
    strategy = {"strategy": asked.strategies[0], **common}
    return {
        "before": {**strategy, "edit": asked.before},
        "after": {**strategy, "edit": asked.after},
    }


def _suffix(asked: NewExperiment) -> str:
    return f"/{_rate(RATES[0])}" if asked.asked is Asked.RESILIENCE else ""


def _rate(rate: float) -> str:
    return f"{100 * rate:.0f} percent" if rate else "no failures"


def _faults(rate: float) -> list[str]:
    return [f"500:all,p={rate:g}"] if rate else []


def _toml(value: Any) -> str:
    """Text, numbers and lists are written alike in JSON and TOML."""
    return json.dumps(value, ensure_ascii=False)
