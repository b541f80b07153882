"""What is in a region of all sorts: words, or two that belong together, of the most of its APIs.

Called by `region_names.py`. Pure functions.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from toolplanner_core.curation.grouping.region_words import bound_words, key_of, words_of
from toolplanner_core.curation.naming.mixed_names import MIXED
from toolplanner_core.curation.naming.phrase_cutting import action_stem
from toolplanner_core.curation.naming.placeholders import TEST_WORDS, TESTS
from toolplanner_core.curation.naming.scoring import ONLY_LAST_STEMS

_WEAK = 0.5
_MANY, _FEWEST = 0.02, 2
"""What so many of a region's toolkits say is an example of what is in it."""
_VENDOR = 0.05
"""A name of a vendor is one where so much of the region is its own."""


def weight_of(word: str) -> float:
    """How much a word counts; less if it says little alone ("users")."""
    return _WEAK if action_stem(word) in ONLY_LAST_STEMS else 1.0


def examples_of(
    names: Sequence[str], sizes: Sequence[int], usual: Callable[[str], bool]
) -> list[str]:
    """Words and pairs of words, those of the most APIs first.

    Args:
        names: of the region's toolkits.
        sizes: how many APIs each has; large toolkits count more, but not as much more.
        usual: whether a word is one that people use, and no vendor's.
    """
    pairs = bound_words(names)
    worth: defaultdict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    total = 0.0
    for name, size in zip(names, sizes, strict=True):
        own = math.sqrt(size)
        total += own
        said = [] if name.startswith((MIXED, TESTS)) else words_of(name)
        for word in {key_of(each): each for each in said}.values():
            phrase = pairs.get(word.casefold(), word)
            key = key_of(phrase)
            written.setdefault(key, Counter())[phrase] += 1
            worth[key] += own
            times[key] += 1
    forms = {key: counts.most_common(1)[0][0] for key, counts in written.items()}
    least = max(_MANY * len(names), _FEWEST)
    able = [
        key
        for key, form in forms.items()
        if times[key] >= least
        and not form.lower().startswith(TEST_WORDS)
        and (" " in form or usual(form) or worth[key] >= _VENDOR * total)
    ]
    able.sort(key=lambda key: (-worth[key] * weight_of(forms[key]), key))
    return [forms[key] for key in able]
