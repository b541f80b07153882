"""Presets: ways to run a query, saved under a name in the workspace, and the one chosen last.

The settings of papers are presets that are there in every workspace, one for each strategy that is
from a paper: "paper:ID". They say the strategy and its options; all else is as usual.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.llm.model import model_words, models, parse_model_spec
from toolplanner_core.options.published import differences_in_words, published_options
from toolplanner_core.options.values import make_options, options_to_json
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.provider import providers
from toolplanner_core.registry import Registry
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.settings import load_settings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import change_setting, get_setting, queue_setting

_SETTING = "presets"
_LAST = "last_chosen"
_PAPER = "paper:"
_KEPT = ("strategy", "options", "model", "roles", "provider", "provider_options", "seed", "judge")
"""What a preset says of a run, beside its limits: not the query, nor what a person debugs."""


def preset_names(workspace: Workspace) -> list[str]:
    """The names of the presets that are saved in a workspace, sorted."""
    return sorted(get_setting(workspace, _SETTING, {}), key=str.casefold)


def paper_preset_names() -> list[str]:
    """The names of the presets that are there in every workspace, sorted."""
    return sorted(f"{_PAPER}{plugin.id}" for plugin in strategies if plugin.published is not None)


def is_paper_preset(name: str) -> bool:
    """Whether a name is one of a preset that is there in every workspace."""
    return name in paper_preset_names()


def paper_preset_words(name: str) -> str:
    """What a preset with the settings of a paper changes and why that is not the default, and what
    stays different to the paper; "" for a preset that is another one."""
    if not is_paper_preset(name):
        return ""
    return differences_in_words(strategies.get(name.removeprefix(_PAPER)))


def read_preset(workspace: Workspace, name: str) -> RunSpec:
    """How a preset runs a query; its own query is empty.

    Raises:
        NotFound: there is none of this name.
        BadInput: its limits do not fit.
    """
    found: dict[str, Any] | None = get_setting(workspace, _SETTING, {}).get(name)
    if found is not None:
        return _spec_of(found, f"preset {name}")
    if not is_paper_preset(name):
        raise _missing(name, preset_names(workspace))
    plugin = strategies.get(name.removeprefix(_PAPER))
    return dataclasses.replace(usual_run(), strategy=plugin.id, options=published_options(plugin))


def usual_run() -> RunSpec:
    """How a query is run where nobody chose, by the models that a person named for what they do,
    else by their usual one; its query is empty."""
    endpoint = load_settings().endpoint
    named = {role: f"openai:{name}" for role, name in endpoint.roles.items() if name}
    acting = named.pop(Role.ACTING, f"openai:{endpoint.model}" if endpoint.model else "")
    roles: dict[str, str] = {role: named[role] for role in Role if role in named}
    usual = RunSpec(query="", roles=roles, limits=usual_limits())
    return dataclasses.replace(usual, model=acting) if acting else usual


def usual_limits() -> Limits:
    """The budget of a run where nobody chose another; what does not fit any more is as by
    default."""
    try:
        return make_options(Limits, load_settings().run_limits, of="the run")
    except BadInput:
        return Limits()


def remember_choice(workspace: Workspace, spec: RunSpec) -> None:
    """Keep how runs are made now, for the next time the workspace is opened; what is as usual
    stays as usual when that changes. Does not wait."""
    row = preset_row(spec)
    queue_setting(workspace, _LAST, None if row == preset_row(usual_run()) else row)


def remembered_choice(workspace: Workspace) -> RunSpec:
    """How runs were made last, as usual where nobody chose; its query is empty.

    Raises:
        BadInput: its limits do not fit any more.
    """
    found = get_setting(workspace, _LAST)
    return usual_run() if found is None else _spec_of(found, "what was chosen last")


def is_as_usual(workspace: Workspace) -> bool:
    """Whether nobody chose how runs are made in a workspace."""
    return get_setting(workspace, _LAST) is None


def in_words(spec: RunSpec, usual: Sequence[str]) -> str:
    """How a run is made in a few words: strategy, acting model, provider.

    Args:
        usual: the providers of the workspace, for a run that names none.

    Raises:
        NotFound: a plug-in is not there.
    """
    named = [spec.provider] if spec.provider != RunSpec(query="").provider else usual
    kind, name, _ = parse_model_spec(spec.model)
    model = name or (models.get(kind).title if model_words(kind) == kind else model_words(kind))
    serving = ", ".join(map(providers.title_of, named))
    begun = [text[:1].upper() + text[1:] for text in (strategies.get(spec.strategy).title, model)]
    return " · ".join([begun[0], name or begun[1], serving])


def _spec_of(row: Mapping[str, Any], of: str) -> RunSpec:
    with of_its_form(of):
        limits = make_options(Limits, row["limits"], of=of)
        return RunSpec(query="", limits=limits, **{key: row[key] for key in _KEPT if key in row})


def save_preset(workspace: Workspace, name: str, spec: RunSpec) -> str:
    """Keep how `spec` runs its query, in place of the preset that had this name. Blocks.

    Returns:
        The name without needless spaces.

    Raises:
        NotFound: there is no such strategy or provider.
        BadInput: the name is empty or one of the presets of papers, or an option does not fit.
    """
    wanted = " ".join(name.split())
    if not wanted:
        raise BadInput("A preset needs a name")
    if is_paper_preset(wanted):
        raise BadInput(
            f"The preset “{wanted}” cannot be replaced",
            why="It holds the settings of the paper",
            todo="Save yours under another name",
        )
    row = preset_row(spec) | {"options": _read_values(strategies, spec.strategy, spec.options)}
    if spec.provider != RunSpec(query="").provider:
        read = _read_values(providers, spec.provider, spec.provider_options)
        row["provider_options"] = read

    def put(before: Mapping[str, Any] | None) -> dict[str, Any]:
        return {**(before or {}), wanted: row}

    change_setting(workspace, _SETTING, put)
    return wanted


def delete_preset(workspace: Workspace, name: str) -> None:
    """Forget a preset. Blocks.

    Raises:
        NotFound: there is none of this name.
    """

    def without(before: Mapping[str, Any] | None) -> dict[str, Any]:
        left = dict(before or {})
        if left.pop(name, None) is None:
            raise _missing(name, left)
        return left

    change_setting(workspace, _SETTING, without)


def preset_row(spec: RunSpec) -> dict[str, Any]:
    """What a preset keeps of a run, as JSON."""
    row = dataclasses.asdict(spec)
    return {key: row[key] for key in (*_KEPT, "limits")}


def _read_values(registry: Registry[Any], plugin_id: str, given: Mapping[str, Any]) -> Any:
    """These options as JSON of their own types."""
    kind = registry.get(plugin_id).options
    read = options_to_json(make_options(kind, given, of=f"{registry.what} {plugin_id}"))
    return {name: read[name] for name in given}


def _missing(name: str, names: Mapping[str, Any] | list[str]) -> NotFound:
    there_are = ", ".join([*names, *paper_preset_names()])
    return NotFound(f"There is no saved preset “{name}”", todo=f"There are: {there_are}")
