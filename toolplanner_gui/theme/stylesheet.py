"""The short style sheet of the window, generated from the tokens; called by `theme`.

Fusion and the palette do most; here is only what they cannot: flat fields with round corners, no
boxes in boxes, one look of lists, tabs and splitters. The chevrons are files because style sheets
take images by path only.
"""

from pathlib import Path

from toolplanner_gui.theme.tokens import RADIUS, ROW_HEIGHT, Tokens


def make_stylesheet(tokens: Tokens, *, down: Path, right: Path, check: Path) -> str:
    """The style sheet of a theme.

    Args:
        down: picture of a chevron pointing down, 16 px, in the dim colour.
        right: the same pointing right.
        check: a check mark in the colour that stands on the accent.
    """
    t = tokens
    return f"""
QMainWindow, QMainWindow::separator {{ background: {t.background}; }}
QMainWindow::separator {{ width: 1px; height: 1px; background: {t.line}; }}
QMainWindow::separator:hover {{ background: {t.accent}; }}
QSplitter::handle {{ background: {t.line}; }}
QToolTip {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line}; padding: 4px; }}

QLabel[role="heading"] {{ font-size: 10.5pt; font-weight: 600; }}
QLabel[role="title"] {{ font-size: 16pt; font-weight: 600; }}
QLabel[role="section"] {{ color: {t.dim}; font-weight: 600; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="dim"] {{ color: {t.dim}; }}
QLabel[role="problem"] {{ background: transparent; border-left: 3px solid {t.failed};
  padding-left: 6px; }}

QMenuBar {{ background: {t.background}; border-bottom: 1px solid {t.line}; }}
QMenuBar::item {{ background: transparent; padding: 4px 8px; border-radius: {RADIUS}px; }}
QMenuBar::item:selected {{ background: {t.selection}; }}
QMenu {{ background: {t.raised}; border: 1px solid {t.line}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 8px; border-radius: {RADIUS}px; }}
QMenu::item:selected {{ background: {t.selection}; }}
QMenu::item:disabled {{ color: {t.waiting}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 6px; }}

QToolBar {{ background: {t.panel}; border: none; border-bottom: 1px solid {t.line};
  spacing: 4px; padding: 4px; }}
QStatusBar {{ background: {t.panel}; border-top: 1px solid {t.line}; color: {t.dim}; }}
QStatusBar::item {{ border: none; }}

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox, QPlainTextEdit[role="field"] {{
  background: {t.raised}; border: 1px solid {t.field_line}; border-radius: {RADIUS}px;
  padding: 3px 8px; selection-background-color: {t.accent}; selection-color: {t.on_accent}; }}
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{ min-height: 22px; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QPlainTextEdit[role="field"]:focus {{ border: 1px solid {t.accent}; }}
QLineEdit:disabled, QComboBox:disabled {{ color: {t.waiting}; background: {t.background}; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; padding: 0px;
  background: transparent; min-height: 0px; }}
QAbstractSpinBox QLineEdit {{ padding-left: 6px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0px; border: none; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{ image: url("{down.as_posix()}"); width: 16px; height: 16px; }}
QComboBox QAbstractItemView {{ background: {t.raised}; border: 1px solid {t.line};
  selection-background-color: {t.selection}; selection-color: {t.text}; padding: 4px; }}

QPushButton {{ background: {t.raised}; border: 1px solid {t.field_line};
  border-radius: {RADIUS}px; padding: 4px 12px; min-height: 20px; }}
QPushButton:hover {{ background: {t.hover}; }}
QPushButton:pressed {{ background: {t.selection}; }}
QPushButton:focus {{ border: 1px solid {t.accent}; outline: none; }}
QPushButton:disabled {{ color: {t.waiting}; background: {t.background};
  border-color: {t.line}; }}
QPushButton[role="primary"] {{ background: {t.accent}; color: {t.on_accent};
  border: 1px solid {t.accent}; font-weight: 600; }}
QPushButton[role="primary"]:hover {{ background: {t.accent_hover}; }}
QPushButton[role="primary"]:focus {{ border: 1px solid {t.text}; }}
QPushButton[role="primary"]:disabled {{ background: {t.background}; color: {t.waiting};
  border-color: {t.line}; }}
QPushButton[role="link"] {{ background: transparent; border: 1px solid transparent;
  color: {t.accent}; padding: 2px 0px; text-align: left; }}
QPushButton[role="link"]:hover {{ text-decoration: underline; }}
QPushButton[role="link"]:focus {{ border: 1px solid {t.accent}; }}

QToolButton {{ background: transparent; border: 1px solid transparent;
  border-radius: {RADIUS}px; padding: 3px; }}
QToolButton:hover {{ background: {t.hover}; }}
QToolButton:pressed, QToolButton:checked {{ background: {t.selection}; }}
QToolButton:focus {{ border: 1px solid {t.accent}; }}
QToolButton[role="tab"] {{ padding: 4px 10px; }}
QToolButton[role="field"] {{ background: {t.raised}; border: 1px solid {t.field_line};
  padding: 4px 8px; }}
QToolButton[role="field"]:focus {{ border: 1px solid {t.accent}; }}
QToolButton::menu-indicator {{ image: none; width: 0px; }}

QTreeView, QListView, QTableView {{ background: {t.panel}; border: none; outline: none;
  selection-background-color: {t.selection}; selection-color: {t.text}; }}
QTreeView::item, QListView::item, QTableView::item {{ height: {ROW_HEIGHT}px; border: none; }}
QTreeView::item {{ padding-right: 10px; }}
QTableView::item {{ padding-left: 10px; padding-right: 10px; }}
QTreeView[flat="true"]::item {{ padding-left: 10px; }}
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover {{
  background: {t.hover}; }}
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{
  background: {t.selection}; color: {t.text}; }}
QTreeView:focus, QListView:focus, QTableView:focus {{ border: 1px solid {t.accent}; }}
QTreeView, QListView, QTableView {{ border: 1px solid transparent; }}
QTreeView::branch {{ background: {t.panel}; }}
QTreeView::branch:selected {{ background: {t.selection}; }}
QTreeView::branch:hover:!selected {{ background: {t.hover}; }}
QTreeView::branch:closed:has-children {{ image: url("{right.as_posix()}"); }}
QTreeView::branch:open:has-children {{ image: url("{down.as_posix()}"); }}
QHeaderView {{ background: {t.panel}; border: none; }}
QHeaderView::section {{ background: {t.panel}; color: {t.dim}; border: none;
  border-bottom: 1px solid {t.line}; padding: 4px 10px; }}
QHeaderView::down-arrow, QHeaderView::up-arrow {{ width: 0px; height: 0px; }}

QTabWidget::pane {{ border: none; border-top: 1px solid {t.line}; }}
QTabBar {{ background: {t.panel}; }}
QTabBar::tab {{ background: transparent; color: {t.dim}; padding: 5px 10px;
  border: none; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:focus {{ color: {t.accent}; }}

QPlainTextEdit, QTextEdit {{ background: {t.panel}; border: 1px solid transparent;
  selection-background-color: {t.accent}; selection-color: {t.on_accent}; }}
QPlainTextEdit:focus {{ border: 1px solid {t.accent}; }}
QPlainTextEdit[role="code"] {{ background: {t.background}; border-radius: {RADIUS}px;
  padding: 4px; }}
QScrollArea, QScrollArea > QWidget > QWidget[role="page"] {{ background: {t.panel};
  border: none; }}

QFrame[role="card"] {{ background: {t.raised}; border: 1px solid {t.line};
  border-radius: {RADIUS}px; }}
QFrame[role="card"] QScrollArea, QFrame[role="card"] QScrollArea > QWidget > QWidget {{
  background: transparent; }}
QFrame[role="message"] {{ border: none; border-left: 3px solid {t.line}; }}
QFrame[role="message"][speaker="user"] {{ border-left-color: {t.dim}; }}
QFrame[role="message"][speaker="note"] {{ border-left-color: {t.failed}; }}
QFrame[role="message"][speaker="assistant"] {{ border-left-color: {t.accent}; }}
QFrame[role="banner"] {{ background: {t.raised}; border: 1px solid {t.failed};
  border-radius: {RADIUS}px; }}
QFrame[role="rule"] {{ background: {t.line}; border: none; }}
QWidget[role="panel"] {{ background: {t.panel}; }}
QWidget[role="map"] {{ background: {t.map}; }}

QProgressBar {{ background: {t.line}; border: none; border-radius: 3px; max-height: 6px;
  min-height: 6px; text-align: center; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}

QCheckBox::indicator, QTreeView::indicator {{ width: 14px; height: 14px;
  border: 1px solid {t.waiting}; border-radius: 3px; background: {t.raised}; }}
QCheckBox::indicator:checked, QTreeView::indicator:checked {{ background: {t.accent};
  border-color: {t.accent}; image: url("{check.as_posix()}"); }}
QCheckBox::indicator:focus {{ border-color: {t.accent}; }}

QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.field_line}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 24px; }}
QScrollBar::handle:horizontal {{ min-width: 24px; }}
QScrollBar::handle:hover {{ background: {t.waiting}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
