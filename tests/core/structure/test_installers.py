"""The frozen program: its list of modules is what the registries and the command line look for.

Building one takes minutes and is no test (`make installer`); what would be missing is seen here.
"""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from toolplanner_core.cli.app import COMMANDS
from toolplanner_core.registry import Registry

ROOT = Path(__file__).resolve().parents[3]
_PACKAGE = re.compile(r'\bRegistry\([^)]*?package="([\w.]+)"')


def packages_of_registries() -> list[str]:
    """The package of each registry, read from the sources, so that none of Qt is needed."""
    folders = (ROOT / "core" / "toolplanner_core", ROOT / "toolplanner_gui")
    texts = (path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    return sorted(found for text in texts for found in _PACKAGE.findall(text))


@pytest.fixture(scope="module")
def contents() -> ModuleType:
    spec = importlib.util.spec_from_file_location("contents", ROOT / "packaging" / "contents.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_registries_when_looked_for_in_the_sources_then_all_kinds_are_found() -> None:
    kinds = {"strategies", "providers", "sources", "embedding", "clustering", "layout", "llm"}
    kinds |= {"panels", "actions", "windows"}
    assert kinds <= {package.rpartition(".")[2] for package in packages_of_registries()}


@pytest.mark.parametrize("package", packages_of_registries())
def test_frozen_modules_when_of_a_registry_then_they_are_those_it_walks(
    contents: ModuleType, package: str
) -> None:
    registry = Registry(object, package=package, kind="any", what="any")
    frozen = {name for name in contents.our_modules() if name.rpartition(".")[0] == package}
    assert frozen == set(registry.module_names())


def test_frozen_modules_when_a_command_is_looked_up_then_its_module_is_there(
    contents: ModuleType,
) -> None:
    modules = {f"toolplanner_core.cli.{each.where.partition(':')[0]}" for each in COMMANDS.values()}
    assert modules <= set(contents.our_modules())


def test_left_out_modules_when_compared_with_ours_then_none_of_them_is_ours(
    contents: ModuleType,
) -> None:
    assert not set(contents.LEFT_OUT) & set(contents.our_modules())
    assert not any(
        contents.is_wanted(f"PySide6/Qt/translations/{n}.qm") for n in ("qt_de", "qt_fr")
    )
    assert contents.is_wanted("toolplanner_core/_resources/demo/cases.json")
