"""Documentation as people read it where no markup can be shown: tooltips and one-line places.

Only what is certainly markup goes; names with stars, underscores or angle brackets stay.
"""

import re

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_BREAK = re.compile(r"<(?:br|/p|/li|/div|/h[1-6]|/tr)\s*/?>", flags=re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|i|p|em|li|ol|ul|tr|td|th|div|pre|img|code|font|span|small|strong|table|h[1-6])"
    r"(?:\s[^<>]{0,300})?/?>",
    flags=re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*```\w*[ \t]*\n?", flags=re.MULTILINE)
_PAIRED = re.compile(r"(\*\*|``|`)(\S(?:.*?\S)?)\1", flags=re.DOTALL)
_SLANTED = re.compile(r"(?<![\w*])\*(\w(?:[^*\n]*\w)?)\*(?![\w*])")
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", flags=re.MULTILINE)
_ITEM = re.compile(r"^([ \t]*)[*+-][ \t]+", flags=re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


def unmarked(text: str) -> str:
    """The text without the marks of Markdown and HTML; lines stay lines."""
    if not any(mark in text for mark in "*`#<[-+"):
        return text
    text = _TAG.sub("", _BREAK.sub("\n", text))
    text = _LINK.sub(r"\1", _FENCE.sub("", text))
    text = _ITEM.sub(r"\1• ", _HEADING.sub("", text))
    text = _SLANTED.sub(r"\1", _PAIRED.sub(r"\2", text))
    return _EMPTY_LINES.sub("\n\n", text).strip()
