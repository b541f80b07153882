"""Heavy libraries stay out of import time, and Qt out of the core."""

import importlib.util
import json
import subprocess
import sys

import pytest

HEAVY = [
    "torch", "transformers", "sentence_transformers", "sklearn", "scipy.cluster",
    "openai", "mcp", "onnxruntime",
]  # fmt: skip

WALK = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(json.dumps(sorted(sys.modules)))
"""


def modules_after_importing_all_of(package: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", WALK, package], capture_output=True, text=True, check=True
    )
    return set(json.loads(out.stdout))


def test_core_when_all_modules_are_imported_then_nothing_heavy_and_no_qt_is_loaded() -> None:
    loaded = modules_after_importing_all_of("toolplanner_core")
    assert not loaded & {*HEAVY, "PySide6", "pyqtgraph", "qasync", "toolplanner_gui"}


@pytest.mark.skipif(
    importlib.util.find_spec("PySide6") is None, reason="this environment has no Qt, on purpose"
)
def test_window_when_all_modules_are_imported_then_nothing_heavy_is_loaded() -> None:
    assert not modules_after_importing_all_of("toolplanner_gui") & set(HEAVY)
