"""`toolplanner embed`, `cluster`, `layout` and `prepare`: from a catalogue to a map of toolkits."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import json_option, workspace_argument
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.curation.cluster import cluster
from toolplanner_core.curation.lay_out import lay_out
from toolplanner_core.curation.prepare import prepare
from toolplanner_core.embedding.embed import embed
from toolplanner_core.workspace import Workspace

embedder_option = click.option(
    "--embedder", help="minilm, lsa, or st:NAME. [default: minilm if its weights are here, else lsa]"
)
seed_option = click.option("--seed", type=int, default=0, show_default=True)


def _print(report: Any, as_json: bool) -> None:
    row = dataclasses.asdict(report)
    if as_json:
        print_json(row)
        return
    print_line(" · ".join(f"{name.replace('_', ' ')} {_figure(v)}" for name, v in row.items()))


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
