"""Text from anywhere, made safe to stand in an HTML file.

Nothing of a run is ever written into the file but through `safe`: markup is escaped, and characters
that act instead of showing (controls, direction overrides, zero-width ones, halves of surrogate
pairs) are replaced by visible signs.
"""

import html
import re

_CONTROL_PICTURES = 0x2400
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def safe(text: object) -> str:
    """Escaped for text and for quoted attributes."""
    return html.escape(_ACTING.sub(_shown, str(text)), quote=True)


def one_line(text: object) -> str:
    """Safe, without line ends."""
    return safe(" ".join(str(text).split()))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < ord(" "):
        return chr(_CONTROL_PICTURES + code)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩"
