"""What the window does between an edit on disk and an edit on screen, at 45,000 APIs.

Target: on screen within 50 ms, of the GUI thread (`figures.py`).
"""

import time
from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.figures import Figures

from toolplanner_core.domain.curated import Changes, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit

pytest.importorskip("PySide6")

from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.patching import patched, touched_toolkits
from toolplanner_core.curation.looking.toolkit_rows import Grouping
from toolplanner_gui.viewmodels.curate.selection import Selection
from toolplanner_gui.viewmodels.curate.toolkit_model import ToolkitModel

_APIS, _TOOLKITS, _REGIONS = 45_000, 5_000, 30
_TARGET_MS = 50.0


@pytest.fixture(scope="module")
def catalogue() -> CuratedCatalogue:
    labels = np.arange(_APIS, dtype=np.int32) % _TOOLKITS
    return CuratedCatalogue(
        n_apis=_APIS,
        toolkits=tuple(
            Toolkit(id=ToolkitId(i + 1), name=f"Toolkit {i}", description="", size=9)
            for i in range(_TOOLKITS)
        ),
        rowids=np.arange(1, _APIS + 1, dtype=np.int64),
        labels=labels,
        xy=np.zeros((_APIS, 2), np.float32),
    )


def merge(catalogue: CuratedCatalogue, source: int, into: int) -> Changes:
    members = catalogue.rowids[catalogue.labels == source].tolist()
    target = catalogue.toolkits[into].id
    return Changes(
        toolkits={catalogue.toolkits[source].id: {"is_living": False}},
        members={rowid: Membership(target, False) for rowid in members},
    )


def best_ms(work: Callable[[], object], rounds: int = 7) -> float:
    times: list[float] = []
    for _ in range(rounds):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return min(times) * 1000


def test_patch_of_a_merge_is_quick(catalogue: CuratedCatalogue, figures: Figures) -> None:
    changes = merge(catalogue, 7, 9)
    spent = best_ms(lambda: (patched(catalogue, changes), touched_toolkits(catalogue, changes)))
    assert figures.ms("patch of a merge", spent, _TARGET_MS)


def test_patch_of_half_the_catalogue_is_quick(
    catalogue: CuratedCatalogue, figures: Figures
) -> None:
    target = catalogue.toolkits[0].id
    rowids = catalogue.rowids[::2].tolist()
    changes = Changes(members={rowid: Membership(target, True) for rowid in rowids})
    spent = best_ms(lambda: patched(catalogue, changes), 3)
    assert figures.ms(f"patch of {len(rowids):,} moves", spent, 2 * _TARGET_MS)


@pytest.mark.parametrize("in_regions", [False, True])
def test_list_follows_a_merge_quickly(
    catalogue: CuratedCatalogue, qapp, in_regions: bool, figures: Figures
) -> None:
    model = ToolkitModel(lambda *_: [])
    model.set_toolkits(catalogue.toolkits, {})
    if in_regions:
        names = [f"Region {i}" for i in range(_REGIONS)]
        model.set_regions(Grouping(names, {t.id: int(t.id) % _REGIONS for t in catalogue.toolkits}))
    changes = merge(catalogue, 7, 9)
    after = patched(catalogue, changes)
    touched = touched_toolkits(catalogue, changes)

    def there_and_back() -> None:
        model.follow(after.toolkits, touched)
        model.follow(catalogue.toolkits, touched)

    spent = best_ms(there_and_back) / 2
    assert model.rowCount() == (_REGIONS if in_regions else _TOOLKITS)
    assert figures.ms(f"list after a merge, regions {in_regions}", spent, _TARGET_MS)


def test_what_is_chosen_is_known_quickly(
    catalogue: CuratedCatalogue, qapp, figures: Figures
) -> None:
    selection = Selection()
    selection.set_catalogue(catalogue)
    selection.set_mask(catalogue.labels % 3 == 0, {"by": "lasso"})
    spent = best_ms(selection.chosen)
    assert figures.ms(f"chosen of {selection.count:,} APIs", spent, _TARGET_MS)
