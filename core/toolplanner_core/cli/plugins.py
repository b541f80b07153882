"""`toolplanner sources`, `embedders`, `clusterings` ...: what there is to choose from.

One group of commands for every kind of plug-in, made from its registry; plug-ins of other
distributions are listed with who brings them, and those that cannot be used with the reason.
"""

import dataclasses
import importlib
from collections.abc import Sequence
from typing import Any

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.options.option import OptionField, describe_options
from toolplanner_core.options.published import PublishedSettings, compare_with_paper
from toolplanner_core.options.values import options_to_json
from toolplanner_core.registry import BrokenPlugin, Registry
from toolplanner_core.words.formatting import duration
from toolplanner_core.workspace import Workspace

_OWN = "toolplanner"
_HEAD = ("id", "title", "description")


def plugin_group(kind: str, module: str) -> click.Group:
    """The commands of one kind; its registry is imported when one of them is used.

    Args:
        kind: of the registry, and its name in `module`.
    """

    def registry() -> Registry[Any]:
        return getattr(importlib.import_module(module), kind)

    @click.command("list")
    @json_option
    def list_command(as_json: bool) -> None:
        """List them with their options; what cannot be used stands below with the reason."""
        found = registry()
        if as_json:
            broken = [_broken_row(each) for each in found.broken]
            print_json([*(plugin_row(found, plugin) for plugin in found), *broken])
            return
        print_table(
            ["Id", "Title", "Description", "Options", "From"],
            [
                [p.id, p.title, p.description, _options(p), found.origin(p.id) or _OWN]
                for p in found
            ],
        )
        for each in found.broken:
            print_line(f"Left out: {each.name} of {each.distribution}: {each.reason}")

    @click.command("show")
    @click.argument("plugin_id", metavar="ID")
    @json_option
    def show_command(plugin_id: str, as_json: bool) -> None:
        """Show one with all its options: what they do, what fits, what they are by default."""
        found = registry()
        row = plugin_row(found, found.get(plugin_id))
        if as_json:
            print_json(row)
            return
        print_line(f"{row['title']} ({row['id']}, from {row['from']})")
        print_line(row["description"])
        options = describe_options(found.get(plugin_id).options)
        if not options:
            print_line("There is nothing to choose.")
            return
        _print_options(options, getattr(found.get(plugin_id), "published", None))

    group = click.Group(kind, help=f"The {kind} that can be chosen, with their options.")
    group.add_command(list_command)
    group.add_command(show_command)
    return group


strategies = plugin_group("strategies", "toolplanner_core.strategies.interface.strategy")
models = plugin_group("models", "toolplanner_core.llm.model")
providers = plugin_group("providers", "toolplanner_core.providers.provider")
sources = plugin_group("sources", "toolplanner_core.sources.source")
embedders = plugin_group("embedders", "toolplanner_core.embedding.embedder")
clusterings = plugin_group("clusterings", "toolplanner_core.clustering.clustering")
layouts = plugin_group("layouts", "toolplanner_core.layout.layout")


@embedders.command("estimate")
@in_workspace
@json_option
def estimate_command(workspace: Workspace, as_json: bool) -> None:
    """Say how long each would take for the APIs of WORKSPACE that it has not encoded yet."""
    from toolplanner_core.embedding.embed import seconds_to_embed
    from toolplanner_core.embedding.embedder import embedders as registry

    seconds = {plugin.id: seconds_to_embed(workspace, plugin.id) for plugin in registry}
    if as_json:
        print_json([{"id": one, "seconds": round(took, 1)} for one, took in seconds.items()])
    else:
        rows = [[p.id, p.description, f"about {duration(seconds[p.id])}"] for p in registry]
        print_table(["Id", "Description", "Takes here"], rows)


def plugin_row(registry: Registry[Any], plugin: Any) -> dict[str, Any]:
    """A plug-in as JSON; `facts` are what its kind says beside title and options."""
    facts = {
        field.name: getattr(plugin, field.name)
        for field in dataclasses.fields(plugin)
        if field.name not in _HEAD and isinstance(getattr(plugin, field.name), bool | int | str)
    }
    defaults = options_to_json(plugin.options())
    return {
        **{name: getattr(plugin, name) for name in _HEAD},
        "from": registry.origin(plugin.id) or _OWN,
        "facts": facts,
        "options": [
            _option_row(option, defaults[option.name])
            for option in describe_options(plugin.options)
        ],
        "published": _published_row(plugin),
        "broken": None,
    }


def _print_options(options: Sequence[OptionField], paper: PublishedSettings | None) -> None:
    rows = [[o.name, o.default_words, o.fits, o.explanation] for o in options]
    print_table(["Option", "Default", "What fits", "What it does"], rows)
    if paper is None:
        return
    print_line("The settings of its paper (--preset), and why a default is another one:")
    print_table(
        ["Option", "The paper says", "Said by", "Preset", "Default", "Why"],
        [
            [row.name, row.says, row.source, row.preset, row.default, row.why]
            for row in compare_with_paper(options, paper)
        ],
    )
    print_line("With these settings there remain differences to the paper:")
    for difference in paper.differences:
        print_line(f"  - {difference}")


def _published_row(plugin: Any) -> dict[str, Any] | None:
    paper: PublishedSettings | None = getattr(plugin, "published", None)
    if paper is None:
        return None
    return {**dataclasses.asdict(paper), "options": paper.options}


def _option_row(option: OptionField, default: Any) -> dict[str, Any]:
    row = dataclasses.asdict(option)
    del row["enum"]
    return row | {
        "default": default,
        "choices": [choice._asdict() for choice in option.choices],
        "fits": option.fits,
    }


def _broken_row(broken: BrokenPlugin) -> dict[str, Any]:
    return {"id": broken.name, "from": broken.distribution, "broken": broken.reason}


def _options(plugin: Any) -> str:
    return ", ".join(
        f"{option.name}={option.default_words}" for option in describe_options(plugin.options)
    )
