"""From imported APIs to a map, all stages with their real parts."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.catalogues import add_apis, made_up_apis
from fixtures.languages import LANGUAGES, catalogue_of

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.curation.grouping import prepare as preparing
from toolplanner_core.curation.grouping.prepare import default_embedder, prepare
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue, read_catalogue
from toolplanner_core.errors import BadInput, Cancelled
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.providers.demo.filling import fill_demo_workspace
from toolplanner_core.sources.importing import import_apis
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import sources
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.toolkits import list_toolkits


def test_prepare_when_workspace_is_empty_then_says_what_to_do(workspace: Workspace) -> None:
    with pytest.raises(BadInput):
        prepare(workspace, embedder="lsa", progress=Progress())


@pytest.mark.usefixtures("quick_umap")
@pytest.mark.parametrize("n", [1, 2, 14])
def test_prepare_when_there_are_few_apis_then_there_is_a_map(workspace: Workspace, n: int) -> None:
    add_apis(workspace, made_up_apis(4)[:n])
    prepare(workspace, embedder="lsa", progress=Progress())
    loaded = read_catalogue(workspace)
    assert loaded.xy is not None
    assert len(loaded.rowids) == n
    assert (loaded.labels >= 0).all()


@pytest.mark.parametrize(
    ("too_many", "layout", "parts"),
    [
        (0, "umap", ["umap"]),
        (1, "umap", ["neighbour_descent", "umap"]),
        (1, "pca", ["neighbour_descent"]),
        (0, "pca", []),
    ],
)
def test_code_to_compile_when_there_is_no_map_then_what_the_first_needs_and_later_nothing(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    too_many: int,
    layout: str,
    parts: list[str],
) -> None:
    add_apis(workspace, made_up_apis(12))
    monkeypatch.setattr(preparing, "EXACT_UP_TO", len(all_rowids(workspace)) - too_many)
    found = preparing.code_to_compile(workspace, layout)
    assert [compile_all.__module__.rpartition(".")[2] for compile_all in found] == parts
    prepare(workspace, layout="pca", progress=Progress())
    assert preparing.code_to_compile(workspace, layout) == []


@pytest.mark.usefixtures("quick_umap")
def test_prepare_when_done_again_then_no_stage_is_repeated(workspace: Workspace) -> None:
    add_apis(workspace, made_up_apis(9))
    first = prepare(workspace, embedder="lsa", progress=Progress())
    assert first.cluster is not None
    before = list_toolkits(workspace)
    again = prepare(workspace, progress=Progress())
    assert again.embed.embedder == first.embed.embedder
    assert again.embed.encoded == 0
    assert again.cluster is None
    assert again.layout.reused
    assert list_toolkits(workspace) == before


@pytest.mark.usefixtures("quick_umap")
def test_prepare_when_cancelled_in_the_layout_then_the_next_goes_on_there(
    workspace: Workspace,
) -> None:
    add_apis(workspace, made_up_apis(9))

    def stop(report: ProgressReport) -> None:
        if report.stage == "Placing APIs":
            progress.cancel()

    progress = Progress(stop)
    with pytest.raises(Cancelled):
        prepare(workspace, embedder="lsa", progress=progress)
    assert read_catalogue(workspace).xy is None
    assert list_toolkits(workspace)
    report = prepare(workspace, embedder="lsa", progress=Progress())
    assert report.cluster is None
    assert read_catalogue(workspace).xy is not None


def test_default_embedder_when_asked_then_the_one_that_knows_the_language(
    workspace: Workspace, tmp_path: Path
) -> None:
    assert default_embedder(workspace) == "words"
    add_apis(workspace, made_up_apis(3))
    assert default_embedder(workspace) == "words"
    for language in LANGUAGES:
        with Workspace.create(tmp_path / f"{language}.toolplanner") as foreign:
            add_apis(foreign, catalogue_of(language))
            assert default_embedder(foreign) == "lsa", language


@pytest.mark.slow
@pytest.mark.usefixtures("quick_umap")
def test_prepare_when_apis_are_real_then_toolkits_have_readable_names(
    workspace: Workspace, shared_data: Path
) -> None:
    plugin = sources.get("toolbench")
    location = shared_data / "toolbench" / "toolenv.zip"
    records = plugin.read(Location.of(location), plugin.options(), source="toolbench")
    some = [record for record, _ in zip(records, range(1_200), strict=False)]
    import_apis(
        workspace, iter(some), source_name="toolbench", format_id="toolbench", location="some"
    )
    report = prepare(workspace, embedder="lsa", progress=Progress())
    toolkits = list_toolkits(workspace)
    assert report.cluster is not None
    assert report.cluster.toolkits == len(toolkits)
    assert 90 <= len(toolkits) <= 135
    names = [toolkit.name for toolkit in toolkits]
    assert len({name.casefold() for name in names}) == len(names)
    # "Devices (Smswo and Zapshot)": where few tools share a vague word, their titles go with
    # it; people judged such names true, and single words not.
    assert sum(len(name.split()) <= 8 for name in names) >= 0.9 * len(names)
    assert sum(len(name.split()) <= 5 for name in names) >= 0.6 * len(names)
    assert all(len(name) <= 80 for name in names)
    assert sum("other tools" in name for name in names) <= 0.15 * len(names)
    assert sum(name[0].islower() for name in names) <= 2  # "iOS apps" is one
    assert all(toolkit.description.endswith(".") for toolkit in toolkits)


@pytest.mark.usefixtures("quick_umap")
def test_prepare_when_a_person_has_curated_then_toolkits_stay_and_all_apis_are_on_the_map(
    workspace: Workspace,
) -> None:
    fill_demo_workspace(workspace, progress=Progress())
    before = list_toolkits(workspace)
    add_apis(workspace, made_up_apis(3))
    report = prepare(workspace, embedder="lsa", progress=Progress())
    assert report.cluster is None
    assert list_toolkits(workspace) == before
    loaded = read_catalogue(workspace)
    assert loaded.xy is not None
    assert len(loaded.rowids) == report.layout.points > sum(t.size for t in before)


def test_prepare_when_toolkits_are_wanted_anew_then_they_are_made_anew(
    workspace: Workspace,
) -> None:
    add_apis(workspace, made_up_apis(9))
    prepare(workspace, embedder="lsa", progress=Progress())
    report = prepare(
        workspace, clustering_options=KMeansOptions(k=3), is_anew=True, progress=Progress()
    )
    assert report.cluster is not None
    assert report.proposal is None
    assert len(list_toolkits(workspace)) == report.cluster.toolkits == 3
    assert not report.layout.reused


def test_prepare_when_toolkits_are_wanted_anew_but_people_have_curated_then_they_get_a_proposal(
    workspace: Workspace,
) -> None:
    fill_demo_workspace(workspace, progress=Progress())
    before = list_toolkits(workspace)
    report = prepare(workspace, embedder="lsa", is_anew=True, progress=Progress())
    assert report.cluster is None
    assert report.proposal is not None
    assert list_toolkits(workspace) == before
    assert read_catalogue(workspace).xy is not None


def test_prepare_when_there_is_no_map_yet_then_first_places_are_shown_before_the_final_ones(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So few are placed without the code that is compiled for many.
    monkeypatch.setattr(preparing, "code_to_compile", lambda *_: [])
    add_apis(workspace, made_up_apis(4)[:8])
    stages: list[str] = []
    seen: list[tuple[CuratedCatalogue, int]] = []

    def look() -> None:
        seen.append((read_catalogue(workspace), len(stages)))

    progress = Progress(lambda report: stages.append(report.stage))
    prepare(workspace, embedder="lsa", on_first_map=look, progress=progress)
    ((first, n_before),) = seen
    last = read_catalogue(workspace)
    assert first.xy is not None
    assert last.xy is not None
    assert "First places" in first.note
    assert "First places" not in last.note
    # Neither neighbours nor what compiles the layout is waited for.
    assert "Choosing a start" in stages[:n_before]
    assert "Finding neighbours" in stages[n_before:]
    assert "Finding neighbours" not in stages[:n_before]
    assert first.rowids.tolist() == last.rowids.tolist()
    assert [one.id for one in first.toolkits] == [one.id for one in last.toolkits]
    assert not np.array_equal(first.xy, last.xy)
    prepare(workspace, embedder="lsa", on_first_map=look, progress=Progress())
    assert len(seen) == 1


def test_prepare_when_cancelled_at_first_places_then_the_next_makes_the_whole_map(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "code_to_compile", lambda *_: [])
    add_apis(workspace, made_up_apis(4)[:8])
    progress = Progress()
    with pytest.raises(Cancelled):
        prepare(workspace, embedder="lsa", on_first_map=progress.cancel, progress=progress)
    assert "First places" in read_catalogue(workspace).note
    again = prepare(workspace, embedder="lsa", progress=Progress())
    assert again.placed is None
    assert "First places" not in read_catalogue(workspace).note
