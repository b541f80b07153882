"""How a catalogue stands, as a page to read: sizes, toolkits of one API, duplicates, health, and
what to do next. Markdown; the same in the window, on the command line and in a file.

Blocks: some seconds at 45,000 APIs.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from toolplanner_core.curation.grouping.toolkit_sums import NO_SUMS, ToolkitSums, toolkit_sums
from toolplanner_core.curation.looking.copies_report import copies_lines, copies_steps, named_copies
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.curation.looking.report_tables import LISTED, more, plain_name, table
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import count, counted, score
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures, read_attempts
from toolplanner_core.workspace.catalogue import (
    DuplicateDocuments,
    apis_by_rowid,
    duplicate_documents,
    rowids_of,
)
from toolplanner_core.workspace.import_changes import missing_rowids
from toolplanner_core.workspace.toolkits import labels_by_rowid

Link = Callable[[Toolkit], str]
"""How a toolkit is written: its name, or a link to it."""
Alike = tuple[Toolkit, Toolkit, float]
"""Two toolkits and their similarity."""
_PIECE = 20
"""Toolkits that are compared between two reports, in about 50 ms."""
_SIZES = ((1, 1), (2, 3), (4, 8), (9, 20), (21, 50), (51, 10**9))
_ALIKE = 0.8
"""Cosine of centroids from which a toolkit of one API is offered to be merged."""
_LOOSE = 0.4
"""Fit below which a toolkit is offered to be split."""
_LARGE = 4
"""APIs from which on a low fit says something."""
_GONE = "of an API that is not in the catalogue"
_ENOUGH = 2
"""Calls from which on an API that never worked is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFigures:
    """What the report is made of, read at one moment.

    Attributes:
        uncounted: how many calls of the table of all calls do not count as health, by why.
        missing: how many APIs the last imports of their sources did not bring.
        alike: toolkits of one API with a similar other toolkit, the most similar first.
    """

    catalogue: CuratedCatalogue
    sums: ToolkitSums
    calls: Mapping[int, CallFigures]
    uncounted: Mapping[str, int]
    owner: Mapping[int, ToolkitId]
    copies: Sequence[DuplicateDocuments]
    titles: Mapping[int, str]
    missing: int
    alike: Sequence[Alike]


def read_figures(workspace: Workspace, *, progress: Progress | None = None) -> CatalogueFigures:
    """Read what the report says. Blocks.

    Raises:
        Cancelled: a person stopped it.
    """
    progress = progress or Progress()
    progress.report("Reading the catalogue", 0, None)
    catalogue = read_catalogue(workspace)
    progress.report("Comparing what is documented", 0, None)
    copies = duplicate_documents(workspace)
    calls = {rowid: each for rowid, each in call_figures(workspace).items() if each.n}
    progress.report("Reading the toolkits", 0, None)
    sums = toolkit_sums(workspace) or NO_SUMS
    bad = [rowid for rowid, each in calls.items() if not each.n_ok and each.n >= _ENOUGH]
    owner = labels_by_rowid(workspace)
    named = [*bad, *named_copies(copies, owner)]
    return CatalogueFigures(
        catalogue=catalogue,
        sums=sums,
        calls=calls,
        uncounted=_uncounted(workspace),
        owner=owner,
        copies=copies,
        titles={rowid: api.title for rowid, api in apis_by_rowid(workspace, named).items()},
        missing=len(missing_rowids(workspace)),
        alike=_alike(catalogue, sums, progress),
    )


def catalogue_report(figures: CatalogueFigures, *, name: str, link: Link | None = None) -> str:
    """The report as Markdown.

    Args:
        name: of the workspace, for the title.
        link: how toolkits are written; their names by default.
    """
    write = link or _name_alone
    sections = (
        ("What to do next", _todo(figures, write)),
        ("Sizes", _sizes(figures)),
        ("Toolkits of one API", _singles(figures, write)),
        ("Fit", _fit(figures, write)),
        ("Duplicates", copies_lines(figures.copies, figures.owner, figures.titles)),
        ("Health", _health(figures, write)),
    )
    parts = [f"# Catalogue of {plain_name(name)}", ""]
    for title, lines in sections:
        parts += [f"## {title}", "", *lines, ""]
    return "\n".join(parts)


def _todo(figures: CatalogueFigures, write: Link) -> Iterator[str]:
    catalogue, steps = figures.catalogue, list[str]()
    if not catalogue.toolkits:
        steps.append("There are no toolkits yet: *Prepare* makes them.")
    if figures.missing:
        were = counted(figures.missing, "API was", "APIs were")
        steps.append(f"{were} not seen in the last crawl: exclude what does not answer any more.")
    if waiting := int(catalogue.waiting.sum()):
        apis = counted(waiting, "API waits", "APIs wait")
        steps.append(f"{apis} until you accept how they are documented now.")
    if homeless := _homeless(figures):
        apis = counted(homeless, "API has", "APIs have")
        steps.append(f"{apis} no toolkit: no plan over toolkits is offered them. *Review* asks.")
    if broken := _broken(figures):
        apis = counted(len(broken), "API never", "APIs never")
        steps.append(f"{apis} worked in {_ENOUGH} or more calls: look at them, or exclude them.")
    steps.extend(copies_steps(figures.copies, figures.owner, figures.titles))
    if alike := figures.alike:
        kits = counted(len(alike), "toolkit", "toolkits")
        steps.append(
            f"{kits} of one API {'is' if len(alike) == 1 else 'are'} like another toolkit"
            f" (similarity {_ALIKE} or more): merge, so that there is a fallback."
        )
    if loose := _loose(figures):
        kits = counted(len(loose), "toolkit", "toolkits")
        steps.append(f"{kits} with a fit below {_LOOSE}: split, or move what does not belong.")
        steps[-1] += f" The loosest: {', '.join(write(kit) for kit, _ in loose[:3])}."
    yield from (f"{number}. {step}" for number, step in enumerate(steps, 1))
    if not steps:
        yield "Nothing stands out."


def _sizes(figures: CatalogueFigures) -> Iterator[str]:
    catalogue = figures.catalogue
    sizes = sorted(kit.size for kit in catalogue.toolkits)
    regions = f" in {counted(len(catalogue.regions), 'region')}" if catalogue.regions else ""
    yield (
        f"{counted(catalogue.n_apis, 'API')} in {counted(len(sizes), 'toolkit')}{regions};"
        f" {count(_homeless(figures))} without a toolkit,"
        f" {count(int(catalogue.excluded.sum()))} excluded."
    )
    if not sizes:
        return
    yield f"Half of the toolkits have {counted(int(median(sizes)), 'API')} or fewer,"
    yield f"the largest has {count(sizes[-1])}."
    yield ""
    rows = []
    for least, most in _SIZES:
        fitting = [size for size in sizes if least <= size <= most]
        words = (
            count(least)
            if least == most
            else f"{least} to {most}"
            if most < 10**9
            else f"{least} or more"
        )
        rows.append((words, count(len(fitting)), count(sum(fitting))))
    yield from table(("APIs", "Toolkits", "APIs in them"), rows)


def _singles(figures: CatalogueFigures, write: Link) -> Iterator[str]:
    singles = [kit for kit in figures.catalogue.toolkits if kit.size == 1]
    if not singles:
        yield "None: every toolkit has a fallback."
        return
    share = len(singles) / len(figures.catalogue.toolkits)
    have = "has" if len(singles) == 1 else "have"
    yield f"{counted(len(singles), 'toolkit')} ({share * 100:.0f} %) {have} one API:"
    yield "no fallback is possible."
    alike = figures.alike
    if alike:
        yield ""
        rows = ((write(kit), write(other), score(cosine)) for kit, other, cosine in alike[:LISTED])
        yield from table(("Toolkit of one API", "Most similar", "Similarity"), rows)
        yield from more(alike)


def _fit(figures: CatalogueFigures, write: Link) -> Iterator[str]:
    known = _fits(figures)
    if not known:
        yield "Not known before the APIs are embedded."
        return
    middle = score(median(fit for _, fit in known))
    yield f"Half of the toolkits with two APIs or more have a fit of {middle} or less."
    loose = _loose(figures)
    if loose:
        yield ""
        rows = ((write(kit), count(kit.size), score(fit)) for kit, fit in loose[:LISTED])
        yield from table(("Loosest toolkits", "APIs", "Fit"), rows)
        yield from more(loose)


def _health(figures: CatalogueFigures, write: Link) -> Iterator[str]:
    calls, others = figures.calls, figures.uncounted
    if not calls:
        yield "No API was called yet." if not others else f"No call counts yet: {_listed(others)}."
        return
    n, ok = sum(each.n for each in calls.values()), sum(each.n_ok for each in calls.values())
    never = figures.catalogue.n_apis - len(calls)
    yield f"{count(ok)} of {counted(n, 'call')} brought a usable reply;"
    yield f"{counted(never, 'API was', 'APIs were')} never called."
    if others:
        uncounted = counted(sum(others.values()), "other that does", "others that do")
        yield f"The table of all calls also lists {uncounted} not count: {_listed(others)}."
    by_kit: dict[ToolkitId, list[int]] = {}
    for rowid, each in calls.items():
        if (toolkit := figures.owner.get(rowid)) is not None:
            found = by_kit.setdefault(toolkit, [0, 0])
            found[0] += each.n_failed
            found[1] += each.n
    worst = sorted(by_kit.items(), key=lambda one: (-one[1][0], one[0]))
    rows = [
        (write(kit), count(failed), count(n))
        for toolkit, (failed, n) in worst
        if failed and (kit := figures.catalogue.toolkit(toolkit)) is not None
    ]
    if rows:
        yield ""
        yield from table(("Toolkits with most failures", "Failed", "Calls"), rows[:LISTED])
        yield from more(rows)
    if broken := _broken(figures):
        yield ""
        shown = ", ".join(plain_name(figures.titles.get(rowid, "")) for rowid in broken[:LISTED])
        rest = f" and {count(len(broken) - LISTED)} more" if len(broken) > LISTED else ""
        yield f"Never worked in {_ENOUGH} or more calls: {shown}{rest}."


def _listed(others: Mapping[str, int]) -> str:
    ordered = sorted(others.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{count(n)} {why}" for why, n in ordered)


def _uncounted(workspace: Workspace) -> Mapping[str, int]:
    calls = read_attempts(workspace, limit=None)
    there = rowids_of(workspace, list({each.api for each in calls}))
    return Counter(
        each.uncounted or _GONE for each in calls if each.uncounted or each.api not in there
    )


def _name_alone(toolkit: Toolkit) -> str:
    return plain_name(toolkit.name)


def _homeless(figures: CatalogueFigures) -> int:
    return figures.catalogue.n_apis - len(figures.owner)


def _broken(figures: CatalogueFigures) -> list[int]:
    calls = figures.calls
    return sorted(r for r, each in calls.items() if not each.n_ok and each.n >= _ENOUGH)


def _fits(figures: CatalogueFigures) -> list[tuple[Toolkit, float]]:
    kits = (kit for kit in figures.catalogue.toolkits if kit.size > 1)
    found = ((kit, figures.sums.cohesion(kit.id)) for kit in kits)
    return [(kit, fit) for kit, fit in found if fit is not None]


def _loose(figures: CatalogueFigures) -> list[tuple[Toolkit, float]]:
    """Toolkits whose fit is low, the lowest first."""
    low = [(k, fit) for k, fit in _fits(figures) if k.size >= _LARGE and fit < _LOOSE]
    return sorted(low, key=lambda one: one[1])


def _alike(catalogue: CuratedCatalogue, sums: ToolkitSums, progress: Progress) -> list[Alike]:
    found: list[Alike] = []
    singles = [kit for kit in catalogue.toolkits if kit.size == 1]
    for number, kit in enumerate(singles):
        if number % _PIECE == 0:
            progress.report("Comparing toolkits of one API", number, len(singles), "toolkits")
        for near in sums.nearest(kit.id, 1):
            other = catalogue.toolkit(near.toolkit)
            if other is not None and near.cosine >= _ALIKE:
                found.append((kit, other, near.cosine))
    return sorted(found, key=lambda one: -one[2])
