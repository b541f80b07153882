"""A few letters find a title; initials and whole words win over chance."""

from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.words.fuzzy_matching import fuzzy_score

TITLES = ["Toolkits: Move to", "Toolkits: Merge", "File: Import tools", "View: Timeline of the run"]


def best(query: str) -> str:
    scored = [(fuzzy_score(query, title), title) for title in TITLES]
    return max((score, title) for score, title in scored if score is not None)[1]


def test_initials_and_parts_find_the_title() -> None:
    assert best("mto") == "Toolkits: Move to"
    assert best("merge") == "Toolkits: Merge"
    assert best("import") == "File: Import tools"
    assert best("time run") == "View: Timeline of the run"


def test_letters_that_are_not_there_find_nothing() -> None:
    assert fuzzy_score("xyz", "Toolkits: Merge") is None
    assert fuzzy_score("gem", "Merge") is None


@given(st.text(max_size=12), st.text(max_size=30))
def test_any_text_gives_a_number_or_nothing(query: str, title: str) -> None:
    score = fuzzy_score(query, title)
    assert score is None or isinstance(score, float)


@given(st.text(alphabet="abc ", min_size=1, max_size=20))
def test_a_title_fits_itself(title: str) -> None:
    assert fuzzy_score(title, title) is not None
