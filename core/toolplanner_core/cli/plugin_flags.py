"""Commands whose flags include the options of the plug-ins that are chosen in them.

`toolplanner cluster W --method dbscan --eps 0.02`: the command line is looked at twice. First only
for the flags that choose plug-ins, such as `--method`; then, with a flag for each option of what
was chosen, for all. So a flag that the chosen plug-in does not have is refused, and `--help` after
`--method dbscan` explains the options of DBSCAN. Nothing here knows any plug-in.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from click.core import ParameterSource

from toolplanner_core.cli.options import named_values
from toolplanner_core.options.option import OptionField, OptionKind, describe_options
from toolplanner_core.registry import Registry

_ID = re.compile(r"[^:@?]*")
_METAVARS = {
    OptionKind.INT: "N",
    OptionKind.FLOAT: "X",
    OptionKind.TEXT: "TEXT",
    OptionKind.BOOL: "on|off",
}
_WIDEST = 40
"""Characters of values beside a flag; longer lists stand only in the explanation."""
_FOUND = "toolplanner.flags"

PAIRS = ("-o", "--option")
"""Flags that take any option of the plug-in that a command is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginFlags:
    """A flag of a command whose value names a plug-in, and where that one's options go.

    Attributes:
        chosen_by: the flag, such as "--method".
        into: argument of the command's function that gets the options that were given, by name.
        prefix: what their flags begin with: "provider-" makes `--provider-seed`.
        pairs: flags that also take any option as NAME=VALUE.
        not_ids: values of the flag that are no plug-in, such as "auto".
    """

    chosen_by: str
    registry: Registry[Any]
    into: str
    prefix: str = ""
    pairs: tuple[str, ...] = ()
    not_ids: tuple[str, ...] = ()

    def flags_of(self, plugin_id: str, taken: Sequence[str]) -> dict[str, click.Option]:
        """A flag for each option of a plug-in, by its name, but those that are `taken`."""
        flags: dict[str, click.Option] = {}
        for option in describe_options(self.registry.get(plugin_id).options):
            flag = f"--{self.prefix}{option.name.replace('_', '-')}"
            if flag not in taken:
                flags[option.name] = _flag(flag, f"{self.into}__{option.name}", option)
        return flags


class PluginCommand(click.Command):
    """A command with `PluginFlags`."""

    def __init__(self, *args: Any, plugins: Sequence[PluginFlags], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.plugins = plugins
        for each in plugins:
            if each.pairs:
                pairs = click.Option(
                    [*each.pairs, each.into],
                    multiple=True,
                    metavar="NAME=VALUE",
                    help=f"An option of the {each.registry.what}; can be given several times.",
                )
                self.params.append(pairs)

    def usual(self, given: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002 - for others
        """Defaults of flags that hang on what is given: texts by the names of arguments."""
        return {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters and those of the chosen plug-ins."""
        flags = [flag for _, found in _found(ctx).values() for flag in found.values()]
        return [*super().get_params(ctx), *flags]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse with the flags of what is chosen; their values go to `ctx.params[into]`."""
        ctx.meta[_FOUND] = self._find(ctx, args)
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            sentence = f"{error.message.rstrip('.')}. {self._explain(ctx)}"
            raise click.UsageError(sentence, ctx) from error
        for each in self.plugins:
            given = named_values(ctx.params.get(each.into) or ())
            _, flags = _found(ctx).get(each.chosen_by, ("", {}))
            for name, flag in flags.items():
                dest = str(flag.name)
                value = ctx.params.pop(dest)
                if ctx.get_parameter_source(dest) is ParameterSource.COMMANDLINE:
                    given[name] = value
            ctx.params[each.into] = given
        return rest

    def _find(self, ctx: click.Context, args: list[str]) -> "_Found":
        """The flags of the plug-ins that `args` choose, by the flag that chooses."""
        own = {flag: param for param in self.params for flag in param.opts}
        taken = list(own)
        looking = click.Context(
            self,
            parent=ctx.parent,
            info_name=ctx.info_name,
            ignore_unknown_options=True,
            resilient_parsing=True,
        )
        given, _, _ = self.make_parser(looking).parse_args(list(args))
        ctx.default_map = dict(self.usual(given))
        found: _Found = {}
        for each in self.plugins:
            choosing = own[each.chosen_by]
            text = given.get(choosing.name) or choosing.get_default(ctx)
            match = _ID.match(text.strip()) if isinstance(text, str) else None
            if match and match.group() not in each.not_ids:
                flags = each.flags_of(match.group(), taken)
                found[each.chosen_by] = (match.group(), flags)
                taken += [flag.opts[0] for flag in flags.values()]
        return found

    def _explain(self, ctx: click.Context) -> str:
        sentences: list[str] = []
        for each in self.plugins:
            if each.chosen_by in _found(ctx):
                plugin_id, flags = _found(ctx)[each.chosen_by]
                names = ", ".join(flag.opts[0] for flag in flags.values()) or "none"
                sentences.append(f"Options of {each.registry.what} {plugin_id}: {names}.")
            else:
                sentences.append(f"{each.chosen_by} brings the options of what it names.")
        return " ".join(sentences)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, then a section for each chosen plug-in."""
        own = [param for param in super().get_params(ctx) if isinstance(param, click.Option)]
        _write(ctx, formatter, "Options", own)
        for each in self.plugins:
            others = sorted(plugin.id for plugin in each.registry)
            if each.chosen_by not in _found(ctx):
                with formatter.section(f"Options of the {each.registry.what}"):
                    formatter.write_text(
                        f"Name one to see its options: {each.chosen_by} {'|'.join(others)}"
                    )
                continue
            plugin_id, flags = _found(ctx)[each.chosen_by]
            others.remove(plugin_id)
            also = f" (others: {', '.join(others)})" if others else ""
            head = f"Options of {each.registry.what} {plugin_id}{also}"
            if flags:
                _write(ctx, formatter, head, list(flags.values()))
            else:
                with formatter.section(head):
                    formatter.write_text("There is nothing to choose.")


_Found = Mapping[str, tuple[str, Mapping[str, click.Option]]]
"""By the flag that chooses: the id of what is chosen, its flags by the option's name."""


def _found(ctx: click.Context) -> "_Found":
    return ctx.meta.get(_FOUND, {})


def _write(
    ctx: click.Context, formatter: click.HelpFormatter, head: str, options: Sequence[click.Option]
) -> None:
    records = [record for option in options if (record := option.get_help_record(ctx))]
    with formatter.section(head):
        formatter.write_dl(records)


def _flag(flag: str, dest: str, option: OptionField) -> click.Option:
    """The flag of one option; texts are read by `make_options`, like everywhere."""
    if option.kind is OptionKind.BOOL and not option.is_list and not option.is_optional:
        off = f"--no-{flag.removeprefix('--')}"
        return click.Option([f"{flag}/{off}", dest], default=None, help=explain_option(option))
    values = "|".join(str(choice.value) for choice in option.choices)
    metavar = _METAVARS.get(option.kind) or (values if len(values) < _WIDEST else "CHOICE")
    if option.is_list:
        metavar += ",..."
    return click.Option([flag, dest], type=str, metavar=metavar, help=explain_option(option))


def explain_option(option: OptionField) -> str:
    """What an option does, its values and its default, for the terminal."""
    parts = [option.explanation]
    words = [
        f"{choice.value}: {choice.words.removesuffix('.')}"
        for choice in option.choices
        if str(choice.value) != choice.words
    ]
    if words:
        parts.append(f"{'; '.join(words)}.")
    is_number = option.kind in (OptionKind.INT, OptionKind.FLOAT)
    fits = f"{option.fits}; " if is_number else ""
    return " ".join([*filter(None, parts), f"[{fits}default: {option.default_words}]"])
