"""Changes by words as rich text: what goes is struck out, what comes underlined."""

import html

_TAGS = {"[-": "<s>", "-]": "</s>", "{+": "<b><u>", "+}": "</u></b>"}


def diff_as_html(marked: str) -> str:
    """A text with the marks of `words/word_diff.py`; the words of strangers stay plain text."""
    text = html.escape(marked)
    for mark, tag in _TAGS.items():
        text = text.replace(mark, tag)
    return text
