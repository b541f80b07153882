"""The guide: its pages (`resources/guide`, Markdown), in the order in which one reads them, and the
same pages as HTML.

Each page says in its first comment which panels and dialogs it explains, so that the window opens
it at the place where one is. Pages are held by tests: the commands in them are run, the entries of
menus and the keys are there, the pictures are made anew and compared.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from toolplanner_core.resources import resource_root

_EXPLAINS = re.compile(r"<!-- explains:(.*?)-->\n", re.DOTALL)
_KEYS = re.compile(r"<strong>((?:Ctrl\+|Shift\+)*(?:F\d\d?|[A-Z0-9]|Return|Delete))</strong>")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidePage:
    """A page of the guide.

    Attributes:
        id: name of the file without its number, such as "first-map".
        text: all of it, Markdown.
        explains: ids of the panels and dialogs that it is about.
    """

    id: str
    title: str
    text: str
    explains: frozenset[str]

    @property
    def tasks(self) -> Sequence[str]:
        """The headings below the title: what can be done by it."""
        return [line[3:] for line in self.text.splitlines() if line.startswith("## ")]


def guide_folder() -> Path:
    """Where pages and pictures are."""
    return resource_root() / "guide"


@cache
def guide_pages() -> Sequence[GuidePage]:
    """All pages, the first one first."""
    return [_read(path) for path in sorted(guide_folder().glob("*.md"))]


def page_about(place: str) -> GuidePage:
    """The page that explains a panel or dialog; the first one where none does."""
    pages = guide_pages()
    return next((page for page in pages if place in page.explains), pages[0])


def _read(path: Path) -> GuidePage:
    text = path.read_text("utf-8")
    found = _EXPLAINS.search(text)
    return GuidePage(
        id=path.stem.partition("-")[2],
        title=text.partition("\n")[0].removeprefix("# "),
        text=_EXPLAINS.sub("", text),
        explains=frozenset(found[1].split() if found else ()),
    )


def page_as_html(page: GuidePage, *, picture: Callable[[str], str]) -> str:
    """The body of a page.

    Args:
        picture: the address of a picture, of its name without ".png" such as "first-map".
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark")

    def draw(renderer: Any, tokens: Sequence[Any], at: int, *rest: Any) -> str:
        tokens[at].attrSet("src", picture(Path(str(tokens[at].attrs["src"])).stem))
        return renderer.image(tokens, at, *rest)

    reader.add_render_rule("image", draw)
    return _KEYS.sub(r"<kbd>\1</kbd>", reader.render(page.text))
