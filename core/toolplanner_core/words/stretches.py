"""The words of running text and of identifiers, one list for each stretch without punctuation."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:['’.+-][^\W_]+)*[+#]*")
_BREAK = re.compile(r"[.!?;:,()\[\]\"“”«»/\\\n\r\t•·–—&]+\s*|\s-\s")
_HUMPS = re.compile(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+",
    flags=re.UNICODE,
)
_HAN = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ff\uac00-\ud7af]+|[a-zA-Z0-9]+")
_HAS_HAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def humps(name: str) -> list[str]:
    """The pieces of an identifier, each of one script: "HTTPServer2" gives HTTP, Server,
    2; "GIFs" is one."""
    return _HUMPS.findall(name)


def words(text: str) -> Iterator[list[str]]:
    """The words of running text."""
    for stretch in _BREAK.split(text):
        if stretch:
            found = _WORD.findall(stretch)
            if _HAS_HAN.search(stretch):
                # Written without spaces: runs of ideographs between kana are the content words.
                found = [run for word in found for run in _HAN.findall(word)]
            if found:
                yield found


def identifier_words(text: str, whole: frozenset[str] = frozenset()) -> Iterator[list[str]]:
    """The words of an API's or tool's name: taken apart at humps, underscores and slashes.

    Args:
        text: such as "getExchangeRates", "/v1/rates/{base}" or "Exchange rates".
        whole: lower-case words that keep their humps and hyphens, such as "youtube", "covid-19".
    """
    for stretch in _BREAK.split(text.replace("_", " ")):
        found: list[str] = []
        for word in _WORD.findall(stretch):
            if word.lower() in whole or _HAS_HAN.search(word):
                found.append(word)
                continue
            for piece in word.split("-"):
                found.extend([piece] if piece.lower() in whole else humps(piece))
        if found:
            yield found
