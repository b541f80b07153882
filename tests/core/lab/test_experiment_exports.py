"""Results of an experiment as files, and from a bundle on another machine."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fixtures.command_line import command_here, toolplanner

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    TrialFacts,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.workspace.lab_store import LabStore

NASTY = "=cmd|'/C calc'!A1 <script>alert(1)</script> 100% & $x_1$ \u202egnol"


def facts_of(number: int) -> TrialFacts:
    return TrialFacts(
        status=Status.ANSWERED, answer=NASTY, reason="", api_calls=number % 5, failed_calls=0,
        model_calls=2, fallbacks=0, replans=0, tokens=100 + number, cost=None, evidence=0,
        evidence_level=EvidenceLevel.NOT_CHECKED, calls=(), seconds=number / 8,
    )  # fmt: skip


@pytest.fixture
def lab_file(tmp_path: Path) -> Path:
    """An experiment of two arms over 20 queries, of which two trials have not run."""
    queries = [
        Query(id=f"{NASTY} {n}", text=NASTY, gold=(frozenset({"API"}),), cluster="c" * (n < 2))
        for n in range(20)
    ]
    data_set = DataSet(name="few", queries=queries)
    arms = tuple(
        Arm(name=name, settings={"strategy": name, "model": NASTY}) for name in ("a", NASTY)
    )
    experiment = Experiment(
        name=f"try {NASTY}", dataset="few", dataset_version=data_set.version, arms=arms, seeds=(1,),
        judges=("evidence", "gold"), baseline="a", compare=((NASTY, "a"),),
    )  # fmt: skip
    trials = plan_trials(experiment, data_set)
    path = tmp_path / "try.lab"
    with LabStore.create(path, experiment, data_set, trials) as store:
        for trial in trials[:-2]:
            result = TrialResult(
                number=trial.number, key=trial.key, state=TrialState.DONE,
                facts=facts_of(trial.number), packed=b"run %d" % trial.number,
            )  # fmt: skip
            said = TrialVerdict(solved=float(trial.number % 3 > 0), reason=NASTY)
            store.collect(result, {("gold", 1): said})
    return path


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def test_export_when_an_experiment_is_not_finished_then_figures_have_n_interval_and_both_bounds(
    lab_file: Path,
) -> None:
    made = command_here("lab", "export", lab_file, "--json")
    assert made.status == 0, made.err
    names = [Path(each).name for each in made.data["files"]]
    assert names == [
        "try.html", "try-results.csv", "try-comparisons.csv", "try-amounts.csv", "try-trials.csv",
        "try.tex", "try.lab.zip",
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(lab_file.with_name("try-results.csv").read_text())))
    gold = [row for row in rows if row["judge"] == "gold"]
    for row in gold:
        low, value, high = (float(row[f"solved{end}"]) for end in (" low", "", " high"))
        assert low < value < high
        assert (row["solved n"], row["solved groups"], row["planned"]) == ("20", "19", "20")
        assert row["judged"] == "19"
        assert float(row["if missing passed"]) > value
    assert sum(int(row["judged"]) for row in gold) == 38
    page = lab_file.with_name("try.html").read_text()
    assert "so far 38 of 40 trials" in page
    assert "n = 20 in 19 groups" in page
    drawn = re.findall(r'class="interval" x1="([0-9.]+)%" x2="([0-9.]+)%"', page)
    assert len(drawn) == 4
    for row in gold:
        ends = (row["solved low"], row["if missing passed high"])
        assert tuple(f"{100 * float(end):.2f}" for end in ends) in drawn
    latex = lab_file.with_name("try.tex").read_text()
    assert latex.count(r"\toprule") == 3
    assert r"n = 20 in 19 groups" in latex


def test_page_when_printed_or_narrow_then_dark_colours_stay_on_screens_and_texts_keep_their_size(
    lab_file: Path,
) -> None:
    assert command_here("lab", "export", lab_file, "--format", "html").status == 0
    page = lab_file.with_name("try.html").read_text()
    assert "@media screen and (prefers-color-scheme: dark)" in page
    assert "@media (prefers-color-scheme" not in page
    printed = page.partition("@media print { .wide")[2].partition("</style>")[0]
    assert "overflow: visible" in printed, "tables wider than paper are wrapped, not cut"
    assert "viewBox" not in page, "a drawing that is scaled has texts that cannot be read"
    assert page.count('class="share"') == page.count('class="interval"') == 4
    assert page.count('class="wide" tabindex="0"') == page.count("<table>")


def test_export_when_names_are_hostile_then_no_form_of_it_acts(lab_file: Path) -> None:
    assert command_here("lab", "export", lab_file).status == 0
    tags = _Tags()
    tags.feed(lab_file.with_name("try.html").read_text())
    assert tags.tags.isdisjoint({"script", "img", "link", "iframe", "a"})
    for file in lab_file.parent.glob("try-*.csv"):
        for row in csv.reader(io.StringIO(file.read_text())):
            assert not any(cell.startswith(("=", "@", "+")) for cell in row), file
    latex = lab_file.with_name("try.tex").read_text()
    assert r"100\% \& \$x\_1\$" in latex
    assert "\u202e" not in latex


def test_bundle_when_reproduced_in_an_empty_home_then_gives_the_same_bytes(
    lab_file: Path, tmp_path: Path
) -> None:
    assert command_here("lab", "export", lab_file).status == 0
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    environment = {name: str(home) for name in names}
    bundle = lab_file.with_name("try.lab.zip")
    made = toolplanner("lab", "reproduce", bundle, "--to", other, "--json", **environment)
    assert made.status == 0, made.err
    assert made.data["differing"] == []
    for name in ("try.html", "try.tex", *(each.name for each in tmp_path.glob("try-*.csv"))):
        assert (other / name).read_bytes() == lab_file.with_name(name).read_bytes(), name
    again = command_here("lab", "export", other / "try.lab", "--format", "bundle")
    assert again.status == 0
    assert (other / "try.lab.zip").read_bytes() == bundle.read_bytes()
    with LabStore.open(other / "try.lab") as store:
        assert store.packed(3) == b"run 3"
        assert store.facts(3) == facts_of(3)


def _with_member(name: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def rewrite(bundle: Path) -> None:
        with zipfile.ZipFile(bundle) as file:
            held = {each: file.read(each) for each in file.namelist()}
        held[name] = change(held[name].decode()).encode()
        with zipfile.ZipFile(bundle, "w") as file:
            for each, data in held.items():
                file.writestr(each, data)

    return rewrite


def _worse(text: str) -> str:
    return text.replace('"seed": 1', '"seed": 1', 1).replace('"query": "', '"query": "other ', 1)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: file.write_bytes(b"PK nothing"), "cannot be read"),
        (_with_member("bundle.json", lambda _: '{"format": "other"}'), "no bundle"),
        (_with_member("bundle.json", lambda text: text.replace(": 1}", ": 9}")), "version 9"),
        (_with_member("queries.jsonl", _worse), "not those of its experiment"),
        (_with_member("trials.jsonl", lambda text: text.replace('"number": 1,', '"number": 2,', 1)),
         "not those of its experiment"),
        (_with_member("trials.jsonl", lambda text: text.replace("1.0,", "7.0,", 1)), "a verdict"),
        (_with_member("trials.jsonl", lambda text: text.replace("1.0,", "NaN,", 1)), "NaN"),
        (_with_member("experiment.json", lambda _: "[" * 100_000), "nested too deeply"),
        (_with_member("experiment.json", lambda _: "{}"), "no experiment"),
    ],
)  # fmt: skip
def test_bundle_when_it_was_changed_then_is_refused_and_leaves_nothing(
    lab_file: Path, tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    assert command_here("lab", "export", lab_file, "--format", "bundle").status == 0
    bundle, other = lab_file.with_name("try.lab.zip"), tmp_path / "other"
    harm(bundle)
    refused = command_here("lab", "reproduce", bundle, "--to", other)
    assert refused.status == 2, refused
    assert words in refused.err
    assert list(other.iterdir()) == []


def test_bundle_when_a_table_differs_then_says_which(lab_file: Path, tmp_path: Path) -> None:
    assert command_here("lab", "export", lab_file, "--format", "bundle").status == 0
    bundle = lab_file.with_name("try.lab.zip")

    def other_hash(text: str) -> str:
        about = json.loads(text)
        about["reports"]["-results.csv"] = "0" * 64
        return json.dumps(about)

    _with_member("bundle.json", other_hash)(bundle)
    told = command_here("lab", "reproduce", bundle, "--to", tmp_path / "other", "--json")
    assert (told.status, told.data["differing"]) == (1, ["-results.csv"])
    assert (tmp_path / "other" / "try.html").exists()
