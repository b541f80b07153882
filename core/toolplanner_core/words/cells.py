"""Texts of others as cells of a spreadsheet: never a formula, nothing hidden."""

from toolplanner_core.words.acting import visible

_BEGINNINGS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def cell(text: str) -> str:
    """Text in one line that no spreadsheet takes for a formula.

    Source: OWASP, "CSV Injection": cells that begin with = + - @, in either width, get an
    apostrophe; tabs and line breaks are spaces here.
    """
    line = visible(" ".join(text.split()))
    return f"'{line}" if line.startswith(_BEGINNINGS) else line
