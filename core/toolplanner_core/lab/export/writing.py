"""Results of an experiment as the text of files: CSV, LaTeX, one HTML page."""

import base64
import csv
import hashlib
import io
import re
from collections.abc import Mapping
from typing import Any

from toolplanner_core import __version__
from toolplanner_core.html_templates import render_html
from toolplanner_core.lab.export.tables import Cell, ResultTable, result_tables, trial_table
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.resources import resource_root
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.words.sanitizing import show_control_characters

FORMATS = ("html", "csv", "latex")
_OF_ESTIMATE = ("", " low", " high", " n", " groups", " interval")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))
_LONGEST_VALUE = 500
"""Characters of a setting of an arm on the page."""
_MOST_TRIALS = 2_000
"""Rows of trials on the page; the CSV files hold all."""


def export_texts(results: ExperimentResults, stem: str, form: str) -> dict[str, str]:
    """The files of one form, by name.

    Args:
        stem: what their names begin with.
        form: one of `FORMATS`.
    """
    tables = result_tables(results)
    if form == "html":
        return {f"{stem}.html": html_page(results, tables)}
    if form == "latex":
        return {f"{stem}.tex": "\n".join(map(latex_table, tables))}
    return {f"{stem}-{table.id}.csv": csv_table(table) for table in (*tables, trial_table(results))}


def csv_table(table: ResultTable) -> str:
    """A table as CSV; an estimate is six columns. No text of it can be a formula."""
    wide = _estimates(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        f"{name}{end}"
        for name in table.columns
        for end in (_OF_ESTIMATE if name in wide else ("",))
    )
    for row in table.rows:
        cells: list[Any] = []
        for name, cell in zip(table.columns, row, strict=True):
            if isinstance(cell, Estimate):
                found = (cell.value, cell.low, cell.high, cell.n, cell.clusters, cell.method)
                cells += found
            else:
                cells += [_plain(cell), *[""] * (len(_OF_ESTIMATE) - 1 if name in wide else 0)]
        writer.writerow(cells)
    return out.getvalue()


def latex_table(table: ResultTable) -> str:
    """A table for LaTeX with the package booktabs; an estimate is "value [low, high] (n)"."""
    columns = "".join("l" if _is_of_words(table, at) else "r" for at in range(len(table.columns)))
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(table.title)}. {_latex(table.note)} Intervals: 95\,\%.}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_latex, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_latex, cells)) + r" \\" for cells in shown_rows(table)),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_page(results: ExperimentResults, tables: list[ResultTable]) -> str:
    """The page: every table, a picture of the shares, what was run, and the trials."""
    from markupsafe import Markup

    sheets = ("run_page.css", "lab_page.css")
    style = "\n".join(
        (resource_root() / "styles" / each).read_text(encoding="utf-8") for each in sheets
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    experiment, trials = results.experiment, trial_table(results)
    finished = sum(each.status is not None for each in results.trials())
    return render_html(
        "lab_page.html",
        policy=Markup(policy),
        style=Markup(style),
        version=__version__,
        name=experiment.name,
        so_far="" if finished == len(trials.rows) else f"so far {finished:,} of ",
        facts={
            "Trials": f"{len(trials.rows):,}",
            "Data set": f"{experiment.dataset}@{experiment.dataset_version[:12]}",
            "Queries": f"{len(results.queries):,}",
            "Seeds": ", ".join(map(str, experiment.seeds[:20])),
            "Judges": ", ".join(results.judges),
            "Baseline": experiment.baseline or "none",
            **({"Models": experiment.label} if experiment.label else {}),
        },
        shares=_bars(tables[0]),
        tables=[(table, shown_rows(table), _estimate_notes(table)) for table in tables],
        arms=[(arm.name, arm.hash, _settings(arm.settings)) for arm in experiment.arms],
        trials=(trials, shown_rows(trials)[:_MOST_TRIALS]),
        n_left=max(0, len(trials.rows) - _MOST_TRIALS),
    )


def shown_rows(table: ResultTable) -> list[list[str]]:
    """Cells as people read them; an estimate never without its interval and n."""
    return [
        [_shown(cell, name in table.shares) for name, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]


def _shown(cell: Cell, is_share: bool) -> str:
    match cell:
        case None:
            return "-"
        case Estimate():
            value, low, high = (
                _number(each, is_share) for each in (cell.value, cell.low, cell.high)
            )
            grouped = f" in {counted(cell.clusters, 'group')}" if cell.clusters != cell.n else ""
            return f"{value} [{low}, {high}], n = {cell.n:,}{grouped}"
        case float():
            return _number(cell, is_share)
        case int():
            return f"{cell:,}"
        case str():
            return one_line(cell, _LONGEST_VALUE)


def _number(value: float, is_share: bool) -> str:
    return f"{value:.1%}" if is_share else f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _plain(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return "" if cell is None else cell
    text = show_control_characters(cell)
    return f"'{text}" if cell.startswith(_FORMULA) else text


def _latex(text: str) -> str:
    shown = show_control_characters(one_line(text, _LONGEST_VALUE))
    return _LATEX_SPECIAL.sub(lambda found: _LATEX[found[0]], shown)


def _estimates(table: ResultTable) -> set[str]:
    return {
        name
        for at, name in enumerate(table.columns)
        if any(isinstance(row[at], Estimate) for row in table.rows)
    }


def _is_of_words(table: ResultTable, at: int) -> bool:
    return all(isinstance(row[at], str) for row in table.rows)


def _estimate_notes(table: ResultTable) -> str:
    methods = {cell.method for row in table.rows for cell in row if isinstance(cell, Estimate)}
    return f"95\u00a0% intervals: {'; '.join(sorted(methods))}." if methods else ""


def _bars(table: ResultTable) -> list[dict[str, Any]]:
    """What the picture of shares draws, in percent of its width."""
    found: list[dict[str, Any]] = []
    for arm, judge, low, high, *_ in table.rows:
        if isinstance(low, Estimate):
            upper = high.high if isinstance(high, Estimate) else low.high
            found.append(
                {
                    "name": f"{arm} · {judge}",
                    "low": f"{100 * low.low:.2f}",
                    "high": f"{100 * upper:.2f}",
                    "value": f"{100 * low.value:.2f}",
                    "words": _shown(low, True),
                }
            )
    return found


def _settings(settings: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: one_line(str(value), _LONGEST_VALUE)
        for name, value in sorted(settings.items())
        if value not in ("", {}, [], ())
    }
