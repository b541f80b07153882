"""Write the notice of what others wrote and we ship: name, version, licence and its text.

    build/venv/bin/python packaging/third_party.py OUT.txt

Made from the packages in the environment it runs in, less those that are only for building.
"""

import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

import contents

_FOR_BUILDING = {
    "pip", "setuptools", "wheel", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph",
    *(name.replace("_", "-") for name in contents.LEFT_OUT),
}  # fmt: skip
_WORDS = ("licen", "copying", "notice", "authors")
_LICENCE_KEYS = ("License-Expression", "License")
_HEAD = """ToolPlanner is under the MIT licence. It is shipped with the packages below, which are
others' work under the licences that follow. Qt and PySide6 are used under the LGPL, version 3:
their libraries lie as files of their own beside the program and can be replaced; their source is at
https://download.qt.io/official_releases/. CPython is under the PSF licence
(https://docs.python.org/3/license.html).
"""


def main() -> None:
    """Write the file."""
    found = {dist.metadata["Name"].lower().replace("_", "-"): dist for dist in distributions()}
    shipped = {name: dist for name, dist in sorted(found.items()) if name not in _FOR_BUILDING}
    parts = [_HEAD, *(_entry(dist) for dist in shipped.values())]
    silent = [name for name, dist in shipped.items() if not _licence(dist) and not _texts(dist)]
    if silent:
        sys.exit(f"No licence found for: {', '.join(silent)}")
    Path(sys.argv[1]).write_text("\n".join(parts), encoding="utf-8")


def _entry(dist: Distribution) -> str:
    title = f"{dist.metadata['Name']} {dist.version}: {_licence(dist) or 'see below'}"
    return "\n".join(["=" * 96, title, "", *_texts(dist), ""])


def _licence(dist: Distribution) -> str:
    said = next((s for key in _LICENCE_KEYS for s in dist.metadata.get_all(key) or []), "")
    if said and "\n" not in said.strip():
        return said.strip()
    classes = dist.metadata.get_all("Classifier") or []
    return ", ".join(c.rpartition(" :: ")[2] for c in classes if c.startswith("License"))


def _texts(dist: Distribution) -> list[str]:
    """Texts of the licence files that the package brings, each once."""
    texts: list[str] = []
    for file in dist.files or []:
        is_meta = ".dist-info" in file.parts[0]
        if is_meta and any(word in file.name.lower() for word in _WORDS):
            text = Path(str(dist.locate_file(file))).read_text("utf-8", errors="replace").strip()
            if text not in texts:
                texts.append(text)
    return texts


if __name__ == "__main__":
    main()
