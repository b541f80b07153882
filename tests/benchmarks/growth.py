"""What import to map costs as a catalogue grows: CPU seconds and memory of each stage.

Sizes above that of the real catalogue are made of varied copies of it: each has words of its own,
so that it lies beside its original but is none. Run it as a program:

    .venv/bin/python tests/benchmarks/growth.py ../shared/data/toolbench/toolenv.zip 16000 45284
"""

import itertools
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

from toolplanner_core.curation.grouping.cluster import cluster
from toolplanner_core.curation.grouping.lay_out import lay_out
from toolplanner_core.curation.grouping.points import ensure_neighbours, load_points
from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.curation.questions.queue.queue_loading import gather
from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.embedding.embed import embed
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace

_WORDS_OF_ITS_OWN = 3


def grown_catalogue(location: Path, size: int) -> Iterator[Any]:
    """Records of a ToolBench catalogue, then varied copies of its APIs, until there are so many."""
    originals: list[Api] = []
    for record in itertools.islice(_records(location), size):
        if isinstance(record, Api):
            originals.append(record)
        yield record
    words = sorted({word for api in originals for word in api.name.split()})
    drawn = random.Random(0)
    for copy in range(1, size // len(originals) + 1):
        for api in originals[: max(0, size - copy * len(originals))]:
            added = " ".join(drawn.choices(words, k=_WORDS_OF_ITS_OWN))
            yield replace(
                api,
                id=ApiId(f"{api.id}-{copy}"),
                key=f"{api.key}/{copy}",
                tool=f"{api.tool} {copy}",
                name=f"{api.name} {added}",
                description=f"{api.description} {added}.",
                doc_hash=f"{api.doc_hash}-{copy}",
            )


def _records(location: Path) -> Iterator[Any]:
    plugin: Any = sources.get("toolbench")
    return plugin.read(Location.of(location), plugin.options(), source="toolbench")


def stage_costs(location: Path, size: int) -> tuple[dict[str, float], float]:
    """CPU seconds of each stage, its worker processes counted; the most MB that a process took."""
    costs: dict[str, float] = {}

    def measured(stage: str, work: Callable[[], Any]) -> Any:
        before = _cpu_s()
        result = work()
        costs[stage] = _cpu_s() - before
        said = f"  {size:>9,} {stage:<12} {costs[stage]:8.1f} s {_largest_mb():8,.0f} MB so far"
        print(said, flush=True)
        return result

    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace.create(Path(folder) / "grown.toolplanner") as workspace,
    ):
        measured(
            "import",
            lambda: import_apis(
                workspace,
                grown_catalogue(location, size),
                source_name="toolbench",
                format_id="toolbench",
                location="varied copies",
            ),
        )
        measured("embed", lambda: embed(workspace, "words", progress=Progress()))
        measured("cluster", lambda: cluster(workspace, seed=0, progress=Progress()))
        points = load_points(workspace)
        measured("neighbours", lambda: ensure_neighbours(workspace, points, progress=Progress()))
        measured("layout", lambda: lay_out(workspace, seed=0, progress=Progress()))
        measured("regions", lambda: keep_regions(workspace, is_anew=True))
        measured("review", lambda: gather(workspace, progress=Progress()))
        measured("export", lambda: read_contents(workspace))
    return costs, _largest_mb()


_PROCESSES = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _largest_mb() -> float:
    """What the largest process took, of this one and all that it started and that have ended."""
    return max(resource.getrusage(who).ru_maxrss for who in _PROCESSES) / 1e3


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in _PROCESSES]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(location: str, *sizes: str) -> None:
    """Print a table: CPU seconds by stage and size, and the exponent from one size to the next."""
    numbers = sorted(map(int, sizes))
    found = [stage_costs(Path(location), size) for size in numbers]
    print("| stage | " + " | ".join(f"{size:,}" for size in numbers) + " | exponents |")
    for stage in found[0][0]:
        costs = [cost[stage] for cost, _ in found]
        powers = [
            log(max(after, 1e-3) / max(before, 1e-3)) / log(larger / smaller)
            for (before, after), (smaller, larger) in zip(
                itertools.pairwise(costs), itertools.pairwise(numbers), strict=True
            )
        ]
        cells = [*(f"{cost:.1f}" for cost in costs), " ".join(f"{power:.2f}" for power in powers)]
        print(f"| {stage} | " + " | ".join(cells) + " |")
    print(
        "| MB, the largest process so far | " + " | ".join(f"{mb:,.0f}" for _, mb in found) + " | |"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
