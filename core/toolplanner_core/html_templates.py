"""HTML pages from the templates of `resources/templates`, with jinja2.

Whatever a template writes is made safe on its way, and no template or caller has to think of it:
markup is escaped, for text and for quoted attributes alike, and in the finished page characters
that act instead of showing (controls, direction overrides, zero-width ones, halves of surrogate
pairs) become visible signs. Only what is `Markup` already, such as the output of a macro, is not
escaped again.

Called by whoever exports a page; jinja2 is imported at the first one.
"""

from functools import cache
from typing import TYPE_CHECKING

from toolplanner_core.resources import resource_root
from toolplanner_core.words.sanitizing import show_control_characters

if TYPE_CHECKING:
    from jinja2 import Environment


def render_html(template: str, **values: object) -> str:
    """The page of a template with these values.

    Args:
        template: its file name.
        values: by the names that the template has for them; `Markup` is written as it is.

    Raises:
        jinja2.UndefinedError: the template names a value that is not given.
    """
    # At once and last: neither step makes anything that the other one would have to change.
    return show_control_characters(_templates().get_template(template).render(**values))


def one_line(text: object) -> str:
    """The text without line ends, tabs and runs of blanks."""
    return " ".join(str(text).split())


@cache
def _templates() -> "Environment":
    """Each is compiled at its first use; a name that one misspells is an error, never empty.

    Filters beside jinja2's own: `one_line`, and `thousands` (1234567 as 1,234,567).
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(resource_root() / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    templates.filters["one_line"] = one_line
    templates.filters["thousands"] = "{:,}".format
    return templates
