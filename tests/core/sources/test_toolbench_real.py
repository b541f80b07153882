"""The real catalogue: every entry is accounted for and found by the keys others use for it."""

import gzip
import json
from collections import Counter
from contextlib import closing

import jsonschema
import pytest

from toolplanner_core.domain.api import Api
from toolplanner_core.sources.format_detection import read_sample
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected, sources


@pytest.fixture(scope="module")
def records(shared_data):
    plugin = sources.get("toolbench")
    location = shared_data / "toolbench" / "toolenv.zip"
    assert plugin.recognises(read_sample(Location.of(location))) == 1
    with closing(plugin.read(Location.of(location), plugin.options(), source="toolbench")) as items:
        return list(items)


@pytest.fixture(scope="module")
def apis(records):
    return [record for record in records if isinstance(record, Api)]


@pytest.mark.slow
def test_catalogue_when_read_then_all_entries_are_accounted_for(records, apis):
    rejected = sum(isinstance(record, Rejected) for record in records)
    assert len(apis) + rejected == 45_284
    assert rejected == 0
    assert len({api.id for api in apis}) == len(apis)
    # 498 entries are there twice, word for word, and all of them are in.
    names = Counter((api.key.rpartition("/")[0], api.name, api.method, api.url) for api in apis)
    assert sum(count - 1 for count in names.values()) == 498


@pytest.mark.slow
def test_keys_when_compared_with_queries_then_gold_apis_are_found(apis, shared_data):
    keys = {api.key for api in apis}
    tools = {key.rpartition("/")[0] for key in keys}
    gold: set[str] = set()
    with gzip.open(shared_data / "toolbench" / "queries.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            gold.update(json.loads(line)["gold"])
    in_catalogue = {key for key in gold if key.rpartition("/")[0] in tools}
    assert len(in_catalogue & keys) / len(in_catalogue) > 0.98
    assert len(gold & keys) / len(gold) > 0.97


@pytest.mark.slow
def test_keys_when_compared_with_recordings_then_their_apis_are_found(apis, shared_data):
    keys = {api.key for api in apis}
    tools = {key.rpartition("/")[0] for key in keys}
    path = shared_data / "toolbench" / "recorded_calls.jsonl.gz"
    recorded: set[str] = set()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            recorded.add(f"{row['category']}/{row['tool']}/{row['fn']}")
    known = {key for key in recorded if key.rpartition("/")[0] in tools}
    # The rest are functions that the crawl does not have, looked at one by one.
    assert len(known & keys) / len(known) > 0.975
    assert len(recorded & keys) / len(recorded) > 0.9


@pytest.mark.slow
def test_parameters_when_converted_then_schemas_and_defaults_are_valid(apis):
    kinds = jsonschema.Draft202012Validator
    for api in apis[::20]:
        kinds.check_schema(api.parameters)
        for parameter in api.parameter_list:
            if "default" in parameter.schema:
                kinds(parameter.schema).validate(parameter.schema["default"])
