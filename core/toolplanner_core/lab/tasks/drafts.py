"""Which APIs a task is drafted for, with which values, and its words where no model writes them.

Only APIs that read, that a toolkit holds and that nobody excluded are drawn: a draft is run. The
values are those of a recorded call that went well, else those that the documentation gives.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api, Risk, example_arguments, has_all_required
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.prompts.functions import WantedCall
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.recordings import Recording, good_recordings
from toolplanner_core.workspace.toolkits import plannable_labels

RECORDED, DOCUMENTED = "a recorded call", "documented values"
_LOOKED_AT = 20
"""Recordings of an API among which one is drawn."""
_LONGEST_VALUE = 60
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnApi:
    """An API with values that it is known to take.

    Attributes:
        origin: where these are from, "" = there are none.
    """

    api: Api
    toolkit: ToolkitId
    arguments: Mapping[str, Any]
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDraft:
    """A task that nobody has verified.

    Attributes:
        calls: that answer it, in their order.
        origin: who wrote it, and where its values are from.
    """

    text: str
    calls: tuple[WantedCall, ...]
    origin: str


class ApiDraw:
    """Draws APIs for tasks: the same ones for a seed and a number. Reads the workspace; blocks.

    Attributes:
        toolkit_of: the toolkits of all APIs that a plan may use, by their keys.

    Args:
        most: APIs of a task at most.
        needs_values: leave out what no values are known for.

    Raises:
        BadInput: no API can be drawn.
    """

    def __init__(self, workspace: Workspace, *, seed: int, most: int, needs_values: bool) -> None:
        self._workspace, self._seed, self._most = workspace, seed, most
        labels = plannable_labels(workspace)
        apis = apis_by_rowid(workspace, list(labels))
        self.toolkit_of = {api.key: labels[rowid] for rowid, api in apis.items()}
        readers = [api for api in apis.values() if api.risk is Risk.READ]
        self._apis = sorted(
            (api for api in readers if not needs_values or self._has_values(api)),
            key=lambda api: api.id,
        )
        if not self._apis:
            raise BadInput(
                "No task can be made of this catalogue",
                why=f"It has {counted(len(readers), 'API')} that reads and is in a toolkit"
                + (", none with a recorded call or documented values" if readers else ""),
                todo="Prepare the workspace, record calls, or name a model that writes tasks",
            )
        self._order = random.Random(seed).sample(self._apis, len(self._apis))

    def __len__(self) -> int:
        return len(self._apis)

    def draw(self, number: int) -> tuple[DrawnApi, ...]:
        """The APIs of a draw: each API comes first once before one comes first again, beside it
        others of its category, no two of one toolkit."""
        drawn = random.Random(f"{self._seed}/{number}")
        first = self._order[number % len(self._order)]
        chosen = {self.toolkit_of[first.key]: first}
        wanted = drawn.randint(1, self._most)
        others = [api for api in self._apis if api.category == first.category]
        for api in drawn.sample(others, len(others)):
            if len(chosen) == wanted:
                break
            chosen.setdefault(self.toolkit_of[api.key], api)
        return tuple(self._with_values(api, drawn) for api in chosen.values())

    def _has_values(self, api: Api) -> bool:
        values = example_arguments(api)
        if values and has_all_required(api, values):
            return True
        return any(_is_sayable(each.values()) for each in self._recordings(api))

    def _with_values(self, api: Api, drawn: random.Random) -> DrawnApi:
        recorded = [
            values for each in self._recordings(api) if _is_sayable(values := each.values())
        ]
        values, origin = example_arguments(api), DOCUMENTED
        if recorded:
            values, origin = drawn.choice(recorded), RECORDED
        elif not has_all_required(api, values):
            values, origin = {}, ""
        return DrawnApi(api=api, toolkit=self.toolkit_of[api.key], arguments=values, origin=origin)

    def _recordings(self, api: Api) -> list[Recording]:
        return good_recordings(self._workspace, api.key, limit=_LOOKED_AT)


def draft_of_rules(drawn: Sequence[DrawnApi]) -> TaskDraft:
    """A task in the catalogue's own words: what each API does, and its values."""
    origins = dict.fromkeys(each.origin for each in drawn)
    return TaskDraft(
        text=" Also: ".join(map(_sentence, drawn)),
        calls=tuple(WantedCall(api=each.api, arguments=each.arguments) for each in drawn),
        origin=" and ".join(origins),
    )


def _sentence(drawn: DrawnApi) -> str:
    about = " ".join((drawn.api.description or drawn.api.name).split())
    need = _SENTENCE.split(about)[0].rstrip(".!?: ")
    said = (f"{_words(name)} {value}" for name, value in drawn.arguments.items())
    return f"{need} for {', '.join(said)}."


def _words(name: str) -> str:
    """The name of a parameter as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-.]+", " ", name).strip().lower()


def _is_sayable(values: Mapping[str, Any]) -> bool:
    """Whether a person could say these values in a sentence."""
    return bool(values) and all(
        isinstance(value, str | int | float) and 0 < len(str(value).strip()) <= _LONGEST_VALUE
        for value in values.values()
    )
