"""The functionality text of an API by rule: what is embedded, hashed and clustered.

Tool-Planner clusters APIs by a short text about what each one does. Without a language model that
text is made here from the documentation: tool, name in words, description; parameters only where
nothing else says what the API is for. URLs, HTML and Markdown are noise to an embedder and go.

Source: Tool-Planner, arXiv 2406.03807, section 3.1 (functionality text per API).
"""

import html
import re
from functools import lru_cache

from toolplanner_core.domain.api import Api
from toolplanner_core.words.word_splitting import split_words, words_of_path, words_of_title

CAP = 400
"""Characters of a functionality text; all-MiniLM-L6-v2 reads about 256 word pieces of it."""
_ENOUGH = 25
"""Characters of description below which the tool's own description is added."""
_READ = 2_000
"""Characters of a description that are looked at."""

_CODE_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}[^)\n]{0,200}\)")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MARKS = re.compile(r"[*_~`#>|]{1,}(?=\W|$)|(?<!\w)[*_~`#>|]+|`|-{3,}|={3,}|\\[nrt]")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)|[。！？]")


@lru_cache(maxsize=256)  # the APIs of a tool share its description
def plain(text: str) -> str:
    """A description as one line of plain prose: no HTML, Markdown, code or URLs."""
    text = text[:_READ]
    if "```" in text:
        text = _CODE_FENCE.sub(" ", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "://" in text or "www." in text:
        text = _URL.sub(" ", text)
    return " ".join(_MARKS.sub(" ", text).split()).strip(" -:;,")


def functionality_of(api: Api) -> str:
    """One readable text of at most `CAP` characters that says what an API is for; never empty."""
    tool = _shorten(words_of_title(api.tool) or api.tool, 80)
    name = _shorten(words_of_path(api.name) or api.name, 120)
    text = f"{tool}: {name}" if _folded(name) != _folded(tool) else tool
    own = plain(api.description)
    if _folded(own) in {_folded(name), _folded(tool)}:
        own = ""
    about = own
    if len(own) < _ENOUGH:
        of_tool = plain(api.tool_description)
        if _folded(of_tool) not in {_folded(tool), _folded(own), ""}:
            about = f"{_with_stop(own)} {of_tool}".strip()
    if about:
        text = f"{_with_stop(text)} {about}"
    if len(about) < _ENOUGH and api.parameters.get("properties"):
        names = ", ".join(split_words(key) or key for key in list(api.parameters["properties"])[:8])
        text = f"{_with_stop(text)} Takes {names}"
    return _shorten(text, CAP)


@lru_cache(maxsize=256)  # compared more than once, the tool's for each of its APIs
def _folded(text: str) -> str:
    """For comparing: "MeteoNow", "Meteo Now" and "meteo_now" are the same; symbols count."""
    return split_words(text).replace(" ", "").casefold() or text


def _with_stop(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?", "。")) else f"{text}."


def _shorten(text: str, cap: int) -> str:
    """Cut at the last sentence end if it leaves most of the text, else between words."""
    if len(text) <= cap:
        return text
    head = text[:cap]
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] > cap * 0.6:
        return head[: ends[-1]]
    return head[: head.rfind(" ")] if " " in head[cap // 2 :] else head
