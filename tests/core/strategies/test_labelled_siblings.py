"""What is carried between siblings of real catalogues, against `tests/data/labelled_siblings.json`.

No value is ever sent that a person who read both definitions would not have sent, and at least half
of what can be carried is, without a model.
"""

import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixtures.real_apis import read_apis

from toolplanner_core.curation.sharing.exports.contents import read_contents
from toolplanner_core.domain.api import Api
from toolplanner_core.strategies.techniques.argument_carrying import (
    CarriedArguments,
    carry_arguments,
)
from toolplanner_core.strategies.techniques.same_question import is_same_operation
from toolplanner_core.workspace import Workspace

LABELS = Path(__file__).parents[2] / "data" / "labelled_siblings.json"
CARRIED_AT_LEAST = 0.7
CALLED_AT_LEAST = 10


class Judged(NamedTuple):
    """A labelled pair, and what the program makes of it.

    Attributes:
        right: the arguments of the second API; None if something cannot be carried.
        label: "call", "offer" or "none".
    """

    pair: str
    right: dict[str, Any] | None
    label: str
    carried: CarriedArguments
    is_called: bool

    @property
    def is_right(self) -> bool:
        return self.carried.is_complete and dict(self.carried.arguments) == self.right


def toolbench_apis(data: Path, folder: Path, keys: set[str]) -> dict[str, Api]:
    """Those of ToolBench with these keys."""
    tools = {key.rpartition("/")[0] for key in keys}
    with zipfile.ZipFile(data / "toolbench" / "toolenv.zip") as archive:
        for tool in tools:
            name = f"toolenv/tools/{tool}.json"
            if name in archive.namelist():
                archive.extract(name, folder)
    return {api.key: api for api in read_apis(folder)}


@pytest.fixture(scope="module")
def judged(
    shared_data: Path, demo_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[Judged]:
    rows = json.loads(LABELS.read_text(encoding="utf-8"))["pairs"]
    keys = {key for row in rows for key in row[:2]}
    apis = toolbench_apis(shared_data, tmp_path_factory.mktemp("tools"), keys)
    with Workspace.open(demo_file) as workspace:
        kits = read_contents(workspace).toolkits
    apis |= {member.api.key: member.api for kit in kits for member in kit.members}
    found: list[Judged] = []
    for first, second, given, right, label in rows:
        one, other = apis[first], apis[second]
        carried = carry_arguments(one, other, given)
        is_called = carried.is_complete and is_same_operation(one, other)
        found.append(Judged(f"{first} -> {second}", right, label, carried, is_called))
    return found


def test_values_when_siblings_are_labelled_then_no_wrong_one_is_sent(judged: list[Judged]) -> None:
    assert len(judged) > 300
    called = [each for each in judged if each.is_called]
    assert [each for each in called if each.label != "call" or not each.is_right] == []
    assert len(called) >= CALLED_AT_LEAST
    wrong = [each for each in judged if each.carried.is_complete and not each.is_right]
    assert wrong == [], "what is offered as complete is right, too"


def test_values_when_they_can_be_carried_then_most_are_without_a_model(
    judged: list[Judged],
) -> None:
    can_be = [each for each in judged if each.right is not None]
    assert len(can_be) > 100
    carried = sum(each.is_right for each in can_be)
    assert carried / len(can_be) >= CARRIED_AT_LEAST
