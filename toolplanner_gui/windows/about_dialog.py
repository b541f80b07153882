"""The about box."""

import platform

from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QWidget

from toolplanner_core.resources import build_info
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin


class AboutDialog(Dialog):
    """Name, version, what it stands on."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "About ToolPlanner")
        self.setMinimumWidth(420)
        self.column.addWidget(text_label("ToolPlanner", role="title"))
        for text in (
            f"Version {build_info()}",
            "A desktop workbench for people who put large tool catalogues in front of language"
            " models. MIT licence.",
            "Toolkits and planning after Tool-Planner: Task Planning with Clusters across Multiple"
            " Tools (arXiv 2406.03807).",
            f"Python {platform.python_version()}, Qt {qVersion()}",
        ):
            self.paragraph(text, role="dim")
        self.column.addStretch(1)
        self.add_buttons(None, "Close")


PLUGIN = DialogPlugin.of(dialog_commands.about, AboutDialog)
