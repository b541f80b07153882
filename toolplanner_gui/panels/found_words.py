"""What the list of a search says of itself: how many, found by what, and in which toolkits.

Pure functions; used by the toolkits panel's search.
"""

from toolplanner_core.words.wording import count, counted, one_line
from toolplanner_gui.viewmodels.table_model import Row

BY_MEANING = "≈"
"""Before the score of an API that meaning alone has found."""
FOUND_SAYS = (
    f"Toolkits by name, APIs by words and meaning. {BY_MEANING} before the score: found by meaning"
    " alone, it holds none of the words."
)
MORE = "more toolkits"
"""Key of the row that lists the other toolkits with such a name."""


def found_by(*, by_meaning: bool) -> str:
    """By what an API was found."""
    return "Found by meaning alone: holds none of the words" if by_meaning else "Found by words"


def meaning_words(n_by_meaning: int, n_hits: int) -> list[str]:
    """How many of those listed meaning alone has found, as a part of a line."""
    if not n_by_meaning:
        return []
    n = "all" if n_by_meaning == n_hits else count(n_by_meaning)
    return [f"{n} by meaning alone ({BY_MEANING})"]


def listed_words(n: int, most: int) -> str:
    """ "3 toolkits"; "20 of 26 toolkits" where not all are listed."""
    return counted(n, "toolkit") if n <= most else f"{count(most)} of {counted(n, 'toolkit')}"


def say_none(text: str, n_hits: int, n_homes: int, n_shown: int, named: str) -> str:
    """That no API holds all the words, and what is listed in place of such.

    Args:
        n_homes: toolkits that hold what is listed; `n_shown`: how many of them are listed.
        named: the toolkits that are listed for their name, "" = none.
    """
    text = one_line(text, 40)
    if not n_hits:
        also = f" · {named} by name" if named else ""
        return f"Nothing found: no API holds a word of “{text}”{also}"
    near = f"the nearest {n_hits} are" if n_hits > 1 else "the nearest is"
    said = f"No API holds all the words of “{text}” · {near} shown"
    return said + homes_words(n_homes, n_shown)


def homes_words(n_homes: int, n_shown: int) -> str:
    """ ", in 10 toolkits (8 listed)": the toolkits that hold the APIs just spoken of; "" if none
    does. It follows that number at once, since other numbers of the line speak of other APIs."""
    if not n_homes:
        return ""
    few = f" ({n_shown} listed)" if n_shown < n_homes else ""
    return f", in {counted(n_homes, 'toolkit')}{few}"


def more_row(n: int) -> list[Row]:
    """The row that lists the toolkits by name that are left out; none if there are none."""
    told = f"{counted(n, 'more toolkit')} by name …"
    return [Row(cells=(told, ""), key=MORE, tooltip="List them")] if n > 0 else []
