"""Model cards: all published ones come in, with arguments in whatever form they stand."""

import json

import pytest

from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.location import Location

CARD = {
    "domain": "Video Classification", "framework": "PyTorch", "functionality": "3D ResNet",
    "api_name": "slow_r50", "api_call": "torch.hub.load('a/b')", "description": "A network.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "properties"),
    [
        ({"pretrained": "True"}, {"pretrained": {"description": "True"}}),
        ({"n": 5, "kind": "bool"}, {"n": {"default": 5}, "kind": {"type": "boolean"}}),
        (["text", "device='cpu'"], {"text": {}, "device": {"description": "'cpu'"}}),
        ([{"name": "n", "type": "int", "default": 3}], {"n": {"type": "integer", "default": 3}}),
        ("image, question", {"image": {}, "question": {}}),
        ("The URL of the model.", {}),
        ("N/A", {}),
        (None, {}),
    ],
)
def test_card_when_read_then_its_arguments_are_parameters(read, tmp_path, arguments, properties):
    path = tmp_path / "cards.jsonl"
    path.write_text(json.dumps({**CARD, "api_arguments": arguments}))
    assert detect(Location.of(path)).id == "apibench"
    (api,) = read("apibench", path).apis
    assert api.parameters == {"type": "object", "properties": properties}
    assert (api.category, api.tool, api.name) == ("Video Classification", "PyTorch", "slow_r50")
    assert api.description == "3D ResNet\n\nA network.\n\nCall: torch.hub.load('a/b')"


def test_card_when_it_has_no_name_then_the_reason_says_so(read, tmp_path):
    path = tmp_path / "cards.jsonl"
    path.write_text("\n".join([json.dumps(CARD), json.dumps({**CARD, "api_name": ""}), "5", "{"]))
    records = read("apibench", path)
    assert len(records.apis) == 1
    assert [each.why.partition(":")[0] for each in records.rejected] == [
        "the card has no name or no call",
        "a card is an object, this is a number",
        "broken JSON at column 2",
    ]


def test_cards_when_the_published_ones_are_read_then_all_come_in(read, shared_data):
    files = ("torchhub_api.jsonl", "tensorflowhub_api.jsonl.gz", "huggingface_api.jsonl.gz")
    found = [read("apibench", shared_data / "apibench" / name) for name in files]
    assert [len(records.apis) for records in found] == [94, 696, 936]
    assert not any(records.rejected for records in found)
    ids = [api.id for records in found for api in records.apis]
    assert len(set(ids)) == len(ids) == 1_726
