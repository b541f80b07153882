"""Contrast of the two themes, and that there is one file with colours."""

import re
from pathlib import Path

import pytest
from fixtures.contrast import contrast

import toolplanner_gui
from toolplanner_gui.theme.tokens import COLOUR_NAMES, THEMES, Tokens

GROUNDS = ("background", "panel", "raised", "hover", "map")
MARKS = ("ok", "failed", "fell_back", "replanned", "running", "paused", "answered", "waiting")


@pytest.mark.parametrize("tokens", THEMES.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", ["text", "dim"])
def test_text_on_every_ground_has_a_contrast_of_4_5(tokens: Tokens, ground: str, text: str) -> None:
    assert contrast(tokens.colour(text), tokens.colour(ground)) >= 4.5


@pytest.mark.parametrize("tokens", THEMES.values(), ids=lambda t: t.name)
def test_text_on_selection_and_accent_has_a_contrast_of_4_5(tokens: Tokens) -> None:
    assert contrast(tokens.text, tokens.selection) >= 4.5
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5
    assert contrast(tokens.on_accent, tokens.accent_hover) >= 4.5
    assert contrast(tokens.accent, tokens.panel) >= 4.5


@pytest.mark.parametrize("tokens", THEMES.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("mark", MARKS)
def test_marks_on_the_panel_have_a_contrast_of_3(tokens: Tokens, mark: str) -> None:
    for ground in ("panel", "background", "raised", "map"):
        assert contrast(tokens.colour(mark), tokens.colour(ground)) >= 3


@pytest.mark.parametrize("tokens", THEMES.values(), ids=lambda t: t.name)
def test_every_colour_is_written_in_full(tokens: Tokens) -> None:
    for name in COLOUR_NAMES:
        assert re.fullmatch(r"#[0-9a-f]{6}", tokens.colour(name)), name


def test_no_colour_stands_outside_the_tokens() -> None:
    root = Path(toolplanner_gui.__file__).parent
    # The map's palette of toolkit colours is data of its own, with its own test.
    allowed = {root / "theme" / "tokens.py", root / "map" / "toolkit_colours.py"}
    found = [
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if path not in allowed
        and re.search(r"[\"']#[0-9a-fA-F]{3,8}[\"';]", path.read_text("utf-8"))
    ]
    assert found == []
