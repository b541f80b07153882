"""Proposes names while one is typed, wherever in the name the typed text stands."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCompleter


def name_completer(names: Iterable[str], parent: QObject) -> QCompleter:
    """A completer over some hundred names, in alphabetical order."""
    completer = QCompleter(sorted(names), parent)
    completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    return completer
