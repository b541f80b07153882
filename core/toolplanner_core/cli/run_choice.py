"""The flags that say how a query is run: strategy, models, provider, their options, limits.

What a flag does not say comes from `--preset`; without one the models are those that the person
named in the settings, unless `--model` names one: that does all for which no flag names another.

Not among the other shared options: those are loaded with every command.
"""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from toolplanner_core.cli.options import SEED
from toolplanner_core.cli.plugin_flags import PAIRS, PluginCommand, PluginFlags, explain_option
from toolplanner_core.domain.workspace_file import existing_workspace
from toolplanner_core.llm.model import models, parse_model_spec
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.provider import providers
from toolplanner_core.runs.config.presets import is_paper_preset, read_preset, usual_run
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

_PLUGINS = (
    PluginFlags(chosen_by="--strategy", registry=strategies, into="options", pairs=PAIRS),
    PluginFlags(
        chosen_by="--provider",
        registry=providers,
        into="provider_options",
        prefix="provider-",
        pairs=("--provider-option",),
        not_ids=("auto",),
    ),
    PluginFlags(chosen_by="--model", registry=models, into="model_options", prefix="model-"),
)
_ROLES = tuple(role for role in Role if role is not Role.ACTING)
_LIMITS = describe_options(Limits)
_SHORTER = {"max_api_calls": ("--max-calls",)}


class ChoiceCommand(PluginCommand):
    """A command with the flags of a choice, which go by their names to its `**choice`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, plugins=_PLUGINS, **kwargs)
        self.params += _flags()

    def usual(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the preset that is named says, else which models are the person's usual ones."""
        preset = given.get("preset")
        if not preset or not given.get("workspace"):
            usual = usual_run()
            named = {} if preset or given.get("model") else _models_of(usual)
            return {**_limits_of(usual), **named}
        with Workspace.open(existing_workspace(Path(given["workspace"]))) as opened:
            spec = read_preset(opened, preset)
        if is_paper_preset(preset) and given.get("model"):
            # It says nothing of models: one that is named does all, as without a preset.
            spec = dataclasses.replace(spec, roles={})
        return {
            "strategy": spec.strategy,
            "provider": spec.provider,
            "seed": spec.seed,
            **_models_of(spec),
            **_limits_of(spec),
        }


def chosen_spec(workspace: Workspace, choice: Mapping[str, Any], *, query: str = "") -> RunSpec:
    """How a query shall be run, by the flags of a `ChoiceCommand`.

    Raises:
        NotFound: there is no such preset.
        BadInput: a limit does not fit.
    """
    options, provider_options = choice["options"], choice["provider_options"]
    judge = False
    if choice["preset"]:
        preset = read_preset(workspace, choice["preset"])
        judge = preset.judge
        if preset.strategy == choice["strategy"]:
            options = {**preset.options, **options}
        if preset.provider == choice["provider"]:
            provider_options = {**preset.provider_options, **provider_options}
    limits = {e.name: choice[e.name] for e in _LIMITS if choice[e.name] is not None}
    model = parse_model_spec(choice["model"]).with_values(choice["model_options"])
    return RunSpec(
        query=query,
        strategy=choice["strategy"],
        model=str(model),
        roles={role: choice[_dest(role)] for role in _ROLES if choice[_dest(role)]},
        provider=choice["provider"],
        options=options,
        provider_options=provider_options,
        limits=make_options(Limits, limits, of="the run"),
        seed=choice["seed"],
        judge=judge,
    )


def _models_of(spec: RunSpec) -> dict[str, str | None]:
    return {"model": spec.model, **{_dest(role): spec.roles.get(role) for role in _ROLES}}


def _limits_of(spec: RunSpec) -> dict[str, Any]:
    limits = {each.name: getattr(spec.limits, each.name) for each in _LIMITS}
    return {name: "none" if value is None else value for name, value in limits.items()}


def _dest(role: Role) -> str:
    return f"{role}_model"


def _flags() -> list[click.Parameter]:
    usual = RunSpec(query="")

    def flag(
        name: str, help_text: str, default: Any = None, *also: str, **more: Any
    ) -> click.Option:
        names = [f"--{name}", *also, name.replace("-", "_")]
        return click.Option(
            names, default=default, show_default=default is not None, help=help_text, **more
        )

    made: list[click.Parameter] = [
        flag("preset", "Begin with what is saved under this name.", metavar="NAME"),
        flag("strategy", "How to solve it.", usual.strategy, metavar="ID"),
        flag(
            "model", "Who acts, such as openai:NAME.", usual.model, "--acting-model", metavar="ID"
        ),
    ]
    made += [flag(f"{role}-model", f"Another model for {role}.", metavar="ID") for role in _ROLES]
    made.append(flag("provider", "Who executes the calls.", usual.provider, metavar="ID"))
    for each in _LIMITS:
        flags = [f"--{each.name.replace('_', '-')}", *_SHORTER.get(each.name, ()), each.name]
        made.append(click.Option(flags, metavar="N", help=explain_option(each)))
    made.append(flag("seed", "The same seed chooses the same where chance decides.", 0, type=SEED))
    return made
