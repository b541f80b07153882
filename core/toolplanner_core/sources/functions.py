"""Read functions as they are offered to language models: JSON or JSON lines, plain or gzipped.

The shapes are known to `function_shapes.py`; one of them, a list of them, ``{"tools": [...]}``, or
one per line. A broken line, or an item whose schema is no JSON Schema, is reported and left out.
They are read by `function_records.py`, which is loaded when there is something to read. Found by
the registry of sources.
"""

from collections.abc import Generator
from dataclasses import dataclass

from toolplanner_core.options.option import option
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Record, Sample, SourcePlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionsOptions:
    """How functions, which know no tool, are placed in the catalogue."""

    tool: str = option("", "Name of the tool they belong to; empty takes the file's name.")
    category: str = option(
        "", "Their category; empty takes the folder's name inside a folder or archive."
    )


def recognises(sample: Sample) -> float:
    """How many of the first documents hold something that looks like a function."""
    from toolplanner_core.sources.function_records import share_of_functions

    return share_of_functions(sample)


def read(location: Location, options: FunctionsOptions, *, source: str) -> Generator[Record]:
    """All functions of a file, folder or zip."""
    from toolplanner_core.sources.function_records import read_functions

    return read_functions(location, tool=options.tool, category=options.category, source=source)


PLUGIN = SourcePlugin(
    id="functions",
    title="Function definitions",
    description="Functions as they are offered to language models: OpenAI, Anthropic, MCP, Gemini,"
    " Bedrock, LangChain, LlamaIndex.",
    accepts="JSON or JSON lines of functions as models are offered them (OpenAI, MCP, Gemini ...)",
    options=FunctionsOptions,
    recognises=recognises,
    read=read,
    order=20,
)
