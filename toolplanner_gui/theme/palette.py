"""The tokens as a `QPalette`, so that everything the style draws itself fits; called by `theme`."""

from PySide6.QtGui import QColor, QPalette

from toolplanner_gui.theme.tokens import Tokens


def make_palette(tokens: Tokens) -> QPalette:
    """The palette of a theme, for all colour groups."""
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: tokens.panel,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.background,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.dim,
        role.Text: tokens.text,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.failed,
        role.Light: tokens.raised,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.line,
        role.Shadow: tokens.line,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(tokens.waiting))
    return palette
