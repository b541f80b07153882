"""The one file with colours and spaces: everything drawn reads these tokens.

Why one file: the theme can be switched live, and contrast is checked by one test over this table.
The state colours of the light theme are darker than those of the dark one, so that marks keep a
contrast of 3 : 1 on their own background. Source: design/look.md.
"""

from dataclasses import dataclass, fields

SPACE = 4
"""Base of all distances, pixels."""
GAP = 8
"""Between things that belong together."""
EDGE = 12
"""To the edge of a panel."""
RADIUS = 5
ROW_HEIGHT = 24
"""Height of a row in lists and trees, pixels; also the smallest target."""
ICON_SIZE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The colours of one theme, as "#rrggbb"."""

    name: str
    is_dark: bool
    background: str
    panel: str
    raised: str
    map: str
    line: str
    field_line: str
    text: str
    dim: str
    accent: str
    accent_hover: str
    on_accent: str
    selection: str
    hover: str
    ok: str
    failed: str
    fell_back: str
    replanned: str
    running: str
    paused: str
    answered: str
    waiting: str

    def colour(self, token: str) -> str:
        """The colour called `token`; used where the name is data (states, icons)."""
        value = getattr(self, token)
        assert isinstance(value, str), token
        return value


LIGHT = Tokens(
    name="light",
    is_dark=False,
    background="#f3f4f6",
    panel="#ffffff",
    raised="#ffffff",
    map="#fbfbfc",
    line="#d9dde3",
    field_line="#c3c9d1",
    text="#1c2127",
    dim="#5f6975",
    accent="#1f6fc4",
    accent_hover="#1a60ab",
    on_accent="#ffffff",
    selection="#d7e7f8",
    hover="#edf1f5",
    ok="#278b5a",
    failed="#d9452f",
    fell_back="#b4730b",
    replanned="#a650b7",
    running="#2d7fd3",
    paused="#21919d",
    answered="#6d7a12",
    waiting="#78828f",
)

DARK = Tokens(
    name="dark",
    is_dark=True,
    background="#16191d",
    panel="#1d2126",
    raised="#252a31",
    map="#121518",
    line="#333a43",
    field_line="#434c57",
    text="#e6e9ed",
    dim="#98a2ae",
    accent="#4c9be8",
    accent_hover="#6aaef0",
    on_accent="#0d1722",
    selection="#2b4a6b",
    hover="#272d34",
    ok="#2fa36b",
    failed="#e0533d",
    fell_back="#e39a1c",
    replanned="#b565c9",
    running="#3b8fe0",
    paused="#3fb8c4",
    answered="#b3bd45",
    waiting="#8c96a3",
)

_in_force = [LIGHT]


def current_tokens() -> Tokens:
    """The tokens of the theme in force: for what is drawn now, never to be kept."""
    return _in_force[0]


def set_current_tokens(tokens: Tokens) -> None:
    """Let everything that is drawn from now on have these colours; called by `Theme`."""
    _in_force[0] = tokens


THEMES = {"light": LIGHT, "dark": DARK}

COLOUR_NAMES = tuple(f.name for f in fields(Tokens) if f.name not in ("name", "is_dark"))
