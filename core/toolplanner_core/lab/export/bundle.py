"""An experiment with all its results in one file, `NAME.lab.zip`, and the way back.

    bundle.json          format, version, and the SHA-256 of each report made of it
    experiment.json      what is compared, resolved
    queries.jsonl        its data set
    trials.jsonl         each trial with its facts and verdicts
    runs/1, runs/2 ...   the runs, as they lie in the experiment's file

A bundle is a file from somebody else. Its members are read by their known names within limits, and
never unpacked to paths. The plan is made again from experiment and data set: trials with other keys
are refused. Nothing of a bundle is run, and it holds no key, no leave and no workspace.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from toolplanner_core.domain.experiment import (
    Experiment,
    Grade,
    TrialFacts,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import DataSet, row_of_query
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.jsonl import query_of_row
from toolplanner_core.lab.export.writing import FORMATS, export_texts
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.sources.documents import is_too_deep
from toolplanner_core.workspace.export_file import write_file
from toolplanner_core.workspace.lab_store import LabStore

SUFFIX = ".lab.zip"
_FORMAT, _VERSION = "toolplanner-experiment", 1
_WHEN = (1980, 1, 1, 0, 0, 0)
"""Of every member: equal results make equal files."""
_LARGEST_TEXT = 500_000_000
_LARGEST_RUN = 50_000_000
_MOST_MEMBERS = 1_000_010
_STATES = frozenset(
    {TrialState.DONE, TrialState.BROKEN, TrialState.NOT_MEASURED, TrialState.STOPPED}
)
"""In which something came back; other trials of a bundle are as if they had not run."""


def write_bundle(store: LabStore, place: Path) -> int:
    """Write the bundle of an experiment as it stands; returns its bytes. Blocks.

    Raises:
        BadInput: the file cannot be written.
    """
    results = ExperimentResults(store)
    about = {"format": _FORMAT, "version": _VERSION, "reports": _hashes(results)}
    part = place.with_name(f"{place.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            _add(file, "bundle.json", _json(about))
            _add(file, "experiment.json", _json(asdict(results.experiment)))
            _add(file, "queries.jsonl", _lines(map(row_of_query, results.queries)))
            _add(file, "trials.jsonl", _lines(_trial_rows(store)))
            for trial in store.trials():
                if packed := store.packed(trial.number):
                    _add(file, f"runs/{trial.number}", packed, zipfile.ZIP_STORED)
        part.replace(place)
    except OSError as error:
        raise BadInput("The file cannot be written", where=str(place), why=str(error)) from error
    finally:
        part.unlink(missing_ok=True)
    return place.stat().st_size


def reproduce(bundle: Path, folder: Path) -> tuple[list[Path], list[str]]:
    """Make the experiment's file and all reports of a bundle again; makes no call. Blocks.

    Returns:
        The files; and names of reports that differ from those of whoever made the bundle.

    Raises:
        BadInput: the file is no bundle, does not fit together, or cannot be read.
        WorkspaceExists: there is an experiment of that name.
        NotFound: a judge of it is not here.
    """
    stem = bundle.name.removesuffix(".zip").removesuffix(".lab")
    store_path = folder / f"{stem}.lab"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(bundle) as file:
            reports = _reports(file, bundle)
            with _restored(file, bundle, store_path) as store:
                results = ExperimentResults(store)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BadInput("The bundle cannot be read", where=str(bundle), why=str(error)) from error
    made = [store_path]
    for form in FORMATS:
        for name, text in export_texts(results, stem, form).items():
            write_file([text], folder / name)
            made.append(folder / name)
    now = _hashes(results)
    return made, sorted(name for name in {*now, *reports} if now.get(name) != reports.get(name))


def _restored(file: zipfile.ZipFile, bundle: Path, place: Path) -> LabStore:
    try:
        experiment = from_plain(Experiment, _object(_text(file, "experiment.json", bundle)))
        queries = [query_of_row(row) for row in _rows(file, "queries.jsonl", bundle)]
        data_set = DataSet(name=experiment.dataset, queries=queries)
        trials = plan_trials(experiment, data_set)
        results = [
            _result(row, file, bundle)
            for row in _rows(file, "trials.jsonl", bundle)
            if TrialState(row["state"]) in _STATES
        ]
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise BadInput("The bundle holds no experiment", where=bundle.name, why=str(error)) from (
            error
        )
    keys = {trial.number: trial.key for trial in trials}
    is_ours = data_set.version == experiment.dataset_version
    if not is_ours or any(keys.get(found.number) != found.key for found, _ in results):
        raise BadInput(
            "The trials of the bundle are not those of its experiment",
            where=bundle.name,
            why="Its data set or a setting was changed afterwards",
            todo="Ask whoever gave it to you for another one",
        )
    store = LabStore.create(place, experiment, data_set, trials)
    for found, verdicts in results:
        store.collect(found, verdicts)
    return store


def _result(
    row: Mapping[str, Any], file: zipfile.ZipFile, bundle: Path
) -> tuple[TrialResult, dict[tuple[str, int], TrialVerdict]]:
    number, run = int(row["number"]), f"runs/{int(row['number'])}"
    facts = row["facts"]
    verdicts = {
        (str(judge), int(version)): TrialVerdict(
            solved=float(solved), reason=str(reason), votes=tuple(map(Grade, votes))
        )
        for judge, version, solved, reason, votes in row["verdicts"]
    }
    if not all(0 <= said.solved <= 1 for said in verdicts.values()):
        raise ValueError("a verdict does not lie between 0 and 1")
    has_run = run in file.NameToInfo
    result = TrialResult(
        number=number,
        key=str(row["key"]),
        state=TrialState(row["state"]),
        why=str(row["why"]),
        facts=None if facts is None else from_plain(TrialFacts, facts),
        packed=_member(file, run, bundle, most=_LARGEST_RUN) if has_run else b"",
    )
    return result, verdicts


def _verdict_row(said: TrialVerdict) -> list[Any]:
    return [said.solved, said.reason, [str(vote) for vote in said.votes]]


def _trial_rows(store: LabStore) -> Iterator[dict[str, Any]]:
    for trial in store.trials():
        facts = store.facts(trial.number)
        yield {
            "number": trial.number,
            "key": trial.key,
            "state": trial.state,
            "why": store.why(trial.number),
            "facts": None if facts is None else asdict(facts),
            "verdicts": [
                [given.judge, given.version, *_verdict_row(given.said)]
                for given in store.verdicts(trial.number)
            ],
        }


def _reports(file: zipfile.ZipFile, bundle: Path) -> dict[str, str]:
    """The hashes of the reports that whoever made the bundle had."""
    if len(file.infolist()) > _MOST_MEMBERS:
        raise BadInput("The bundle has too many members", where=bundle.name)
    about: dict[str, Any] = {}
    if "bundle.json" in file.NameToInfo:
        about = _object(_text(file, "bundle.json", bundle))
    if about.get("format") != _FORMAT:
        raise BadInput(
            "The file is no bundle of an experiment",
            where=bundle.name,
            todo=f"Choose a file that `lab export` wrote: NAME{SUFFIX}",
        )
    if about.get("version") != _VERSION:
        raise BadInput(
            f"The bundle has version {about.get('version')!r} of the format",
            where=bundle.name,
            why=f"this program reads version {_VERSION}",
        )
    reports = about.get("reports")
    if not isinstance(reports, dict):
        raise BadInput("The bundle names no reports", where=bundle.name)
    return {str(name): str(digest) for name, digest in cast("dict[Any, Any]", reports).items()}


def _hashes(results: ExperimentResults) -> dict[str, str]:
    texts = {
        name: text for form in FORMATS for name, text in export_texts(results, "", form).items()
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def _add(file: zipfile.ZipFile, name: str, data: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
    member = zipfile.ZipInfo(name, _WHEN)
    member.create_system = 3  # the same on every system
    file.writestr(member, data, how)


def _member(file: zipfile.ZipFile, name: str, bundle: Path, *, most: int) -> bytes:
    if name not in file.NameToInfo:
        raise BadInput(f"The bundle has no {name}", where=bundle.name)
    with file.open(name) as opened:
        data = opened.read(most + 1)
    if len(data) > most:
        raise BadInput(f"{name} is larger than {most:,} bytes", where=bundle.name)
    return data


def _text(file: zipfile.ZipFile, name: str, bundle: Path) -> str:
    return _member(file, name, bundle, most=_LARGEST_TEXT).decode("utf-8")


def _rows(file: zipfile.ZipFile, name: str, bundle: Path) -> Iterator[dict[str, Any]]:
    return map(_object, filter(None, _text(file, name, bundle).split("\n")))


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(data, dict) or is_too_deep(data):
        raise ValueError("a line is no JSON object within limits")
    return cast("dict[str, Any]", data)


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _json(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n").encode()


def _lines(rows: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(map(_json, rows))
