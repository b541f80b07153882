"""The clauses of a query: its sentences and their parts; each may ask for something else."""

import re

MAX_CLAUSES = 8
_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+|\n+|(?<=[。！？])")
_JOINT = re.compile(r",?\s+(?:and|also|as well as|then|plus)\s+|,\s+", re.IGNORECASE)
_FEWEST_WORDS = 3
_WORD = re.compile(r"\w+")


def split_sentences(text: str) -> list[list[str]]:
    """The sentences of a query in order, each followed by its parts if it has several.

    Parts of fewer than three words are left out: they are members of an enumeration, not needs.
    Nothing stands there twice, and beside the query itself at most `MAX_CLAUSES` in all.
    """
    found: list[list[str]] = []
    whole = text.strip()
    seen: set[str] = set()
    for sentence in map(str.strip, _SENTENCE.split(text)):
        parts = [part.strip() for part in _JOINT.split(sentence)]
        long = [part for part in parts if len(_WORD.findall(part)) >= _FEWEST_WORDS]
        several = long if len(parts) > 1 else []
        new = [each for each in dict.fromkeys([sentence, *several]) if each and each not in seen]
        room = MAX_CLAUSES - len(seen - {whole}) + (whole in new)
        if new[:room] and new[0] == sentence:
            found.append(new[:room])
            seen.update(new[:room])
    return found
