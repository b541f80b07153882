"""What changed of a text, word by word."""

import re
from difflib import SequenceMatcher

_LETTERS = re.compile(r"\w+")
_GONE, _CAME = re.compile(r"\[-.*?-\]\s*", re.DOTALL), re.compile(r"\{\+(.*?)\+\}", re.DOTALL)
_MOST_WORDS = 2_000
"""Longer texts are told as a whole: comparing them takes the square of their words."""


_LEAST_ALIKE = 0.25
"""Share of common words from which on those that differ are worth a mark."""


def word_diff(before: str, after: str) -> str:
    """A text with its changes by words: "the [-old-] {+new+} text"."""
    old, new = before.split(), after.split()
    if max(len(old), len(new)) > _MOST_WORDS:
        return f"[-{' '.join(old)}-] {{+{' '.join(new)}+}}"
    parts: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts += old[i:j]
            continue
        parts += [f"[-{' '.join(old[i:j])}-]"] if j > i else []
        parts += [f"{{+{' '.join(new[k:m])}+}}"] if m > k else []
    return " ".join(parts)


def text_after_change(marked: str) -> str:
    """What a text with marks says after the change: for a line where there is no room for both."""
    return _CAME.sub(r"\1", _GONE.sub("", marked)).strip()


def mark_differences(one: str, other: str) -> tuple[str, str]:
    """Two texts, each with the words marked that the other lacks there: "{+these+}".

    Texts that have next to nothing in common stay as they are: all of them would be marked.
    """
    left, right = one.split(), other.split()
    if max(len(left), len(right)) > _MOST_WORDS:
        return one, other
    matcher = SequenceMatcher(
        None, [_bare(word) for word in left], [_bare(word) for word in right], autojunk=False
    )
    if matcher.ratio() < _LEAST_ALIKE:
        return one, other
    sides: tuple[list[str], list[str]] = ([], [])
    for kind, i, j, k, m in matcher.get_opcodes():
        for side, words in zip(sides, (left[i:j], right[k:m]), strict=True):
            if words:
                said = " ".join(words)
                side.append(said if kind == "equal" else f"{{+{said}+}}")
    return " ".join(sides[0]), " ".join(sides[1])


def _bare(word: str) -> str:
    """A word without case and punctuation, which say nothing."""
    return "".join(_LETTERS.findall(word.casefold())) or word


def is_reworded(before: str, after: str) -> bool:
    """Whether two texts differ in more than spaces, punctuation and case."""
    return _LETTERS.findall(before.casefold()) != _LETTERS.findall(after.casefold())


def changed_lines(before: str, after: str) -> list[str]:
    """The lines that differ, each with its changes by words."""
    old, new = before.splitlines(), after.splitlines()
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    found = (
        word_diff("\n".join(old[i:j]), "\n".join(new[k:m]))
        for kind, i, j, k, m in opcodes
        if kind != "equal"
    )
    return [line for line in found if line]
