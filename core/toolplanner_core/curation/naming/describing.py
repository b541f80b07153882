"""Describe toolkits by rule: what the most central members say they do, and where they are from.

No counts: members come and go by edits, and a text that says 35 would soon be wrong. One or two
plain sentences without markup, for people on the map and for the planner that chooses
toolkits by them.
"""

from collections.abc import Sequence

from toolplanner_core.curation.naming.phrase_cutting import first_sentences, plain
from toolplanner_core.jobs.isolation import Isolation, PartKind
from toolplanner_core.words.word_splitting import identifier_words
from toolplanner_core.workspace.catalogue import ApiText

_LONGEST = 160
_EXAMPLES = 3
UNDESCRIBED = "Not described"
"""How descriptions begin where the rule failed."""
_DESCRIPTIONS = PartKind(
    "description of a toolkit",
    "descriptions of toolkits",
    f"such a description begins with “{UNDESCRIBED}”",
)


def described(
    apis: Sequence[ApiText], members: Sequence[int], *, whole: frozenset[str], by: Isolation
) -> str:
    """As `describe`; where that fails, that nothing is said, and the first member's name.

    Args:
        by: what remembers the groups on which the rule failed.
    """
    return by.make(
        _DESCRIPTIONS,
        lambda: describe(apis, members, whole=whole),
        lambda: f"{UNDESCRIBED}: APIs such as “{' '.join(apis[members[0]].name.split())[:48]}”.",
        part=apis[members[0]].name,
    )


def describe(apis: Sequence[ApiText], members: Sequence[int], *, whole: frozenset[str]) -> str:
    """One or two sentences about a group.

    Args:
        members: positions of the group's APIs, most central first.
        whole: words with humps inside that belong together (`Casing.whole`).
    """
    return f"{_what_they_do(apis, members)} {_from_where(apis, members, whole)}".strip()


def _what_they_do(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """The description of the most central member that has a proper one."""
    for i in (*members[:5], *members[:1]):
        for text in (apis[i].description, apis[i].tool_description):
            sentence = first_sentences(" ".join(plain(text).split()), most=_LONGEST).strip(" -–:;,")
            if len(sentence.split()) >= 3 or (len(sentence) >= 8 and not sentence.isascii()):
                return _finished(sentence)
    return ""


def _from_where(apis: Sequence[ApiText], members: Sequence[int], whole: frozenset[str]) -> str:
    tools = list(dict.fromkeys(apis[i].tool_key for i in members))
    titles = list(dict.fromkeys(_plain_title(title) for _, title, _ in tools))
    if len(members) == 1:
        return f"From {titles[0]}."
    of = titles[0] if len(tools) == 1 else "several tools"
    examples: list[str] = []
    for i in members:
        words = _readable(apis[i].name, whole)
        if words and words not in examples:
            examples.append(words)
        if len(examples) == _EXAMPLES:
            break
    such_as = f"; APIs such as {_listed(examples)}" if len(examples) > 1 else ""
    return f"From {of}{such_as}."


def _plain_title(title: str) -> str:
    return " ".join(plain(title).split())[:60].strip(" .") or "an unnamed tool"


def _readable(name: str, whole: frozenset[str]) -> str:
    """An API's name in words: "getExchangeRates" as "get exchange rates"."""
    text = " ".join(plain(name).split())
    if " " not in text:
        text = " ".join(word for run in identifier_words(text, whole) for word in run)
        text = " ".join(word if word.isupper() else word.lower() for word in text.split())
    return text if 3 <= len(text) <= 48 else ""


def _listed(texts: Sequence[str]) -> str:
    quoted = [f"“{text}”" for text in texts]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _finished(sentence: str) -> str:
    capital = sentence[:1].upper() + sentence[1:]
    return capital if capital.endswith((".", "!", "?", "…", "。")) else f"{capital}."
