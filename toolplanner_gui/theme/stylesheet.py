"""The short style sheet of the window: `resources/styles/window.qss` with the tokens filled in.

Fusion and the palette do most; there is only what they cannot: flat fields with round corners, no
boxes in boxes, one look of lists, tabs and splitters.
"""

from dataclasses import asdict
from string import Template

from toolplanner_core.resources import resource_root
from toolplanner_gui.theme.tokens import RADIUS, ROW_HEIGHT, Tokens


def make_stylesheet(tokens: Tokens, *, down: str, right: str, check: str) -> str:
    """The style sheet of a theme.

    Args:
        down: path of a picture of a chevron pointing down, 16 px, in the dim colour.
        right: the same pointing right.
        check: a check mark in the colour that stands on the accent.
    """
    sheet = resource_root() / "styles" / "window.qss"
    return Template(sheet.read_text(encoding="utf-8")).substitute(
        asdict(tokens), radius=RADIUS, row_height=ROW_HEIGHT, down=down, right=right, check=check
    )
