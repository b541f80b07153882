"""Characters that act instead of showing, in what is written down for people to read.

Controls, direction overrides, zero-width ones and halves of surrogate pairs: a name could read
otherwise than it is written, or steer the terminal or table that shows it.
"""

import re

_CONTROL_PICTURES = 0x2400
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with visible signs in their place; tabs and line ends stay."""
    return _ACTING.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩"
