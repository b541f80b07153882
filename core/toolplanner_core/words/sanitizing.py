"""Texts of others made safe to show: control characters made visible, no formula in a spreadsheet
cell, no markup where none can be shown (tooltips, one-line places).
"""

import re

_CONTROL_PICTURES = 0x2400
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def show_control_characters(text: str) -> str:
    """The text with visible signs in their place; tabs and line ends stay."""
    return _ACTING.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩"


_BEGINNINGS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def spreadsheet_cell(text: str) -> str:
    """Text in one line that no spreadsheet takes for a formula.

    Source: OWASP, "CSV Injection": cells that begin with = + - @, in either width, get an
    apostrophe; tabs and line breaks are spaces here.
    """
    line = show_control_characters(" ".join(text.split()))
    return f"'{line}" if line.startswith(_BEGINNINGS) else line


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


def strip_markup(text: str) -> str:
    """The text without the marks of Markdown and HTML; lines stay lines."""
    if not any(mark in text for mark in "*`#<[-+"):
        return text
    text = _TAG.sub("", _BREAK.sub("\n", text))
    text = _LINK.sub(r"\1", _FENCE.sub("", text))
    text = _ITEM.sub(r"\1• ", _HEADING.sub("", text))
    text = _SLANTED.sub(r"\1", _PAIRED.sub(r"\2", text))
    return _EMPTY_LINES.sub("\n\n", text).strip()
