"""What is a tool worth? Causal effects of APIs and toolkits by randomised availability.

In an experiment with a fault such as "500:all,p=0.3,by=api" (or by=toolkit) and several seeds,
chance decides for each trial which APIs are down, whatever was called: known from the rule, the
query and the seed alone. So trials of one query with an API up and with it down differ by chance
and by the API. An API (or toolkit, down when all its APIs that were called are) is looked at in the
queries in whose trials it was called: whether a trial calls it does not hang on its own
availability.

Source: Tool-Planner, arXiv 2406.03807, appendix G, whose indicator "was used" is confounded.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.experiment import Arm
from toolplanner_core.domain.ids import ROOT, ToolkitId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.experiment_file import spec_of
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.effects import FoundPairs, average_effect, select_pairs
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.runs.debugging.faults import DrawnBy, FaultPlan, FaultRule, parse_fault
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, rowids_of, stored_documents
from toolplanner_core.workspace.lab_store import JudgedTrial, LabStore
from toolplanner_core.workspace.toolkits import plannable_labels, plannable_toolkits

MOST = 40
_DRAWN_BY = (DrawnBy.API, DrawnBy.TOOLKIT)


class ToolEffect(NamedTuple):
    """An API by its key, or a toolkit by its name.

    Attributes:
        effect: share of solved trials with it up minus with it down; None where chance left no
            query with both.
        down: trials in which it was down; queries: in whose trials it was called.
        trials: numbers of the trials of these queries.
    """

    name: str
    effect: Estimate | None
    down: int
    queries: int
    trials: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEffects:
    """Effects in one arm's trials.

    Attributes:
        effects: largest first.
        pairs: what the logit of pairs selects; its columns are positions in `names`; None where
            all trials have one outcome.
        names: of the units, in the order of the columns.
    """

    judge: str
    arm: str
    trials: int
    effects: tuple[ToolEffect, ...]
    pairs: FoundPairs | None
    names: tuple[str, ...]


def tool_effects(
    store: LabStore,
    workspace: Workspace,
    *,
    arm: str = "",
    judge: str = "",
    of_toolkits: bool = False,
    most: int = MOST,
    seed: int = 0,
) -> ToolEffects:
    """Effects of the APIs, or toolkits, that an arm's trials call most. Blocks for seconds.

    Args:
        arm: "" = the first whose faults are drawn by API or toolkit.
        judge: who says what is solved, "" = the first of the experiment.

    Raises:
        BadInput: no fault of the arm is drawn by API or toolkit.
        NotFound: there is no such arm.
    """
    results = ExperimentResults(store)
    chosen, by = _arm(results, arm), judge or results.judges[0]
    trials = [
        each for each in results.trials() if each.trial.arm == chosen.name and by in each.verdicts
    ]
    if not trials:
        raise BadInput(f"The judge {by} says nothing of the trials of {chosen.name}")
    called = {each.trial.number: _called(store, each) for each in trials}
    counts = Counter(key for keys in called.values() for key in keys)
    apis = _apis(workspace, counts)
    texts = {query.id: query.text for query in results.queries}
    toolkits = _toolkits(workspace, apis)
    down = _down(chosen, trials, texts, apis, toolkits)
    units = _units(workspace, toolkits) if of_toolkits else {key: (key,) for key in apis}
    ranked = sorted(units, key=lambda name: (-sum(counts[key] for key in units[name]), name))
    names = tuple(ranked[:most])
    queries = [each.trial.query for each in trials]
    outcomes = np.array([each.verdicts[by] for each in trials], dtype=np.float64)
    matrix = np.zeros((len(trials), len(names)), dtype=np.bool_)
    found: list[ToolEffect] = []
    place = {key: at for at, key in enumerate(apis)}
    for at, name in enumerate(names):
        asked = {e.trial.query for e in trials if called[e.trial.number] & {*units[name]}}
        is_down = np.all(down[:, [place[key] for key in units[name]]], axis=1)
        is_asked = np.array([query in asked for query in queries], dtype=np.bool_)
        matrix[:, at] = is_down & is_asked
        of_asked = [query for query in queries if query in asked]
        effect = average_effect(outcomes[is_asked], ~is_down[is_asked], of_asked, seed=seed)
        numbers = tuple(e.trial.number for e in trials if e.trial.query in asked)
        found.append(ToolEffect(name, effect, int(matrix[:, at].sum()), len(asked), numbers))
    return ToolEffects(
        judge=by,
        arm=chosen.name,
        trials=len(trials),
        effects=tuple(sorted(found, key=_largest_first)),
        pairs=select_pairs(outcomes, matrix, queries, seed=seed),
        names=names,
    )


def arms_by_chance(results: ExperimentResults) -> list[Arm]:
    """Arms with a fault that is drawn by API or toolkit."""
    return [arm for arm in results.experiment.arms if _rules(arm, "", 0)]


def _largest_first(each: ToolEffect) -> tuple[float, str]:
    return (2.0 if each.effect is None else -each.effect.value), each.name


def _arm(results: ExperimentResults, name: str) -> Arm:
    arms = results.experiment.arms
    if name and name not in {arm.name for arm in arms}:
        known = ", ".join(arm.name for arm in arms)
        raise NotFound(f"There is no arm {name!r}", todo=f"There are: {known}")
    found = next((arm for arm in arms_by_chance(results) if name in ("", arm.name)), None)
    if found is None:
        raise BadInput(
            "No fault of the arm is drawn by API or toolkit",
            why="Availability must be drawn by chance for each trial",
            todo='Give it faults = ["500:all,p=0.3"] and several seeds',
        )
    return found


def _rules(arm: Arm, query: str, seed: int) -> list[FaultRule]:
    """Those that chance decides by API or toolkit."""
    rules = [parse_fault(text) for text in spec_of(arm, query=query, seed=seed).faults]
    return [rule for rule in rules if rule.p is not None and rule.by in _DRAWN_BY]


def _called(store: LabStore, each: JudgedTrial) -> frozenset[str]:
    facts = store.facts(each.trial.number)
    return frozenset(call.api for call in facts.calls if call.api) if facts else frozenset()


def _apis(workspace: Workspace, keys: Mapping[str, int]) -> dict[str, Api]:
    """By key, those that the workspace has."""
    rows = {each.key: each.rowid for each in stored_documents(workspace) if each.key in keys}
    apis = apis_by_rowid(workspace, list(rows.values()))
    return {key: apis[row] for key, row in sorted(rows.items())}


def _toolkits(workspace: Workspace, apis: Mapping[str, Api]) -> dict[str, ToolkitId]:
    """Toolkits of the called APIs by key, of those that are in one."""
    labels = plannable_labels(workspace)
    rows = rowids_of(workspace, [api.id for api in apis.values()])
    return {key: labels[rows[api.id]] for key, api in apis.items() if rows[api.id] in labels}


def _units(workspace: Workspace, toolkits: Mapping[str, ToolkitId]) -> dict[str, tuple[str, ...]]:
    """Keys of the called APIs by the name of their toolkit."""
    names = {toolkit.id: toolkit.name for toolkit in plannable_toolkits(workspace)}
    found: dict[str, list[str]] = {}
    for key, toolkit in toolkits.items():
        found.setdefault(names[toolkit], []).append(key)
    return {name: tuple(keys) for name, keys in found.items()}


def _down(
    arm: Arm,
    trials: Sequence[JudgedTrial],
    texts: Mapping[str, str],
    apis: Mapping[str, Api],
    toolkits: Mapping[str, ToolkitId],
) -> NDArray[np.bool_]:
    """(trials, APIs): which were down, as the rules draw it."""
    down = np.zeros((len(trials), len(apis)), dtype=np.bool_)
    for row, each in enumerate(trials):
        text = texts[each.trial.query]
        rules = _rules(arm, text, each.trial.seed)
        for column, api in enumerate(apis.values()):
            plan = FaultPlan(rules, query=text)
            struck = plan.fault_for(api, "", ROOT, {}, toolkit_of=lambda one: toolkits.get(one.key))
            down[row, column] = struck is not None
    return down
