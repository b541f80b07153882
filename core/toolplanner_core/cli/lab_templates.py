"""`toolplanner lab templates|new|published`: tables of the papers as experiments, and both figures
side by side."""

import os
from dataclasses import asdict
from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.options import FilePath, json_option, named_texts
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.experiment_file import SUFFIX
from toolplanner_core.lab.published import BesidePaper, beside_paper
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.lab.templates import (
    ARM,
    PaperTable,
    experiment_text,
    paper_table,
    paper_tables,
)
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.export_file import write_file
from toolplanner_core.workspace.lab_store import LabStore


@click.command("templates")
@json_option
def templates_command(as_json: bool) -> None:
    """List the tables of papers that can be run as experiments."""

    def cells(table: PaperTable) -> list[str]:
        return [table.id, table.title, table.paper, ", ".join(table.arms)]

    print_rows(
        paper_tables(),
        ["Template", "About", "From", "Arms"],
        cells,
        as_json=as_json,
        to_json=asdict,
        empty="There is no template.",
    )


@click.command("new")
@click.argument("file", metavar="NAME.lab.toml", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--template", required=True, help="Such as tool-planner/table-4; see lab templates.")
@click.option("--workspace", type=FilePath(), required=True, help="The catalogue with toolkits.")
@click.option("--dataset", type=FilePath(), required=True, help="NAME.jsonl with the queries.")
@click.option("--model", required=True, help="Who answers all questions, such as openai:NAME.")
@click.option(
    "--second-model", default="", help="Of tables that compare two: the small or fine-tuned one."
)
@click.option(
    "--edit",
    "edits",
    multiple=True,
    metavar="ARM=NUMBER",
    help="Of tables whose arms differ by their toolkits: after which edit they are taken; see"
    " history list. May be repeated.",
)
@click.option("--provider", default="recorded", show_default=True, help="Who executes calls.")
@click.option(
    "--label",
    default="",
    help="What a reader must know of the model, such as “scripted” or “tiny”; it stands in tables.",
)
def new_command(
    *,
    file: Path,
    template: str,
    workspace: Path,
    dataset: Path,
    model: str,
    second_model: str,
    edits: tuple[str, ...],
    provider: str,
    label: str,
) -> None:
    """Write the experiment file of a paper's table: its arms with the settings of their papers.

    Then: toolplanner lab plan NAME.lab.toml, lab run, and lab published to see both figures.
    """
    if not file.name.endswith(SUFFIX):
        raise BadInput("This is no name of an experiment", where=str(file), todo=f"NAME{SUFFIX}")
    if file.exists():
        raise BadInput("The file is there already", where=str(file), todo="Take another name")
    table = paper_table(template)
    places = [_from(file, each) for each in (workspace, dataset)]
    text = experiment_text(
        table,
        workspace=places[0],
        dataset=places[1],
        model=model,
        provider=provider,
        label=label,
        second_model=second_model,
        edits={name: _number(value) for name, value in named_texts(edits).items()},
    )
    write_file([text], file)
    print_line(f"{table.paper}: {table.title}. {counted(text.count(ARM), 'arm')} in {file}")
    for each in table.says:
        print_line(f"  {each}")


@click.command("published")
@store_argument
@json_option
def published_command(store: Path, as_json: bool) -> None:
    """Show the figures of the paper beside those of an experiment made from a template."""
    with LabStore.open(store) as opened:
        results = ExperimentResults(opened)
    rows, experiment = beside_paper(results), results.experiment
    table = paper_table(experiment.template)
    models = sorted({arm.settings["model"] for arm in experiment.arms})
    if as_json:
        said = {"template": table.id, "label": experiment.label, "models": models}
        print_json({**said, "rows": [asdict(row) for row in rows]})
        return
    print_line(f"{table.paper}: {table.title}")
    label = f" ({experiment.label})" if experiment.label else ""
    print_line(f"Ours by {', '.join(models)}{label}")
    number = "presumed" if table.is_presumed else "as the paper says"
    print_table(
        ["Arm", "Measure", "Queries", "Paper's model", ">Paper", ">Ours", "Judge", ">No verdict"],
        [_cells(row) for row in rows],
    )
    print_line(f"The paper's n: {number}. Intervals are of 95 %.")
    for each in table.says:
        print_line(f"  {each}")


def _cells(row: BesidePaper) -> list[object]:
    return [
        row.arm,
        row.measure,
        row.split or "all",
        row.model or "-",
        _figure(row.published),
        _figure(row.ours),
        row.judge,
        row.left or "",
    ]


def _figure(figure: Estimate | float | None) -> str:
    if figure is None:
        return "-"
    return f"{figure:,.0f}" if isinstance(figure, float) else str(figure)


def _number(text: str) -> int:
    """Of an edit."""
    if not text.strip().isdecimal():
        raise BadInput(f"{text!r} is no number of an edit", todo="See: toolplanner history list")
    return int(text)


def _from(file: Path, other: Path) -> str:
    """A path as the experiment file names it: from its folder, if they share a drive."""
    try:
        return Path(os.path.relpath(other.resolve(), file.resolve().parent)).as_posix()
    except ValueError:
        return other.resolve().as_posix()
