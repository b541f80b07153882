"""What every plug-in of every kind must keep: words for people, options that say what they are.

What only one kind promises is tested beside it: `tests/core/clustering/test_contract.py` and so on.
"""

import json
import re
from typing import Any, NamedTuple

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.cli.import_catalogue import import_catalogue
from toolplanner_core.cli.plugin_flags import PluginCommand, PluginFlags, explain_option
from toolplanner_core.cli.plugins import plugin_row
from toolplanner_core.cli.prepare import (
    cluster_command,
    embed_command,
    layout_command,
    prepare_command,
)
from toolplanner_core.cli.run import run_command
from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.datasets.importer import importers
from toolplanner_core.layout.layout import layouts
from toolplanner_core.llm.model import models
from toolplanner_core.options.option import OptionField, OptionKind, describe_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.providers.provider import providers
from toolplanner_core.registry import Registry
from toolplanner_core.sources.source import sources
from toolplanner_core.strategies.interface.strategy import strategies

REGISTRIES: tuple[Registry[Any], ...] = (
    sources, embedders, clusterings, layouts, providers, models, strategies, importers,
)  # fmt: skip
COMMANDS: tuple[click.Command, ...] = (
    embed_command, cluster_command, layout_command, prepare_command, run_command, import_catalogue,
)  # fmt: skip


class Member(NamedTuple):
    """A plug-in with its registry."""

    registry: Registry[Any]
    plugin: Any


MEMBERS = [Member(registry, plugin) for registry in REGISTRIES for plugin in registry]
every = pytest.mark.parametrize(
    "member", MEMBERS, ids=[f"{m.registry.kind}-{m.plugin.id}" for m in MEMBERS]
)
every_registry = pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)


@every_registry
def test_registry_when_asked_then_titles_tell_its_members_apart(registry: Registry[Any]) -> None:
    titles = [plugin.title for plugin in registry]
    assert titles
    assert len(set(titles)) == len(titles)
    assert not registry.broken
    with pytest.raises(NotFound, match=f"no {registry.what} called 'nobody'. Choose one of: "):
        registry.get("nobody")


@every
def test_plugin_when_shown_then_has_words_for_people(member: Member) -> None:
    plugin = member.plugin
    assert member.registry.get(plugin.id) is plugin
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", plugin.id)
    assert plugin.title.strip() == plugin.title != ""
    assert plugin.description.endswith(".")
    assert len(plugin.description) > 20
    json.dumps(plugin_row(member.registry, plugin))


@every
def test_options_when_described_then_each_says_what_it_does(member: Member) -> None:
    for option in describe_options(member.plugin.options):
        assert option.explanation.endswith("."), f"declare {option.name} with option(...)"
        assert option.title
        assert option.name == option.name.lower()
        assert not option.is_optional or option.none_means
        assert option.explanation in explain_option(option)


@every
def test_options_when_left_alone_then_fit_and_survive_json(member: Member) -> None:
    kind = member.plugin.options
    stored = json.loads(json.dumps(options_to_json(kind())))
    assert make_options(kind, stored, of="x") == kind() == make_options(kind, {}, of="x")


@every
def test_options_when_wrong_then_refused_with_their_name(member: Member) -> None:
    kind = member.plugin.options
    with pytest.raises(BadInput, match="no option 'nothing_like_that' of x"):
        make_options(kind, {"nothing_like_that": 1}, of="x")
    for option in describe_options(kind):
        for value in wrong_values(option):
            with pytest.raises(BadInput, match=f"the option {option.name} of x. Choose"):
                make_options(kind, {option.name: value}, of="x")


@every
@settings(max_examples=20)
@given(data=st.data())
def test_options_when_given_as_flags_then_arrive_as_meant(member: Member, data: Any) -> None:
    options = describe_options(member.plugin.options)
    chosen = {option.name: data.draw(right_values(option), option.name) for option in options}
    command = PluginCommand(
        "try",
        params=[click.Option(["--kind"])],
        callback=lambda kind, values: values,
        plugins=[PluginFlags(chosen_by="--kind", registry=member.registry, into="values")],
    )
    arguments = ["--kind", member.plugin.id]
    for option in options:
        arguments += as_flag(option, chosen[option.name])
    given_values = command.main(arguments, standalone_mode=False)
    assert given_values.keys() == chosen.keys()
    made = make_options(member.plugin.options, given_values, of="x")
    assert made == make_options(member.plugin.options, chosen, of="x")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_flags_when_a_command_has_its_own_then_no_option_of_ours_hides(
    command: PluginCommand,
) -> None:
    own = [flag for param in command.params for flag in param.opts]
    for flags in command.plugins:
        assert flags.chosen_by in own
        for plugin in flags.registry:
            made = flags.flags_of(plugin.id, own)
            assert [*made] == [option.name for option in describe_options(plugin.options)]


def wrong_values(option: OptionField) -> list[Any]:
    """Values that no option of this kind takes."""
    if option.is_list:
        return [7]
    wrong: list[Any] = [{}]
    if option.kind is not OptionKind.TEXT:
        wrong.append("no such value")
    if option.minimum is not None:
        wrong.append(option.minimum - 1)
    if option.maximum is not None:
        wrong.append(option.maximum + 1)
    return wrong


def right_values(option: OptionField) -> st.SearchStrategy[Any]:
    """Values that fit."""
    low = option.minimum if option.minimum is not None else -1000
    high = option.maximum if option.maximum is not None else low + 2000
    text = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=9)
    one = {
        OptionKind.BOOL: st.booleans(),
        OptionKind.INT: st.integers(int(low), int(high)),
        OptionKind.FLOAT: st.floats(low, high),
        OptionKind.TEXT: text,
        OptionKind.CHOICE: st.sampled_from([choice.value for choice in option.choices] or [0]),
    }[option.kind]
    many = st.lists(one, min_size=1, max_size=3) if option.is_list else one
    return many | st.none() if option.is_optional else many


def as_flag(option: OptionField, value: Any) -> list[str]:
    """A value as a person would type it."""
    flag = option.name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    if isinstance(value, list):
        return [f"--{flag}", ",".join(str(item) for item in value)]
    return [f"--{flag}", "none" if value is None else str(value)]
