"""A region: rename it, merge it into another one, pin it, or put the chosen toolkits into it."""

from collections import Counter
from functools import partial

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.region import (
    MergeRegions,
    MoveToRegion,
    PinRegions,
    RenameRegion,
)
from toolplanner_core.domain.ids import RegionId
from toolplanner_core.words.wording import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.boxes import form_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialog import EditDialog

_WIDTH = 420
_RENAME, _MERGE, _PIN, _FILL = "rename", "merge", "pin", "fill"


class RegionDialog(EditDialog):
    """One thing done to one region; at first the one of the selection."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Region", verb="Change")
        self.setMinimumWidth(_WIDTH)
        toolkits = context.chosen.toolkits or tuple(t for t, _ in context.chosen.shares)
        self._toolkits = tuple(toolkit.id for toolkit in toolkits)
        self.region, self.other = (named(QComboBox(), "Region"), named(QComboBox(), "Into"))
        for region, fields in context.catalogue.regions.items():
            self.region.addItem(fields.name, region)
            self.other.addItem(fields.name, region)
        self.what = named(QComboBox(), "Do")
        self.name = named(QLineEdit(), "Name")
        self._form = form_of(
            ("Region", self.region), ("Do", self.what), ("Name", self.name), ("Into", self.other)
        )
        self.column.addLayout(self._form)
        self.add_ending()
        self.region.setCurrentIndex(max(0, self.region.findData(self._most_chosen())))
        self._on_region()
        self.region.currentIndexChanged.connect(lambda _i: self._on_region())
        for field in (self.what, self.other):
            field.currentIndexChanged.connect(lambda _i: self._on_what())
        self.name.textChanged.connect(lambda _text: self.refresh())

    def edit(self) -> Edit | None:
        """What is asked for."""
        region: RegionId | None = self.region.currentData()
        what: str | None = self.what.currentData()
        if region is None or what is None:
            return None
        if what == _RENAME and self._is_same_name:
            return None
        pinned = self.context.catalogue.regions[region].is_pinned
        make = {
            _RENAME: partial(RenameRegion, region=region, name=self.name.text()),
            _MERGE: partial(MergeRegions, regions=(region,), into=self.other.currentData()),
            _PIN: partial(PinRegions, regions=(region,), is_pinned=not pinned),
            _FILL: partial(MoveToRegion, toolkits=self._toolkits, region=region),
        }
        return make[what]()

    def hint(self) -> str:
        """Why there is nothing to do."""
        if self.region.currentData() is not None:
            return "Nothing changes: it has this name."
        return "There are no regions: they are for workspaces with many toolkits."

    @property
    def _is_same_name(self) -> bool:
        fields = self.context.catalogue.regions[self.region.currentData()]
        return " ".join(self.name.text().split()) == fields.name

    def _most_chosen(self) -> RegionId | None:
        region_of = self.context.catalogue.region_of
        counts = Counter(region_of[t] for t in self._toolkits if t in region_of)
        return max(counts, key=lambda region: counts[region], default=None)

    def _on_region(self) -> None:
        fields = self.context.catalogue.regions.get(self.region.currentData())
        self.name.setText("" if fields is None else fields.name)
        was = self.what.currentData()
        pin = "Unpin" if fields is not None and fields.is_pinned else "Pin"
        self.what.clear()
        for title, what in (("Rename", _RENAME), ("Merge into another", _MERGE), (pin, _PIN)):
            self.what.addItem(title, what)
        if self._toolkits:
            chosen = counted(len(self._toolkits), "chosen toolkit")
            self.what.addItem(f"Put {chosen} here", _FILL)
        self.what.setCurrentIndex(max(0, self.what.findData(was)))
        self._on_what()

    def _on_what(self) -> None:
        for field, what in ((self.name, _RENAME), (self.other, _MERGE)):
            self._form.setRowVisible(field, self.what.currentData() == what)
        self.refresh()


PLUGIN = DialogPlugin(id="region", make=RegionDialog)
