"""Which setting of an experiment's arms matters: each factor by itself, and two at a time."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.experiment import Arm
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.ablation import MainEffect, interaction, main_effect
from toolplanner_core.lab.statistics.estimates import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorEffect:
    """A value of a setting minus another one.

    Attributes:
        factor: "strategy", "faults", "options.shortlist" ...; one, other: its values as text.
        settings: of the rest under which both were tried.
    """

    factor: str
    one: str
    other: str
    settings: int
    effect: MainEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorInteraction:
    """How much more a factor does with one value of another factor than with its other value."""

    factor: str
    values: tuple[str, str]
    by: str
    by_values: tuple[str, str]
    difference: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What factors do; main effects of all pairs of values, interactions of the first two."""

    judge: str
    effects: tuple[FactorEffect, ...]
    interactions: tuple[FactorInteraction, ...]


def ablate(results: ExperimentResults, *, judge: str = "", seed: int = 0) -> Ablation:
    """Compare the values of each setting in which arms differ.

    Args:
        judge: who says what is solved, "" = the first of the experiment.

    Raises:
        BadInput: no two arms differ in one setting alone, or the judge can judge no query.
        NotFound: the experiment has no such judge.
    """
    by = judge or results.judges[0]
    if by not in results.judges:
        raise NotFound(f"The experiment has no judge {by!r}")
    arms = _joined({arm.name: _flat(arm) for arm in results.experiment.arms})
    factors = _factors(arms)
    tables = {name: results.outcomes_of(name, by) for name in arms}
    clusters = results.clusters_of(by)
    if not clusters:
        raise BadInput(f"The judge {by} can judge no query of this data set")
    effects: list[FactorEffect] = []
    for factor, values in factors.items():
        for one, other in itertools.combinations(values, 2):
            pairs = _pairs(arms, factor, one, other)
            if not pairs:
                continue
            a, b = (np.hstack([tables[pair[at]] for pair in pairs]) for at in (0, 1))
            effect = main_effect(a, b, clusters, seed=seed)
            effects.append(
                FactorEffect(
                    factor=factor, one=one, other=other, settings=len(pairs), effect=effect
                )
            )
    if not effects:
        raise BadInput(
            "No two arms differ in one setting alone",
            todo="Give the experiment a [factor], whose values are tried with each arm",
        )
    found = [
        made
        for one, other in itertools.combinations(factors, 2)
        if (made := _interaction(arms, tables, clusters, factors, names=(one, other), seed=seed))
    ]
    return Ablation(judge=by, effects=tuple(effects), interactions=tuple(found))


def _flat(arm: Arm) -> dict[str, str]:
    """Settings as texts; those of a table each by itself."""
    found: dict[str, str] = {}

    def put(name: str, value: Any) -> None:
        if isinstance(value, Mapping) and value:
            table: Mapping[str, Any] = value
            for key, below in table.items():
                put(f"{name}.{key}", below)
        else:
            is_text = isinstance(value, str)
            found[name] = value if is_text else json.dumps(value, sort_keys=True, default=str)

    for name, value in arm.settings.items():
        put(name, value)
    return found


def _joined(arms: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The same, with settings that always change together as one."""
    together: dict[tuple[int, ...], list[str]] = {}
    for name, values in _factors(arms).items():
        parted = tuple(values.index(settings.get(name, "")) for settings in arms.values())
        together.setdefault(parted, []).append(name)
    found: dict[str, dict[str, str]] = {}
    for arm, settings in arms.items():
        rest = {
            n: v for n, v in settings.items() if not any(n in each for each in together.values())
        }
        joint = {
            " + ".join(names): " + ".join(settings.get(name, "") for name in names)
            for names in together.values()
        }
        found[arm] = {**rest, **joint}
    return found


def _factors(arms: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """Settings that differ, each with its values in the order of the arms; "" = has none."""
    names = dict.fromkeys(name for settings in arms.values() for name in settings)
    values = {name: [*dict.fromkeys(s.get(name, "") for s in arms.values())] for name in names}
    return {name: found for name, found in values.items() if len(found) > 1}


def _pairs(
    arms: Mapping[str, Mapping[str, str]], factor: str, one: str, other: str
) -> list[tuple[str, str]]:
    """Arms that differ in this alone."""

    def rest(settings: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in settings.items() if name != factor}

    return [
        (a, b)
        for a, left in arms.items()
        for b, right in arms.items()
        if (left.get(factor, ""), right.get(factor, "")) == (one, other)
        and rest(left) == rest(right)
    ]


def _interaction(
    arms: Mapping[str, Mapping[str, str]],
    tables: Mapping[str, NDArray[np.float64]],
    clusters: Sequence[str],
    factors: Mapping[str, list[str]],
    *,
    names: tuple[str, str],
    seed: int,
) -> FactorInteraction | None:
    """Of the first two values of two factors, under the first setting of the rest that has all."""
    first, second = (factors[name][:2] for name in names)
    for upper in _pairs(arms, names[0], *first):
        lower = [
            next((b for a, b in _pairs(arms, names[1], *second) if a == arm), None) for arm in upper
        ]
        if lower[0] is None or lower[1] is None:
            continue
        cells = [[tables[upper[at]], tables[str(lower[at])]] for at in (0, 1)]
        difference = interaction(cells, clusters, seed=seed)
        if difference is not None:
            return FactorInteraction(
                factor=names[0],
                values=(first[0], first[1]),
                by=names[1],
                by_values=(second[0], second[1]),
                difference=difference,
            )
    return None
