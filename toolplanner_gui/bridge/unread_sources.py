"""Keep PySide from reading the source of every module that is imported."""

import importlib


def leave_sources_unread() -> None:
    """Tell PySide that no module switches its features (`from __feature__ import snake_case`).

    To know it PySide looks for its name in the source of each module after its import, and Python
    keeps the lines it read: 0.25 s and 38 MB until 45,284 APIs are open, none of it for us. Called
    once, after the first import of PySide; a PySide that does it otherwise is left as it is.
    """
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        vars(feature)["_mod_uses_pyside"] = lambda _module: False
