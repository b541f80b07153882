"""Run before the frozen program: stand-ins for modules that others import and we never use.

pyqtgraph imports two modules of Qt for views that are drawn by OpenGL; ours are not
(`map/map_view.py`). scikit-learn and scipy import statistics, splines, pictures, integrals and a
solver of linear programs, for functions that nothing here calls. Together 25 MB, and a second of
each start that needs scikit-learn. Each name in a stand-in is an empty class with such names.
"""

import sys
from types import ModuleType
from typing import Any

NAMES = (
    "PySide6.QtOpenGL",
    "PySide6.QtOpenGLWidgets",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.ndimage",
    "scipy.optimize._highspy",
    "scipy.optimize._highspy._core",
    "scipy.optimize._highspy._core.simplex_constants",
    "scipy.optimize._highspy._highs_options",
    "scipy.optimize._highspy._highs_wrapper",
    "scipy.stats",
)


class _Names(type):
    def __getattr__(cls, name: str) -> Any:
        return _class_of(name)


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        # What makes a module a package, into which others import.
        return [] if name == "__path__" else _class_of(name)


def _class_of(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Names(name, (), {"__getattr__": _of_instance})


def _of_instance(_: object, name: str) -> Any:
    return _class_of(name)


if getattr(sys, "frozen", False):
    sys.modules.update({name: _Module(name) for name in NAMES})
