"""Rows of the toolkit list: where each stands after an edit, and what an edit leaves alone."""

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.curation.looking.toolkit_rows import Grouping, RowPlace, ToolkitRows
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit

NAMES = ("Food", "Weather")


def kit(number: int, size: int) -> Toolkit:
    return Toolkit(id=ToolkitId(number), name=f"Toolkit {number}", description="", size=size)


def largest_first(toolkit: Toolkit) -> tuple[int, str]:
    return -toolkit.size, toolkit.name


def rows_of(toolkits: list[Toolkit], grouping: Grouping | None) -> ToolkitRows:
    rows = ToolkitRows()
    rows.fill(toolkits, grouping)
    rows.order(largest_first, is_by_name=False)
    return rows


def by_parity(toolkits: list[Toolkit]) -> Grouping:
    return Grouping(NAMES, {toolkit.id: toolkit.id % 2 for toolkit in toolkits})


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=12),
    changes=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=12),
    has_regions=st.booleans(),
)
def test_rows_when_some_come_go_and_move_then_every_place_and_size_is_that_of_now(
    sizes: list[int], changes: list[tuple[int, int]], has_regions: bool
) -> None:
    kits = [kit(number, size) for number, size in enumerate(sizes, 1)]
    every = [kit(number, 0) for number in range(1, 40)]
    grouping = by_parity(every) if has_regions else None
    rows = rows_of(kits, grouping)
    for number, size in changes:
        one = kit(number, size)
        if rows.place(one.id) is None:
            place = rows.place_for(one, largest_first, grouping)
            if place is not None:
                rows.insert(place, one)
        elif size < 3:
            rows.remove(one.id)
        else:
            rows.replace([one])
            new = rows.place_anew(one.id, largest_first)
            if new is not None:
                rows.move(one.id, new)
    shown = {
        toolkit.id: RowPlace(region.number, row)
        for region in rows.regions
        for row, toolkit in enumerate(region.toolkits)
    }
    assert {each.id: rows.place(each.id) for each in rows.toolkits()} == shown
    assert all(region.size == sum(t.size for t in region.toolkits) for region in rows.regions)


def test_rows_when_one_of_the_last_changes_then_the_thousands_before_it_are_left_alone() -> None:
    kits = [kit(number, 9000 - number) for number in range(1, 5001)]
    rows = rows_of(kits, None)
    first, last = kits[:-3], kits[-1]
    before = [rows.place(each.id) for each in first]
    rows.remove(kits[-2].id)
    rows.insert(RowPlace(0, len(rows.toolkits())), kit(6000, 1))
    rows.move(last.id, RowPlace(0, len(rows.toolkits()) - 1))
    after = [rows.place(each.id) for each in first]
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_regions_when_others_are_known_then_only_what_stands_elsewhere_does_not_fit() -> None:
    kits = [kit(number, number) for number in range(1, 9)]
    before = by_parity(kits)
    rows = rows_of(kits, before)
    unseen, lost = {**before.region_of, ToolkitId(99): 1}, dict(before.region_of)
    del lost[ToolkitId(3)]
    assert rows.fits(Grouping(NAMES, unseen), before)
    assert rows.fits(Grouping(NAMES, lost), before)
    assert not rows.fits(Grouping(NAMES, {**before.region_of, ToolkitId(3): 0}), before)
    assert not rows.fits(Grouping(NAMES, {**lost, ToolkitId(3): 0}), Grouping(NAMES, lost))
