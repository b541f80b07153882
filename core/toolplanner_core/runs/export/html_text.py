"""Text from anywhere, made safe to stand in an HTML file.

Nothing of a run is ever written into the file but through `safe`: markup is escaped, and characters
that act instead of showing (controls, direction overrides, zero-width ones, halves of surrogate
pairs) are replaced by visible signs.
"""

import html

from toolplanner_core.words.acting import visible


def safe(text: object) -> str:
    """Escaped for text and for quoted attributes."""
    return html.escape(visible(str(text)), quote=True)


def one_line(text: object) -> str:
    """Safe, without line ends."""
    return safe(" ".join(str(text).split()))
