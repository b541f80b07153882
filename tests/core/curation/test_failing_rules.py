"""A rule that fails for one part: that part stands plainly and is told, the rest is whole."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fixtures.catalogues import TOPICS, made_up_apis, ready_workspace
from fixtures.silent import silent

from toolplanner_core.clustering.kmeans import KMeansOptions
from toolplanner_core.clustering.neighbours import nearest_neighbours
from toolplanner_core.curation.grouping import region_keeping, region_names, regions
from toolplanner_core.curation.grouping.cluster import cluster, make_toolkits
from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.curation.grouping.region_names import name_regions
from toolplanner_core.curation.naming import describing, toolkit_names
from toolplanner_core.curation.naming.describing import UNDESCRIBED
from toolplanner_core.curation.naming.toolkit_names import ToolkitText, name_toolkits
from toolplanner_core.curation.questions.kinds import finding
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.kinds.documents import read_documents
from toolplanner_core.curation.questions.kinds.evidence import (
    Evidence,
    ReviewedCatalogue,
    ToolkitFacts,
    gather_evidence,
)
from toolplanner_core.curation.questions.kinds.finding import find_candidates
from toolplanner_core.curation.questions.queue.group_answers import without_doubled
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.jobs.isolation import Isolation, problem_of
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiText
from toolplanner_core.workspace.curated_tables import all_regions
from toolplanner_core.workspace.toolkits import list_toolkits

PER_TOPIC = 6
TEXTS = [
    ApiText(api.name, api.tool, api.category, api.description, api.tool_description)
    for api in made_up_apis(PER_TOPIC)
]
GROUPS = [list(range(at, at + PER_TOPIC)) for at in range(0, len(TEXTS), PER_TOPIC)]
BAD = 1
"""The group that a rule fails on."""


def failing(rule: Callable[..., Any], is_bad: Callable[..., bool]) -> Callable[..., Any]:
    """The rule, that has not foreseen some of what it may be given."""

    def tried(*args: Any, **more: Any) -> Any:
        if is_bad(*args, **more):
            raise IndexError("not foreseen")
        return rule(*args, **more)

    return tried


def holds_bad(members: Any) -> bool:
    return GROUPS[BAD][0] in list(members)


def named() -> tuple[list[ToolkitText], Isolation]:
    isolation = Isolation()
    return name_toolkits(TEXTS, GROUPS, report=silent, isolation=isolation), isolation


def test_names_when_a_rule_fails_for_one_toolkit_then_only_that_one_is_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, _ = named()
    rule = failing(toolkit_names.placeholder_names, lambda _book, _apis, own: holds_bad(own))
    monkeypatch.setattr(toolkit_names, "placeholder_names", rule)
    after, isolation = named()
    assert after[BAD].name == "Unnamed: finance"
    assert after[BAD].description == before[BAD].description
    assert after[:BAD] + after[BAD + 1 :] == before[:BAD] + before[BAD + 1 :]
    (failure,) = isolation.failures
    assert failure.part == "Unnamed: finance"
    problem = problem_of(isolation.failures)
    assert problem is not None
    assert "1 name of a toolkit (such a name begins with “Unnamed”)" in problem.sentence


def test_names_when_no_text_can_be_read_then_all_are_plain_and_unlike_one_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        toolkit_names, "PhraseBook", failing(toolkit_names.PhraseBook, lambda _: True)
    )
    isolation = Isolation()
    texts = name_toolkits(TEXTS, [*GROUPS, GROUPS[0]], report=silent, isolation=isolation)
    assert [text.name for text in texts][-1] == "Unnamed: weather 2"
    assert all(text.name.startswith("Unnamed: ") and text.description for text in texts)
    (failure,) = isolation.failures
    assert failure.times == len(texts)


def test_descriptions_when_the_rule_fails_for_one_toolkit_then_only_that_one_is_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, _ = named()
    rule = failing(describing.describe, lambda _apis, own, **_: holds_bad(own))
    monkeypatch.setattr(describing, "describe", rule)
    after, isolation = named()
    assert after[BAD].description.startswith(UNDESCRIBED)
    assert [text.name for text in after] == [text.name for text in before]
    assert after[:BAD] + after[BAD + 1 :] == before[:BAD] + before[BAD + 1 :]
    assert len(isolation.failures) == 1


def test_toolkits_when_a_rule_fails_for_one_then_all_groups_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = TEXTS[GROUPS[BAD][0]]
    rule = failing(
        toolkit_names.placeholder_names,
        lambda _book, apis, own: any(apis[i] == first for i in own),
    )
    monkeypatch.setattr(toolkit_names, "placeholder_names", rule)
    labels = np.repeat(np.arange(len(GROUPS), dtype=np.int32), PER_TOPIC)
    vectors = np.eye(len(GROUPS), dtype=np.float32)[labels]
    made = make_toolkits(
        vectors,
        TEXTS,
        method="kmeans",
        options=KMeansOptions(),
        seed=0,
        labels=labels,
        report=silent,
    )
    assert len(made.groups) == len(made.texts) == len(GROUPS)
    assert [text.name.startswith("Unnamed") for text in made.texts].count(True) == 1
    assert len(made.failures) == 1


NAMES = [f"{word} {i}" for word in ("Weather", "Music", "Travel") for i in range(5)]
OF = np.repeat(np.arange(3, dtype=np.int32), 5)


def regions_named() -> tuple[list[str], Isolation]:
    isolation = Isolation()
    sizes = np.full(len(NAMES), 4, np.int64)
    categories = [{name.split()[0]: 4} for name in NAMES]
    found = name_regions(NAMES, OF, sizes, 3, categories=categories, isolation=isolation)
    return found, isolation


def test_region_names_when_the_rule_fails_for_one_then_only_that_one_is_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, _ = regions_named()
    rule = failing(region_names.whole_name, lambda own: "Music 0" in own)
    monkeypatch.setattr(region_names, "whole_name", rule)
    after, isolation = regions_named()
    assert after == [before[0], "Unnamed region: music", before[2]]
    assert len(isolation.failures) == 1


def test_region_names_when_words_cannot_be_counted_then_all_are_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(region_names, "Meaning", failing(region_names.Meaning, lambda _: True))
    after, isolation = regions_named()
    assert after == [f"Unnamed region: {trade}" for trade in ("weather", "music", "travel")]
    assert isolation.failures[0].times == 3


@pytest.fixture
def many_toolkits(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Enough toolkits for four regions."""
    monkeypatch.setattr(regions, "FEWEST_TOOLKITS", 4)
    monkeypatch.setattr(regions, "_FEWEST", len(TOPICS))
    ready_workspace(workspace, 12)
    options = KMeansOptions(k=len(TOPICS) * 4)
    cluster(workspace, options=options, progress=Progress())
    return workspace


def test_regions_when_colours_cannot_be_chosen_then_each_still_has_its_own(
    many_toolkits: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = failing(region_keeping.choose_colours, lambda *_: True)
    monkeypatch.setattr(region_keeping, "choose_colours", rule)
    failures = keep_regions(many_toolkits, is_anew=True)
    found = all_regions(many_toolkits.reader())
    assert len(found) == len(TOPICS)
    assert len({region.colour for region in found.values()}) == len(TOPICS)
    assert [each.kind.one for each in failures] == ["choice of colours"]


def test_regions_when_they_cannot_be_found_then_those_of_before_stay(
    many_toolkits: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_regions(many_toolkits, is_anew=True)
    before, toolkits = all_regions(many_toolkits.reader()), list_toolkits(many_toolkits)
    monkeypatch.setattr(
        regions, "find_regions", failing(regions.find_regions, lambda *_, **__: True)
    )
    (failure,) = keep_regions(many_toolkits, is_anew=True)
    assert failure.kind.instead == "regions are as before"
    assert all_regions(many_toolkits.reader()) == before
    assert list_toolkits(many_toolkits) == toolkits


def evidence() -> Evidence:
    """Two toolkits of each subject, so that a merge is asked for each of four pairs."""
    count = 2 * len(TOPICS)
    labels = np.repeat(np.arange(count, dtype=np.int32), PER_TOPIC)
    random = np.random.default_rng(0)
    vectors = np.eye(len(TOPICS), 12)[labels // 2] + random.normal(0, 0.05, (len(labels), 12))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    texts = [TEXTS[(g // 2) * PER_TOPIC + i] for g in range(count) for i in range(PER_TOPIC)]
    reviewed = ReviewedCatalogue(
        rowids=np.arange(100, 100 + len(labels), dtype=np.int32),
        vectors=vectors,
        neighbours=nearest_neighbours(vectors, 8, report=silent).indices,
        labels=labels,
        is_pinned=np.zeros(len(labels), dtype=np.bool_),
        toolkits=[
            ToolkitFacts(id=10 + g, name=f"Toolkit {g}", description="", is_pinned=False)
            for g in range(count)
        ],
        runs={},
    )
    addresses = [f"GET https://h{i}.example/{i}" for i in range(len(labels))]
    documents = read_documents(texts, [["id"] for _ in texts], addresses, report=silent)
    return gather_evidence(reviewed, documents, report=silent)


def test_questions_when_a_kind_fails_for_one_toolkit_then_all_others_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known, bad = evidence(), 3
    before = find_candidates(known, None)
    undescribed = finding._FINDERS[CandidateKind.DESCRIPTION]
    rule = failing(undescribed, lambda _, groups: groups is None or bad in groups.tolist())
    monkeypatch.setitem(finding._FINDERS, CandidateKind.DESCRIPTION, rule)
    isolation = Isolation()
    after = find_candidates(known, None, isolation=isolation)

    def is_lost(one: Candidate) -> bool:
        return one.kind is CandidateKind.DESCRIPTION and one.toolkits[0] == 10 + bad

    assert any(map(is_lost, before))
    assert after == [one for one in before if not is_lost(one)]
    assert len(isolation.failures) == 1


def test_questions_when_a_kind_always_fails_then_the_other_kinds_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = evidence()
    before = find_candidates(known, None)
    rule = failing(finding._FINDERS[CandidateKind.DESCRIPTION], lambda *_: True)
    monkeypatch.setitem(finding._FINDERS, CandidateKind.DESCRIPTION, rule)
    isolation = Isolation()
    after = find_candidates(known, None, isolation=isolation)
    assert after == [one for one in before if one.kind is not CandidateKind.DESCRIPTION]
    assert after
    assert len(isolation.failures) == len(known.toolkits)


def test_questions_when_merges_cannot_be_measured_then_all_are_listed(
    many_toolkits: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolplanner_core.curation.questions.queue import answer_gains

    monkeypatch.setattr(
        answer_gains, "silhouette_gains", failing(answer_gains.silhouette_gains, lambda *_: True)
    )
    queue = ReviewQueue.read(many_toolkits, progress=Progress())
    assert queue.evidence is not None
    found = without_doubled(find_candidates(queue.evidence, None))
    merges = [one for one in found if one.kind is CandidateKind.MERGE]
    assert len(queue.waiting(CandidateKind.MERGE)) == len(merges) > 0
    assert [each.kind.one for each in queue.failures] == ["measuring of answers"]
