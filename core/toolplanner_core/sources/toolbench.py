"""Read ToolBench's catalogue: a folder or zip with ``.../<Category>/<tool>.json``.

A file is one tool of the RapidAPI crawl: ``{"tool_name", "tool_description", "api_list": [{"name",
"url", "description", "method", "required_parameters", "optional_parameters", "schema"?}]}``. Dirt
is normal in it; an entry that cannot be used is reported with its place, everything else goes in.
Read by `toolbench_records.py`; found by the registry of sources.

Source: ToolLLM, arXiv 2307.16789, and the layout of its published `toolenv/tools`.
"""

from collections.abc import Generator

from toolplanner_core.options.option import NoOptions
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Record, Sample, SourcePlugin


def recognises(sample: Sample) -> float:
    """How many of the first JSON files hold tools with an `api_list`."""
    from toolplanner_core.sources.toolbench_records import share_of_tools

    return share_of_tools(sample)


def read(location: Location, options: NoOptions, *, source: str) -> Generator[Record]:  # noqa: ARG001 - every source has options
    """All entries of a folder, a zip or a single tool file."""
    from toolplanner_core.sources.toolbench_records import read_tools

    return read_tools(location, source=source)


PLUGIN = SourcePlugin(
    id="toolbench",
    title="ToolBench catalogue",
    description="Tools crawled from RapidAPI, one JSON file per tool in folders by category.",
    accepts='a folder or zip of ToolBench tools (<Category>/<tool>.json with an "api_list")',
    options=NoOptions,
    recognises=recognises,
    read=read,
    order=10,
    is_whole=True,
)
