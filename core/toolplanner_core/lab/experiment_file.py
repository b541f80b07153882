"""Experiment files, `NAME.lab.toml`: read, checked and resolved.

    workspace = "demo.toolplanner"        # both beside the file, or with a path
    dataset = "questions.jsonl"
    seeds = [1, 2, 3]
    judges = ["evidence", "gold"]
    baseline = "plain"
    label = "scripted"                    # what readers of its tables must know; may be left out
    [arm.plain]
    strategy = "tool-planner"
    [arm.parallel]
    strategy = "tool-planner"
    options = { parallel = true }
    edit = 212                            # toolkits as they were after this edit; all arms or none
    candidates = "gold"                   # the only APIs it may see: "gold", "given" by the source,
    distractors = 10                      # or "random"; so many others, drawn by the seed, beside
                                          # them: with "random" these alone, for all queries alike
    [factor.faults]                       # product with the arms: plain/none, plain/third, ...
    none = []
    third = ["500:all,p=0.3"]
    [plan]
    compare = [["parallel/third", "plain/third"]]
    [budget]                              # of all trials together; each needs a limit of its own
    tokens = 2_000_000                    # also dollars, model_calls, api_calls
    [quota]                               # of each endpoint, shared by all workers
    requests_per_minute = 500             # also tokens_per_minute

Whatever is left out is filled in, and stored so with the experiment. A key that nobody knows is
refused with its place. The chance of a fault hangs on the API unless a rule says `by=`, and on the
trial's seed unless it says `seed=`, so that all arms meet the same failures. Strategies that are
shown demonstrations are shown none of the tested query, unless an arm says `leave_own_out = false`.
"""

import dataclasses
import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from toolplanner_core.domain.experiment import Arm, Experiment
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.lab.budgets import read_budget
from toolplanner_core.lab.datasets.jsonl import read_data_set
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.engine.run_parts import refuse_without_model
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.request_quota import QuotaLimits

SUFFIX = ".lab.toml"
_LARGEST_FILE = 1_000_000
_MOST_TRIALS = 1_000_000
_MOST_SEED = 2**32
_TOP = (
    "workspace", "dataset", "seeds", "judges", "baseline", "order_seed", "arm", "factor", "plan",
    "budget", "quota", "template", "label",
)  # fmt: skip
_PLAN = ("compare", "least_difference")
_OF_ARM = (
    "strategy", "model", "roles", "provider", "options", "provider_options", "limits", "faults",
    "candidates", "distractors", "edit",
)  # fmt: skip
_GIVEN: dict[str, Any] = {"candidates": "all", "distractors": 0}
"""What an arm says of the APIs that are given with a query, where it says nothing; then it is no
part of its settings."""
_USUAL = {"leave_own_out": True}
"""Options that a strategy which has them is given, where an arm says nothing of them: an arm that
is shown how its query was solved before measures that."""
RANDOM = "random"
"""Candidates that are drawn by the seed, and nothing beside them."""
_CANDIDATES = ("all", "gold", "given", RANDOM)
_EDIT = "edit"
_BY, _SEED = re.compile(r",\s*by\s*="), re.compile(r",\s*seed\s*=")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentFile:
    """A file that was read; nothing was opened yet.

    Attributes:
        path: of the file; workspace, dataset: of what it names.
        data: what it says.
    """

    path: Path
    workspace: Path
    dataset: Path
    data: Mapping[str, Any]

    @property
    def store(self) -> Path:
        """Where its trials are: `NAME.lab` beside the file."""
        return self.path.with_name(self.path.name.removesuffix(".toml"))


def read_experiment_file(path: Path) -> ExperimentFile:
    """Read a file and refuse what nobody knows.

    Raises:
        BadInput: it cannot be read, or says something that is not understood; `where` is the key.
    """
    if not path.name.endswith(SUFFIX):
        raise BadInput("This is no experiment", where=str(path), todo=f"Call it NAME{SUFFIX}")
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise BadInput("The experiment is larger than 1 MB", where=str(path))
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("The experiment cannot be read", where=str(path), why=str(error)) from error
    _refuse_unknown(data, _TOP, path.name)
    _refuse_unknown(_table(data, "plan", path.name), _PLAN, f"{path.name}: plan")
    places = [path.parent / _text(data, name, path.name) for name in ("workspace", "dataset")]
    return ExperimentFile(path=path, workspace=places[0], dataset=places[1], data=data)


def resolve(file: ExperimentFile, *, edit: int) -> tuple[Experiment, DataSet]:
    """The experiment with everything that its file leaves out, and its queries. Blocks.

    Args:
        edit: number of the last edit of the toolkits that the arms work with.

    Raises:
        BadInput: something in it does not fit, or the plan has too many trials.
        NotFound: there is no such strategy, model or judge.
    """
    data, name = file.data, file.path.name
    found = read_data_set(file.dataset)
    if found.rejected:
        first = found.rejected[0]
        raise BadInput("A query cannot be read", where=first.where, why=first.why)
    if not len(found.data_set):
        raise BadInput("The data set has no query", where=file.dataset.name)
    arms = _arms(data, name, edit, found.data_set)
    seeds = _list_of(data.get("seeds", [0]), int, f"{name}: seeds")
    if not seeds or len(set(seeds)) != len(seeds) or not all(0 <= s < _MOST_SEED for s in seeds):
        raise BadInput("Seeds are different whole numbers from 0 on", where=f"{name}: seeds")
    number = len(arms) * len(seeds) * len(found.data_set)
    if number > _MOST_TRIALS:
        queries = counted(len(found.data_set), "query", "queries")
        product = f"{queries} x {counted(len(arms), 'arm')} x {counted(len(seeds), 'seed')}"
        raise BadInput(
            f"The plan has {counted(number, 'trial')}, and {_MOST_TRIALS:,} are the most",
            where=name,
            why=product,
            todo="Leave out values of factors, seeds or queries",
        )
    read_quota(file)
    named = _list_of(data.get("judges", ["evidence"]), str, f"{name}: judges")
    for judge in named:
        judges.get(judge)
    plan = _table(data, "plan", name)
    known = {arm.name for arm in arms}
    compare = tuple(_pair(each, known, name) for each in plan.get("compare", []))
    baseline = data.get("baseline", "")
    if baseline and baseline not in known:
        _no_arm(baseline, known, f"{name}: baseline")
    _refuse_other_kinds(data, plan, name)
    experiment = Experiment(
        name=name.removesuffix(SUFFIX),
        dataset=found.data_set.name,
        dataset_version=found.data_set.version,
        arms=arms,
        seeds=tuple(seeds),
        judges=tuple(dict.fromkeys(named)),
        baseline=baseline,
        compare=compare,
        least_difference=plan.get("least_difference"),
        order_seed=data.get("order_seed", 0),
        template=data.get("template", ""),
        label=data.get("label", ""),
        budget=read_budget(_table(data, "budget", name), arms, len(seeds), f"{name}: budget"),
    )
    return experiment, found.data_set


def _refuse_other_kinds(data: Mapping[str, Any], plan: Mapping[str, Any], name: str) -> None:
    least = plan.get("least_difference")
    if least is not None and (not isinstance(least, float) or not 0 < least < 1):
        raise BadInput("A difference lies between 0 and 1", where=f"{name}: plan.least_difference")
    if type(data.get("order_seed", 0)) is not int:
        raise BadInput("A seed is a whole number", where=f"{name}: order_seed")
    for key in ("template", "label"):
        if not isinstance(data.get(key, ""), str):
            raise BadInput(f"A {key} is a text", where=f"{name}: {key}")


def read_quota(file: ExperimentFile) -> QuotaLimits:
    """What a person allows for each endpoint; may be changed while the experiment goes on.

    Raises:
        BadInput: it is no number, or nobody knows it.
    """
    where = f"{file.path.name}: quota"
    table = _table(file.data, "quota", file.path.name)
    _refuse_unknown(table, tuple(each.name for each in dataclasses.fields(QuotaLimits)), where)
    for name, value in table.items():
        if type(value) is not int or value < 1:
            raise BadInput(f"{name} cannot be {value!r}", where=where, todo="Give a number above 0")
    return QuotaLimits(**table)


def spec_of(arm: Arm, *, query: str, seed: int) -> RunSpec:
    """The run of a trial.

    Raises:
        BadInput: a fault is not one.
    """
    settings = {name: value for name, value in arm.settings.items() if name not in _GIVEN}
    faults = tuple(_paired_fault(text, seed) for text in settings.pop("faults"))
    limits = Limits(**settings.pop("limits"))
    return RunSpec(query=query, seed=seed, limits=limits, faults=faults, **settings)


def _paired_fault(text: str, seed: int) -> str:
    if parse_fault(text).p is None:
        return text
    by = "" if _BY.search(text) else ",by=api"
    return f"{text}{by}" if _SEED.search(text) else f"{text}{by},seed={seed}"


def _arms(data: Mapping[str, Any], name: str, edit: int, queries: DataSet) -> tuple[Arm, ...]:
    tables, factors = _table(data, "arm", name), _table(data, "factor", name)
    if not tables:
        raise BadInput("The experiment has no arm", where=name, todo="Add [arm.NAME]")
    _refuse_unknown(factors, _OF_ARM, f"{name}: factor")
    values = {of: _table(factors, of, f"{name}: factor") for of in factors}
    if empty := next((of for of, named in values.items() if not named), None):
        raise BadInput("A factor has no value", where=f"{name}: factor.{empty}")
    number = len(tables)
    for named in values.values():
        number *= len(named)
    if number > _MOST_TRIALS:
        raise BadInput(f"The factors make {counted(number, 'arm')}", where=f"{name}: factor")
    made: list[Arm] = []
    for arm in tables:
        own = _table(tables, arm, f"{name}: arm")
        where = f"{name}: arm.{arm}"
        _refuse_unknown(own, _OF_ARM, where)
        if twice := next((of for of in values if of in own), None):
            raise BadInput(f"{twice} is a factor, too", where=where, todo="Say it in one place")
        for chosen in itertools.product(*(named.items() for named in values.values())):
            added = {of: value for of, (_, value) in zip(values, chosen, strict=True)}
            title = "/".join([arm, *(value for value, _ in chosen)])
            made.append(make_arm(title, {**own, **added}, where=where, edit=edit))
    naming = [arm for arm in tables if _EDIT in tables[arm]]
    if 0 < len(naming) < len(tables):
        # Else nobody could tell later which edit the others meant.
        raise BadInput(
            "Some arms say of which edit their toolkits are, and others do not",
            where=name,
            todo=f"Say {_EDIT} = NUMBER in all arms or in none",
        )
    hashes = {each.hash: each.name for each in made}
    for each in made:
        if hashes[each.hash] != each.name:
            raise BadInput(
                f"The arms {each.name} and {hashes[each.hash]} do the same",
                where=name,
                todo="Leave one of them out, or give it other options",
            )
    _refuse_without_candidates(made, queries, name)
    return tuple(made)


def make_arm(title: str, said: Mapping[str, Any], *, where: str, edit: int = 0) -> Arm:
    """An arm with all that is not said of it filled in.

    Args:
        said: as in the table of an arm; where: it stands, for refusals.
        edit: number of the last edit of the toolkits, unless the arm names one.

    Raises:
        BadInput: something in it does not fit.
        NotFound: there is no such strategy or model.
    """
    usual = {**_defaults(), **_GIVEN, _EDIT: edit}
    kinds = {field: type(value) for field, value in usual.items()}
    for field, value in said.items():
        if not isinstance(value, kinds[field]):
            raise BadInput(f"{field} cannot be {value!r}", where=where)
    own = {name: value for name, value in said.items() if name not in (*_GIVEN, _EDIT)}
    settings = {**_defaults(), **own, **_given(said, where)}
    settings["faults"] = _list_of(settings["faults"], str, f"{where}.faults")
    _refuse_unknown(settings["limits"], tuple(_defaults()["limits"]), f"{where}.limits")
    settings["limits"] = {**_defaults()["limits"], **settings["limits"]}
    _refuse_unknown(settings["roles"], tuple(Role), f"{where}.roles")
    for text in settings["faults"]:
        parse_fault(text)
    strategy = strategies.get(settings["strategy"])
    mine = {o.name: _USUAL[o.name] for o in describe_options(strategy.options) if o.name in _USUAL}
    options = make_options(strategy.options, {**mine, **settings["options"]}, of=where)
    settings["options"] = options_to_json(options)
    try:
        refuse_without_model(strategy, settings["model"])
    except UserError as error:
        error.where = where
        raise
    return Arm(
        name=title,
        settings=settings,
        edit=said.get(_EDIT, edit),
        strategy_version=strategy.version,
    )


def _given(said: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What is given with each query, {} where that is the whole catalogue."""
    candidates, distractors = (said.get(name, usual) for name, usual in _GIVEN.items())
    if candidates not in _CANDIDATES:
        known = ", ".join(_CANDIDATES)
        raise BadInput(
            f"Candidates cannot be {candidates!r}", where=where, todo=f"Say one of: {known}"
        )
    is_none_drawn = candidates == RANDOM and not distractors
    if distractors < 0 or is_none_drawn or (distractors and candidates == _GIVEN["candidates"]):
        raise BadInput(
            f"There cannot be {distractors:,} distractors here",
            where=where,
            todo='They stand beside candidates: say candidates = "gold" or "given", too, or'
            ' "random" with how many are drawn',
        )
    is_whole = candidates == _GIVEN["candidates"]
    return {} if is_whole else {"candidates": candidates, "distractors": distractors}


def candidate_keys(arm: Arm, query: Query) -> tuple[str, ...]:
    """Keys of the APIs that an arm gives with a query, () = the whole catalogue."""
    match arm.settings.get("candidates", "all"):
        case "gold":
            return tuple(sorted(query.keys))
        case "given":
            return query.candidates
        case _:
            return ()


def _refuse_without_candidates(arms: Sequence[Arm], queries: DataSet, name: str) -> None:
    """Where an arm gives APIs with each query, each query must have some."""
    for arm in arms:
        if arm.settings.get("candidates", RANDOM) == RANDOM:
            continue
        lacking = [query.id for query in queries if not candidate_keys(arm, query)]
        if lacking:
            wanted = counted(len(lacking), "query", "queries")
            raise BadInput(
                f"Candidates are missing for {wanted} of {len(queries):,}",
                where=f"{name}: arm.{arm.name}",
                why=f"The data set has no {arm.settings['candidates']} ones of {lacking[0]}",
                todo="Leave these queries out of the data set, or candidates out of the arm",
            )


def _defaults() -> dict[str, Any]:
    plain = RunSpec(query="")
    return {
        "strategy": plain.strategy,
        "model": plain.model,
        "roles": {},
        "provider": plain.provider,
        "options": {},
        "provider_options": {},
        "limits": dataclasses.asdict(plain.limits),
        "faults": [],
    }


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    if unknown := next((key for key in table if key not in known), None):
        raise BadInput(
            f"There is no {unknown!r} here", where=where, todo=f"Known are: {', '.join(known)}"
        )


def _table(data: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    value = data.get(name, {})
    if not isinstance(value, dict):
        raise BadInput(f"{name} is no table", where=where)
    return cast("dict[str, Any]", value)


def _text(data: Mapping[str, Any], name: str, where: str) -> str:
    value = data.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"The experiment names no {name}", where=where, todo=f'Add {name} = "FILE"')
    return value


def _list_of(value: Any, kind: type, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput("A list is needed", where=where)
    items = cast("list[Any]", value)
    if wrong := [each for each in items if type(each) is not kind]:
        raise BadInput(f"{wrong[0]!r} does not fit here", where=where)
    return items


def _pair(value: Any, known: set[str], name: str) -> tuple[str, str]:
    where = f"{name}: plan.compare"
    pair = _list_of(value, str, where)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise BadInput("A comparison names two arms", where=where)
    for arm in pair:
        if arm not in known:
            _no_arm(arm, known, where)
    return pair[0], pair[1]


def _no_arm(arm: Any, known: set[str], where: str) -> NoReturn:
    todo = f"There are: {', '.join(sorted(known)[:20])}"
    raise BadInput(f"There is no arm {arm!r}", where=where, todo=todo)
