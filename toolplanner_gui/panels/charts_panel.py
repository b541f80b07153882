"""Charts of the toolkits: sizes, fit, silhouette, and how many toolkits would be good. Like map and
table they count what the filters let through: toolkits with an API that passes, or such APIs.

A click on a bar selects what it stands for. Silhouette and the sweeps over numbers of toolkits and
distances take a while on a large catalogue: they are computed as jobs when somebody asks.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtWidgets import QCheckBox, QComboBox

from toolplanner_core.clustering.ceiling import SHORTLIST
from toolplanner_core.clustering.quality import SweepPoint
from toolplanner_core.clustering.sweeping import SweptValue
from toolplanner_core.curation.looking.bars import (
    Bar,
    Silhouettes,
    cohesion_bars,
    measure_silhouettes,
    silhouette_bars,
    size_bars,
    toolkits_with,
    try_distances,
    try_toolkit_counts,
)
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.retrieval.ranked_queries import AskedQuery
from toolplanner_core.runs.export.demonstrations import answered_queries
from toolplanner_core.words.formatting import count, counted, score
from toolplanner_core.words.glossary import explain_term
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.bar_chart import BarChart, ChartBar
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label

_CHARTS = (
    ("sizes", "Sizes of toolkits"),
    ("cohesion", "Fit of toolkits"),
    ("silhouette", "Silhouette of APIs"),
    ("sweep", "Number of toolkits"),
    ("distances", "Distance of DBSCAN"),
)
_NONE_HAS_IT = " None has the 9 of the paper."
_NOTHING_PASSES = "No API that is in a toolkit passes the filter."


class ChartsPanel(Panel):
    """A choice of charts, the chart, and what it says in a line."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._bars: Sequence[Bar] = ()
        self._silhouette: Silhouettes | None = None
        self._sweep: list[SweepPoint] = []
        self._distances: list[SweptValue] = []
        self._proposed: float | None = None
        self._is_computing = False
        self.choice = QComboBox()
        self.choice.setAccessibleName("Which chart")
        for key, title in _CHARTS:
            self.choice.addItem(title, key)
        self.note = text_label(role="dim", is_wrapped=True)
        self.plain_check = QCheckBox("As k-means++ finds them")
        self.plain_check.setToolTip(
            "As the paper does it: groups are neither parted nor joined afterwards."
        )
        self.compute_button = push_button("Compute", self._on_compute)
        self.chart = BarChart("Chart of the toolkits")
        line = row_of(
            self.choice,
            (self.note, 1),
            self.plain_check,
            self.compute_button,
            margins=(EDGE, 0, EDGE, 0),
            gap=GAP,
        )
        column_of(line, (self.chart, 1), of=self, gap=GAP)
        self.choice.currentIndexChanged.connect(self.renew)
        self.plain_check.toggled.connect(self._on_plain)
        self.chart.chosen.connect(self._on_chosen)
        context.catalogue_changed.connect(self._forget)
        context.catalogue_edited.connect(self._on_edited)
        context.figures.changed.connect(self.mark_outdated)
        context.map_look.filters.changed.connect(self.mark_outdated)
        context.theme.dress(self, lambda: self.chart.set_tokens(context.theme.tokens))
        self.renew()

    def focus_chart(self) -> None:
        """Go to the chart."""
        self.chart.setFocus()

    def renew(self) -> None:
        """Draw the chosen chart anew."""
        kind = self.choice.currentData()
        catalogue = self.context.catalogue
        self.compute_button.setVisible(kind not in ("sizes", "cohesion"))
        self.plain_check.setVisible(kind == "sweep")
        self.plain_check.setEnabled(not self._is_computing)
        self.compute_button.setEnabled(bool(catalogue.toolkits) and not self._is_computing)
        if not catalogue.toolkits:
            self._show([], x="", y="", note="There are no toolkits yet.")
        elif kind in ("sizes", "cohesion"):
            self._show_toolkits(kind)
        elif kind == "silhouette":
            self._show_silhouette()
        elif kind == "distances":
            self._show_distances()
        else:
            self._show_sweep()

    def _show_toolkits(self, kind: str) -> None:
        shown, told = self._toolkits_let_through()
        if not shown:
            self._show([], x="", y="", note=_NOTHING_PASSES)
        elif kind == "sizes":
            mean = float(np.mean([toolkit.size for toolkit in shown]))
            note = f"{told or counted(len(shown), 'toolkit')} of {mean:.1f} APIs on average."
            bars = size_bars(shown)
            is_seen = any(bar.is_marked and bar.count for bar in bars)
            note += " The paper's 9 per toolkit stands out." if is_seen else _NONE_HAS_IT
            if alone := sum(toolkit.size == 1 for toolkit in shown):
                note += f" {count(alone)} of one API: no fallback possible."
            self._show(bars, x="APIs in a toolkit", y="Toolkits", note=note)
        else:
            bars = cohesion_bars(shown, self.context.figures.cohesion)
            note = "How similar the APIs of a toolkit are. Click the lowest to see loose ones."
            note = f"{told} are counted. {note}" if told else note
            self._show(bars, x="Fit", y="Toolkits", note=note)

    def _toolkits_let_through(self) -> tuple[Sequence[Toolkit], str]:
        """The toolkits that are counted, and how many of how many that are; "" for all."""
        catalogue = self.context.catalogue
        without_point = np.array(list(catalogue.others), np.int64)
        rowids = np.concatenate([catalogue.rowids, without_point])
        mask = self.context.map_look.filters.mask(rowids)
        if mask is None:
            return catalogue.toolkits, ""
        shown = toolkits_with(catalogue, rowids[mask])
        of = counted(len(catalogue.toolkits), "toolkit")
        return shown, f"{count(len(shown))} of {of}, those with an API that passes the filter,"

    def _show_silhouette(self) -> None:
        if self._silhouette is None:
            self._show([], x="", y="", note="Compute it to see which APIs fit badly.")
            return
        (values, rowids), told = self._silhouette, ""
        mask = self.context.map_look.filters.mask(rowids)
        if mask is not None:
            told = f"{count(int(mask.sum()))} of {counted(len(rowids), 'API')} pass the filter. "
            values, rowids = values[mask], rowids[mask]
        if not len(values):
            self._show([], x="", y="", note=_NOTHING_PASSES)
            return
        bad = int(np.count_nonzero(values < 0))
        nearer = counted(bad, "API is", "APIs are")
        note = f"{told}Mean {score(float(values.mean()))}. {nearer} nearer to another toolkit"
        bars = silhouette_bars(values, rowids)
        note += f" than to their own. {explain_term('Silhouette')}"
        self._show(bars, x="Silhouette", y="APIs", note=note)

    def _show_sweep(self) -> None:
        curve = self._sweep
        if not curve:
            text = "Compute it to see how size and silhouette change with the number of toolkits."
            self._show([], x="", y="", note=text)
            return
        bars = [_sweep_bar(point) for point in curve]
        best = max(curve, key=lambda point: point.silhouette or -1.0)
        so_far = " so far" if self._is_computing else ""
        at = counted(best.groups, "toolkit")
        note = f"Best silhouette{so_far} {score(best.silhouette or 0.0)} at {at}"
        note += f", {count(best.singletons)} of one API.{_ceiling_words(best.ceiling)}"
        if not so_far and best in (curve[0], curve[-1]):
            note += " It is at the end of what was tried: others may be better."
        if any(point.is_papers for point in curve):
            note += " The paper's 9 per toolkit stands out."
        if len(self.context.map_look.filters):
            note += " All APIs count here, whatever the filter."
        self._show(bars, x="Toolkits (mean size)", y="Silhouette", note=note)

    def _show_distances(self) -> None:
        tried = self._distances
        if not tried:
            text = "Compute it to see what DBSCAN would make at several distances of APIs."
            self._show([], x="", y="", note=text)
            return
        best = max(tried, key=lambda one: one.silhouette or -1.0)
        note = f"Best silhouette {score(best.silhouette or 0.0)} at {best.value:g}: "
        note += f"{counted(best.groups, 'toolkit')}, {count(best.singletons)} of one API."
        note += _ceiling_words(best.ceiling)
        if self._proposed is not None:
            note += f" By the distances of these vectors {self._proposed:.2f} stands out."
        if all(2 * one.singletons > one.groups for one in tried):
            note += " Most toolkits hold one API at each of them: no fallback possible."
        bars = [_distance_bar(one, self._proposed) for one in tried]
        self._show(bars, x="Distance (toolkits)", y="Silhouette", note=note)

    def _show(self, bars: Sequence[Bar], *, x: str, y: str, note: str) -> None:
        self._bars = bars
        self.note.setText(note)
        self.chart.show_bars(
            [
                ChartBar(
                    label=bar.label,
                    height=bar.count if bar.height is None else bar.height,
                    is_marked=bar.is_marked,
                    tooltip=bar.meaning,
                    end=bar.end,
                )
                for bar in bars
            ],
            x=x,
            y=y,
        )

    def _on_chosen(self, position: int) -> None:
        bar = self._bars[position]
        selection = self.context.selection
        if bar.rowids is not None:
            made = {"by": "chart", "text": bar.meaning}
            selection.select_apis(bar.rowids, self, made=made)
        elif bar.toolkits:
            selection.select_toolkits(bar.toolkits, self)

    def _forget(self) -> None:
        self._silhouette, self._sweep, self._distances = None, [], []
        self.mark_outdated()

    def _on_edited(self) -> None:
        self._silhouette = None
        self.mark_outdated()

    def _on_plain(self) -> None:
        self._sweep = []
        self.renew()

    def _on_compute(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        if self.choice.currentData() == "silhouette":
            self._compute_silhouette(workspace, self.context.catalogue)
        elif self.choice.currentData() == "distances":
            self._compute_distances(workspace, self.context.catalogue)
        else:
            self._compute_sweep(workspace, self.context.catalogue)

    def _compute_silhouette(self, workspace: Workspace, catalogue: CuratedCatalogue) -> None:
        def work(progress: Progress) -> Silhouettes:
            return measure_silhouettes(workspace, catalogue, progress=progress)

        def done(found: Silhouettes) -> None:
            if catalogue is self.context.catalogue:
                self._silhouette = found
                self.renew()

        self._start("Measuring the silhouette", work, done)

    def _compute_sweep(self, workspace: Workspace, catalogue: CuratedCatalogue) -> None:
        self._sweep = []
        is_plain = self.plain_check.isChecked()

        def on_point(point: SweepPoint) -> None:
            if workspace is self.context.workspace:
                self._sweep = sorted([*self._sweep, point], key=lambda p: p.k)
                self.mark_outdated()

        def work(progress: Progress) -> int:
            return try_toolkit_counts(
                workspace,
                catalogue,
                progress=progress,
                is_plain=is_plain,
                asked=_answered(workspace),
                on_point=lambda point: self.context.calls.post(lambda: on_point(point)),
            )

        self._start("Trying numbers of toolkits", work, lambda _n: None)

    def _compute_distances(self, workspace: Workspace, catalogue: CuratedCatalogue) -> None:
        self._distances, self._proposed = [], None

        def on_point(point: SweptValue) -> None:
            if workspace is self.context.workspace:
                self._distances = sorted([*self._distances, point], key=lambda p: p.value)
                self.mark_outdated()

        def work(progress: Progress) -> float:
            return try_distances(
                workspace,
                catalogue,
                progress=progress,
                asked=_answered(workspace),
                on_point=lambda point: self.context.calls.post(lambda: on_point(point)),
            )

        def done(proposed: float) -> None:
            self._proposed = round(proposed, 2)
            self.renew()

        self._start("Trying distances of DBSCAN", work, done)

    def _start(
        self, title: str, work: Callable[[Progress], Any], done: Callable[[Any], None]
    ) -> None:
        job = self.context.jobs.start(title, work, is_asked_for=False)
        self._is_computing = True
        self.compute_button.setEnabled(False)
        self.plain_check.setEnabled(False)
        job.succeeded.connect(done)
        job.failed.connect(lambda error: self.context.job_failed(job, error))
        job.ended.connect(self._on_ended)

    def _on_ended(self) -> None:
        self._is_computing = False
        self.renew()  # what was said so far is all now


def _answered(workspace: Workspace) -> list[AskedQuery]:
    """What runs answered, with the keys of the APIs that served there."""
    return [(text, [keys]) for text, keys in answered_queries(workspace)]


def _ceiling_words(ceiling: float | None) -> str:
    """What no plan over a shortlist can go beyond; "" where no query's APIs are known."""
    if ceiling is None:
        return ""
    return f" A shortlist of {SHORTLIST} holds all APIs of {ceiling:.0%} of the answered queries."


def _distance_bar(one: SweptValue, proposed: float | None) -> Bar:
    said = "unknown" if one.silhouette is None else score(one.silhouette)
    return Bar(
        label=f"{one.value:g} ({count(one.groups)})",
        count=0,
        height=max(0.0, one.silhouette or 0.0),
        is_marked=one.value == proposed,
        meaning=f"{counted(one.groups, 'toolkit')}, the largest of {counted(one.largest, 'API')},"
        f" {count(one.singletons)} of one: silhouette {said}.{_ceiling_words(one.ceiling)}",
    )


def _sweep_bar(point: SweepPoint) -> Bar:
    silhouette = 0.0 if point.silhouette is None else point.silhouette
    said = "unknown" if point.silhouette is None else score(point.silhouette)
    return Bar(
        label=f"{count(point.groups)} ({point.mean_size:.0f})",
        count=0,
        height=max(0.0, silhouette),
        is_marked=point.is_papers,
        meaning=f"{counted(point.groups, 'toolkit')} of {point.mean_size:.1f} APIs on average,"
        f" {count(point.singletons)} of one: silhouette {said}.{_ceiling_words(point.ceiling)}",
    )
