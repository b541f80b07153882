"""The frozen program: its list of modules is what the registries and the command line look for.

Building one takes minutes and is no test (`make installer`); what would be missing is seen here.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from toolplanner_core.cli.app import COMMANDS
from toolplanner_core.jobs.compiled_code import COMPILED_LIBRARIES
from toolplanner_core.registry import Registry

ROOT = Path(__file__).resolve().parents[3]
_ASK_A_MODEL = """
import asyncio, json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
import httpx2
from mcp import Client
from openai import AsyncOpenAI
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
said = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m", "data": [],
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "hello"}}],
}
to_us = httpx2.MockTransport(lambda request: httpx2.Response(200, json=said))
async def ask():
    client = AsyncOpenAI(api_key="x", http_client=httpx2.AsyncClient(transport=to_us))
    reply = await client.chat.completions.create(model="m", messages=[])
    assert [model async for model in client.models.list()] == []
    print(reply.choices[0].message.content)
asyncio.run(ask())
"""
_ASK_QT = """
from PySide6.QtCore import QCollator, QDateTime, QLocale, QTimeZone
zones = [QTimeZone(name.encode()) for name in ("Europe/Berlin", "America/New_York", "Asia/Tokyo")]
for zone in zones:
    print(QDateTime.fromSecsSinceEpoch(1_750_000_000, zone).toString("yyyy-MM-dd hh:mm t"))
words = ["a", "B", "\u00e4", "z", "10", "9"]
for language in ("en_US", "de_DE", "sv_SE"):
    order = QCollator(QLocale(language))
    order.setNumericMode(True)
    print([order.compare(one, other) > 0 for one in words for other in words])
    print(QLocale(language).toUpper("stra\u00dfe i"), len(QTimeZone.availableTimeZoneIds()))
"""
_ASKS_FOR_VERSIONS = "importlib.metadata import version"
_PACKAGE = re.compile(r'\bRegistry\([^)]*?package="([\w.]+)"')


def packages_of_registries() -> list[str]:
    """The package of each registry, read from the sources, so that none of Qt is needed."""
    folders = (ROOT / "core" / "toolplanner_core", ROOT / "toolplanner_gui")
    texts = (path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    return sorted(found for text in texts for found in _PACKAGE.findall(text))


def packaging_module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def contents() -> ModuleType:
    return packaging_module("contents")


def test_registries_when_looked_for_in_the_sources_then_all_kinds_are_found() -> None:
    kinds = {"strategies", "providers", "sources", "embedding", "clustering", "layout", "llm"}
    kinds |= {"builtin_panels", "actions", "windows"}
    assert kinds <= {package.rpartition(".")[2] for package in packages_of_registries()}


@pytest.mark.parametrize("package", packages_of_registries())
def test_frozen_modules_when_of_a_registry_then_they_are_those_it_walks(
    contents: ModuleType, package: str
) -> None:
    registry = Registry(object, package=package, kind="any", what="any")
    ours = contents.our_modules()
    frozen = {name for name in ours if name.rpartition(".")[0] == package} or {package} & {*ours}
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


def test_frozen_metadata_when_the_program_asks_for_versions_then_that_of_each_comes_along(
    contents: ModuleType,
) -> None:
    sources = [path for root in contents.ROOTS.values() for path in root.rglob("*.py")]
    asking = [path.name for path in sources if _ASKS_FOR_VERSIONS in path.read_text("utf-8")]
    assert asking == ["compiled_code.py"]
    assert set(contents.ASKED_FOR_VERSIONS) == set(COMPILED_LIBRARIES)


def test_stand_ins_when_compared_with_what_is_left_out_then_each_is_left_out_and_imports(
    contents: ModuleType,
) -> None:
    assert set(contents.STAND_INS) <= set(contents.LEFT_OUT)
    uses = ROOT / "packaging" / "frozen" / "uses.py"
    outcome = subprocess.run(
        [sys.executable, str(uses)], capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 0, outcome.stderr
    loaded = set(json.loads(outcome.stdout))
    # Nothing below a stand-in is loaded; what only compiled code imports is named by hand.
    assert not [name for name in loaded if name.startswith(contents.STAND_INS)]
    assert set(contents.ASKED_UNSEEN) <= loaded


def test_left_out_modules_when_they_cannot_be_imported_then_models_and_servers_are_asked(
    contents: ModuleType,
) -> None:
    roots = ("openai", "pygments", "distutils")
    absent = [name for name in contents.LEFT_OUT if name.partition(".")[0] in roots]
    assert len(absent) >= 12
    outcome = subprocess.run(
        [sys.executable, "-c", _ASK_A_MODEL, json.dumps(absent)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (outcome.returncode, outcome.stdout) == (0, "hello\n"), outcome.stderr


@pytest.mark.skipif(
    sys.platform != "linux" or not importlib.util.find_spec("PySide6"),
    reason="only Qt for Linux brings ICU",
)
def test_icu_when_made_small_then_what_qt_asks_for_is_as_it_was(tmp_path: Path) -> None:
    if not (shutil.which("as") and shutil.which("ld")):
        pytest.skip("binutils are not here, which installers are built with")
    spec = importlib.util.find_spec("PySide6")
    assert spec is not None and spec.origin is not None
    (whole,) = (Path(spec.origin).parent / "Qt" / "lib").glob("libicudata.so.*")
    small = tmp_path / whole.name
    shutil.copy(whole, small)
    icu_data = packaging_module("icu_data")
    icu_data.make_small(small)
    assert small.stat().st_size < 0.15 * whole.stat().st_size
    header, kept = icu_data.read_items(small.read_bytes())
    before_header, before = icu_data.read_items(whole.read_bytes())
    assert header == before_header
    names = [name for name in before if icu_data.is_wanted(name)]
    assert list(kept) == names and len(names) > 20
    # What follows the last item in a file differs.
    assert all(kept[name].startswith(before[name]) for name in names[:-1])
    said = [
        subprocess.run(
            [sys.executable, "-c", _ASK_QT], env=os.environ | {"LD_PRELOAD": str(library)},
            capture_output=True, text=True, check=True,
        ).stdout
        for library in (whole, small)
    ]  # fmt: skip
    assert said[0] == said[1] and "CEST" in said[0]


def test_workflow_when_it_names_a_script_or_an_option_then_that_is_there() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/installers.yml").read_text("utf-8"))
    steps = workflow["jobs"]["build"]["steps"]
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    named = [word for line in lines for word in line.split() if word.startswith("packaging/")]
    assert {"packaging/build.py", "packaging/smoke_test.py"} <= {name.rstrip(";") for name in named}
    assert all((ROOT / name.rstrip(";")).is_file() for name in named)
    smoke = (ROOT / "packaging/smoke_test.py").read_text("utf-8")
    options = {o for line in lines if "smoke_test" in line for o in re.findall(r"--[\w-]+", line)}
    assert options and all(f'"{option}"' in smoke for option in options)
    # Each of the three systems installs what was built and tries it.
    tried = [step["if"] for step in steps if step.get("name") == "Install and try it"]
    assert len(tried) == 3


def test_workflow_when_linted_then_it_fits_its_schema_and_a_broken_one_does_not(
    tmp_path: Path,
) -> None:
    workflow = ROOT / ".github/workflows/installers.yml"
    broken = tmp_path / "broken.yml"
    broken.write_text(workflow.read_text("utf-8").replace("runs-on:", "run-on:"), "utf-8")
    schema = ("--builtin-schema", "vendor.github-workflows")
    codes = [
        subprocess.run(
            [sys.executable, "-m", "check_jsonschema", *schema, str(path)],
            capture_output=True, check=False,
        ).returncode
        for path in (workflow, broken)
    ]  # fmt: skip
    assert codes == [0, 1]


@pytest.mark.skipif(sys.platform != "linux", reason="an AppImage is for Linux")
def test_app_image_when_called_by_another_name_then_that_program_begins(tmp_path: Path) -> None:
    shutil.copy(ROOT / "packaging/linux/AppRun", tmp_path)
    (tmp_path / "opt/toolplanner").mkdir(parents=True)
    for name in ("toolplanner", "toolplanner-gui"):
        program = tmp_path / "opt/toolplanner" / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" "${{ARGV0:-none}}"\n')
        program.chmod(0o755)
    said = {
        name: subprocess.run(
            [tmp_path / "AppRun", "a b"], env=os.environ | {"ARGV0": name},
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for name in ("", "./ToolPlanner.AppImage", "/home/anna/bin/toolplanner")
    }  # fmt: skip
    assert [*said.values()] == [
        "toolplanner-gui a b none", "toolplanner-gui a b none", "toolplanner a b none",
    ]  # fmt: skip


def test_windows_script_when_read_then_each_line_is_whole_and_names_what_is_there() -> None:
    text = (ROOT / "packaging/windows/toolplanner.iss").read_text("utf-8")
    sections = dict(re.findall(r"^\[(\w+)\]\n(.*?)(?=^\[\w+\]\n|\Z)", text, re.M | re.S))
    code = sections.pop("Code")
    lines = {
        name: [line for line in body.splitlines() if line and not line.startswith(";")]
        for name, body in sections.items()
    }
    setup = dict(line.split("=", 1) for line in lines.pop("Setup"))
    assert setup["PrivilegesRequired"] == "lowest" and setup["ChangesAssociations"] == "yes"
    rows = {
        name: [dict(re.findall(r'(\w+): ("(?:[^"]|"")*"|[^;"]+)(?:; |$)', line)) for line in body]
        for name, body in lines.items()
    }
    for name, body in lines.items():
        for line, row in zip(body, rows[name], strict=True):
            assert "; ".join(f"{key}: {value}" for key, value in row.items()) == line
    tasks = {row["Name"] for row in rows["Tasks"]}
    everything = [row for body in rows.values() for row in body]
    assert {row["Tasks"] for row in everything if "Tasks" in row} == tasks
    checks = {row["Check"] for row in everything if "Check" in row}
    assert checks and all(f"function {name}:" in code for name in checks)
    # Programs and icons that are named are those that the build makes.
    named = set(re.findall(r"\{app\}\\([\w-]+\.\w+)", text))
    assert named == {"toolplanner-gui.exe", "workspace.ico"}
    assert code.count("begin") == len(re.findall(r"\bend\b", code))


def test_packers_when_listed_by_the_build_then_each_has_its_files() -> None:
    packers = re.findall(r'"(\w+_packages\.py)"', (ROOT / "packaging/build.py").read_text("utf-8"))
    assert len(packers) == 3
    for packer in packers:
        text = (ROOT / "packaging" / packer).read_text("utf-8")
        assert "import contents" in text
    iss = (ROOT / "packaging/windows/toolplanner.iss").read_text("utf-8")
    given = set(re.findall(r"\{#(\w+)\}", iss))
    text = (ROOT / "packaging/windows_packages.py").read_text("utf-8")
    assert all(f'"{name}"' in text for name in given)
