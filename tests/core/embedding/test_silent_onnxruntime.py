"""onnxruntime reports to nobody and leaves nothing in the home: it would, from 1.29 on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN_A_MODEL = """
from toolplanner_core.cli.self_test import _onnxruntime
print(_onnxruntime())
"""
_WHERE_IT_IS_SILENT_ANYWAY = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY")


@pytest.mark.skipif(sys.platform == "win32", reason="keeps it elsewhere")
def test_onnxruntime_when_a_model_has_run_then_the_home_is_empty(tmp_path: Path) -> None:
    known = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    for name in _WHERE_IT_IS_SILENT_ANYWAY:
        known.pop(name, None)
    subprocess.run(
        [sys.executable, "-c", RUN_A_MODEL], env=known | {"HOME": str(tmp_path)}, check=True
    )
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
