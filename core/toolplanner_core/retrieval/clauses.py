"""Split a query into its clauses: sentences and the parts joined by "and", "also", commas.

A query often asks for several things, and the words of one need drown those of the others; so each
clause is searched for itself, too.
"""

import re

MAX_CLAUSES = 8
_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+|\n+|(?<=[。！？])")
_JOINT = re.compile(r",?\s+(?:and|also|as well as|then|plus)\s+|,\s+", re.IGNORECASE)
_FEWEST_WORDS = 3
_WORD = re.compile(r"\w+")


def split_clauses(text: str) -> list[str]:
    """The clauses of a query in order, at most `MAX_CLAUSES`, without the query itself.

    A sentence that has parts is listed too. Parts of fewer than three words are left out: they are
    members of an enumeration, not needs. Empty for a query of one clause.
    """
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        parts = [part.strip() for part in _JOINT.split(sentence)]
        found.append(sentence.strip())
        if len(parts) > 1:
            found += [part for part in parts if len(_WORD.findall(part)) >= _FEWEST_WORDS]
    whole = text.strip()
    return [clause for clause in dict.fromkeys(found) if clause and clause != whole][:MAX_CLAUSES]
