"""Sheets of names for people to judge: toolkits drawn by seed, and all regions, with their members.

    .venv/bin/python tests/benchmarks/name_sheets.py draw my.toolplanner --seed 7
    .venv/bin/python tests/benchmarks/name_sheets.py agree first.tsv second.tsv

`draw` writes benchmarks/results/names-7.md and names-7-regions.md; whoever judges sees nothing but
a name and its members, and writes a line for each: number (R1 for a region), tab, verdict (fits,
too wide, too narrow, wrong), tab, reason. `agree` counts what two of them found.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiText, load_documentation
from toolplanner_core.workspace.curated_tables import all_region_of, all_regions
from toolplanner_core.workspace.toolkits import list_toolkits, ranked_members

RESULTS = Path(__file__).parent / "results"
FITS = "fits"
_SHOWN, _FURTHER, _TOOLKITS = 14, 10, 40


def toolkit_sheet(workspace: Workspace, seed: int, count: int) -> str:
    """Toolkits drawn from all, each with its most central members and some of the others."""
    drawn = random.Random(seed).sample(sorted(list_toolkits(workspace), key=lambda t: t.id), count)
    lines: list[str] = []
    for number, toolkit in enumerate(drawn, 1):
        members = _members(workspace, toolkit.id)
        lines += [f"### {number}. {toolkit.name}", f"({len(members)} APIs)"]
        lines += [f"  - {_told(api, 110)}" for api in members[:_SHOWN]]
        if rest := members[_SHOWN:]:
            some = random.Random(number).sample(rest, min(_FURTHER, len(rest)))
            told = "; ".join(_told(api, 0) for api in some)
            lines.append(f"  - … further {len(rest)}, some of them: {told}")
        lines.append("")
    return "\n".join(lines)


def region_sheet(workspace: Workspace, seed: int) -> str:
    """All regions, each with some of its toolkits, drawn by chance."""
    names = {toolkit.id: toolkit.name for toolkit in list_toolkits(workspace)}
    of, lines = all_region_of(workspace.reader()), list[str]()
    for number, (region, fields) in enumerate(all_regions(workspace.reader()).items(), 1):
        own = sorted(toolkit for toolkit in names if of.get(toolkit) == region)
        drawn = random.Random(f"{seed}/{number}").sample(own, min(_TOOLKITS, len(own)))
        lines += [f"### R{number}. {fields.name}", f"({len(own)} toolkits, {len(drawn)} shown)"]
        for toolkit in drawn:
            members = _members(workspace, toolkit)
            lines.append(f"  - {names[toolkit]} ({len(members)}), as {_told(members[0], 0)}")
        lines.append("")
    return "\n".join(lines)


def agreement(first: Path, second: Path) -> Iterator[str]:
    """What two people found, toolkits and regions apart."""
    one, other = _verdicts(first), _verdicts(second)
    for what, numbers in (
        ("toolkits", [n for n in one if n in other and not n.startswith("R")]),
        ("regions", [n for n in one if n in other and n.startswith("R")]),
    ):
        by_both = sum(one[n] == other[n] == FITS for n in numbers)
        same = sum(one[n] == other[n] for n in numbers)
        counts = [dict(Counter(each[n] for n in numbers).most_common()) for each in (one, other)]
        yield f"{what}: {counts[0]} and {counts[1]}"
        yield f"  fits by both: {by_both} of {len(numbers)}; the same verdict: {same}"


def _verdicts(path: Path) -> dict[str, str]:
    rows = [line.split("\t") for line in path.read_text().splitlines() if line.strip()]
    return {row[0].strip().rstrip("."): row[1].strip() for row in rows}


def _members(workspace: Workspace, toolkit: ToolkitId) -> list[ApiText]:
    return load_documentation(workspace, [row for row, _ in ranked_members(workspace, toolkit)])


def _told(api: ApiText, letters: int) -> str:
    told = f"[{_cut(api.tool, 45)}] {_cut(api.name, 60)}"
    return f"{told}: {_cut(api.description, letters)}" if letters else told


def _cut(text: str, letters: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def main(arguments: Sequence[str]) -> None:
    """Draw sheets, or count verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw")
    draw.add_argument("workspace", type=Path)
    draw.add_argument("--seed", type=int, required=True)
    draw.add_argument("--count", type=int, default=200)
    agree = commands.add_parser("agree")
    agree.add_argument("verdicts", type=Path, nargs=2)
    asked = parser.parse_args(arguments)
    if asked.command == "agree":
        print("\n".join(agreement(*asked.verdicts)))
        return
    RESULTS.mkdir(exist_ok=True)
    with Workspace.open(asked.workspace) as workspace:
        for name, text in (
            (f"names-{asked.seed}.md", toolkit_sheet(workspace, asked.seed, asked.count)),
            (f"names-{asked.seed}-regions.md", region_sheet(workspace, asked.seed)),
        ):
            (RESULTS / name).write_text(text)
            print(RESULTS / name)


if __name__ == "__main__":
    main(sys.argv[1:])
