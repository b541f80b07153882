"""`toolplanner lab export|reproduce`: the results of an experiment as files, and from a bundle."""

from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.options import FilePath, json_option
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.lab.export.bundle import SUFFIX, reproduce, write_bundle
from toolplanner_core.lab.export.writing import FORMATS, export_texts
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.export_file import write_file
from toolplanner_core.workspace.lab_store import LabStore

_BUNDLE = "bundle"
_folder = click.Path(file_okay=False, path_type=Path)


@click.command("export")
@store_argument
@click.option(
    "--format",
    "forms",
    multiple=True,
    type=click.Choice([*FORMATS, _BUNDLE]),
    help="html, csv, latex, or bundle; may be given several times, all if none.",
)
@click.option("--to", "folder", type=_folder, help="Where to; beside the experiment if none.")
@json_option
def export_command(store: Path, forms: tuple[str, ...], folder: Path | None, as_json: bool) -> None:
    """Write tables with every figure's n and 95 % interval: one page, CSV, LaTeX.

    A bundle, NAME.lab.zip, holds the whole experiment with its runs; `lab reproduce` makes the same
    tables of it on another machine, without a call.
    """
    place = folder or store.parent
    place.mkdir(parents=True, exist_ok=True)
    stem, made = store.name.removesuffix(".lab"), list[Path]()
    with LabStore.open(store) as opened:
        results = ExperimentResults(opened)
        for form in forms or (*FORMATS, _BUNDLE):
            if form == _BUNDLE:
                made.append(place / f"{stem}{SUFFIX}")
                write_bundle(opened, made[-1])
                continue
            for name, text in export_texts(results, stem, form).items():
                write_file([text], place / name)
                made.append(place / name)
    _print_files(made, as_json=as_json)


@click.command("reproduce")
@click.argument("bundle", metavar=f"NAME{SUFFIX}", type=FilePath())
@click.option("--to", "folder", type=_folder, help="Where to; beside the bundle if none.")
@json_option
def reproduce_command(bundle: Path, folder: Path | None, as_json: bool) -> int:
    """Make an experiment's file and all its tables again from a bundle; makes no call.

    Exit status 1 when a table is not as it was where the bundle was made.
    """
    made, differing = reproduce(bundle, folder or bundle.parent)
    if as_json:
        print_json({"files": [str(each) for each in made], "differing": differing})
    else:
        _print_files(made, as_json=False)
        if differing:
            say(f"Other than where the bundle was made: {', '.join(differing)}")
        else:
            print_line("All tables are as they were where the bundle was made.")
    return 1 if differing else 0


def _print_files(made: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json({"files": [str(each) for each in made]})
        return
    for each in made:
        print_line(str(each))
    print_line(f"{counted(len(made), 'file')} written.")
