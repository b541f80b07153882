"""Toolkits to choose one from: ranked by similarity, narrowed while a name is typed."""

from collections.abc import Collection, Mapping, Sequence

from toolplanner_core.curation.grouping.toolkit_sums import Similar
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.wording import count, one_line, score
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import Row

_LIMIT = 60


def choice_rows(
    toolkits: Sequence[Toolkit],
    ranked: Sequence[Similar],
    text: str,
    *,
    colours: Mapping[ToolkitId, str],
    without: Collection[ToolkitId] = (),
) -> list[Row]:
    """Name, size and similarity of the toolkits whose name holds all words of `text`.

    The similar ones come first, the others by name; a name that begins with the text comes before
    all.
    """
    cosine = {similar.toolkit: similar.cosine for similar in ranked}
    words = text.casefold().split()
    found = [
        toolkit
        for toolkit in toolkits
        if toolkit.id not in without and all(word in toolkit.name.casefold() for word in words)
    ]
    start = text.casefold().strip()
    found.sort(
        key=lambda t: (
            not (start and t.name.casefold().startswith(start)),
            -cosine.get(t.id, -1.0),
            t.name.casefold(),
        )
    )
    return [_row(toolkit, cosine.get(toolkit.id), colours) for toolkit in found[:_LIMIT]]


def _row(toolkit: Toolkit, cosine: float | None, colours: Mapping[ToolkitId, str]) -> Row:
    colour = colours.get(toolkit.id)
    return Row(
        cells=(
            one_line(toolkit.name),
            count(toolkit.size),
            "" if cosine is None else score(cosine),
        ),
        key=toolkit.id,
        icon=None if colour is None else lambda: swatch(colour),
        tooltip=f"{toolkit.name}\n{toolkit.description}".strip(),
    )
