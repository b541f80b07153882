"""Categories in plain words, as the trade that a tool is of: "finance", "AI".

Called where no subject is common to a toolkit or to a region.
"""

from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC

_SAYS_NOTHING = GENERIC | FUNCTION_WORDS | {"database", "customized", "search"}
"""Words that a category may have and still be none: "Other", "Data"."""
_PLAINER = {
    "artificial intelligence machine learning": "AI",
    "business software": "business",
    "financial": "finance",
    "health and fitness": "fitness",
    "news media": "news",
    "sms": "SMS",
    "text analysis": "text",
    "video images": "video",
    "visual recognition": "image recognition",
}
"""How categories of ToolBench are said among others."""


def trade_of(category: str) -> str:
    """The category in plain words; "" if it says nothing."""
    written = category.replace("_", " ").lower()
    written = _PLAINER.get(written, written)
    return "" if _SAYS_NOTHING.issuperset(written.split()) else written
