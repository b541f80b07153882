"""No file that lets a person choose plug-ins names one of them, or an option of one, by hand."""

import ast
from collections.abc import Iterator
from pathlib import Path

import toolplanner_gui
from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.layout.layout import layouts
from toolplanner_core.llm.model import models
from toolplanner_core.options.option import describe_options
from toolplanner_core.providers.provider import providers
from toolplanner_core.sources.source import sources
from toolplanner_core.strategies.interface.strategy import strategies

FOLDER = Path(toolplanner_gui.__file__).parent
REGISTRIES = (sources, embedders, clusterings, layouts, providers, models, strategies)
FORBIDDEN = {plugin.id for registry in REGISTRIES for plugin in registry} | {
    option.name
    for registry in REGISTRIES
    for plugin in registry
    for option in describe_options(plugin.options)
}
ALSO = {
    "calls", "category", "start", "description", "method", "name", "now", "parameters", "plans",
    "required", "seed", "tool", "toolkits", "url", "window", "words",
}  # fmt: skip
"""Options and plug-ins that are called like parts of an API, of a run or of a program."""


def names_in(file: Path) -> Iterator[str]:
    """Texts, attributes and names of arguments that a file writes out."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case _:
                pass


def test_files_when_they_choose_plugins_then_name_no_option_of_theirs() -> None:
    choosing = [
        file for file in FOLDER.rglob("*.py") if "toolplanner_gui.forms" in file.read_text("utf-8")
    ]
    assert {"import_dialog", "prepare_dialog", "fork_dialog", "run_options"} <= {
        file.stem for file in choosing
    }
    assert {"k", "eps", "max_replans", "lsa", "openai"} <= FORBIDDEN
    for file in {*choosing, *(FOLDER / "forms").glob("*.py")}:
        assert not (FORBIDDEN - ALSO).intersection(names_in(file)), file.name
