"""Check a frozen folder: all of our modules are in it, and nothing of what is left out.

build/venv/bin/python packaging/check_contents.py build/frozen/toolplanner
"""

import json
import subprocess
import sys
from pathlib import Path

import contents
from PyInstaller.archive.readers import CArchiveReader  # pyright: ignore[reportMissingImports]

_FOR_NUMBERS = ("numpy.", "scipy.", "sklearn.")
_FORBIDDEN = ("torch", "sentence_transformers", "transformers", "pytest", "tkinter")


def main() -> None:
    """End with what is wrong."""
    folder = Path(sys.argv[1])
    program = next(folder.glob("toolplanner*"))
    archive = CArchiveReader(str(program))
    modules = set(archive.open_embedded_archive("PYZ.pyz").toc)
    absent = sorted(set(contents.our_modules()) - modules)
    loose = {path.relative_to(folder / "_internal").parts[0] for path in folder.rglob("*.so*")}
    tops = {name.partition(".")[0] for name in modules} | loose
    wrong = [f"not in it: {name}" for name in absent]
    compiled = {_module_of(path.relative_to(folder / "_internal")) for path in folder.rglob("*.so")}
    wrong += [f"used, but not in it: {name}" for name in _used() if name not in modules | compiled]
    wrong += [f"in it: {name}" for name in _FORBIDDEN if name in tops]
    wrong += [f"in it: {name}" for name in sorted(modules) if ".tests." in name]
    wrong += [
        f"leads nowhere: {path}"
        for path in folder.rglob("*")
        if path.is_symlink() and not path.exists()
    ]
    if wrong:
        sys.exit("\n".join(["The frozen program is not what it should be.", *wrong]))
    sys.stdout.write(f"{len(contents.our_modules())} modules of ours, {len(modules)} in all.\n")


def _used() -> list[str]:
    """Modules for numbers that are loaded when they are used, in the environment of the build."""
    script = contents.CHECKOUT / "packaging" / "frozen" / "uses.py"
    asked = [sys.executable, str(script)]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return [name for name in json.loads(said) if name.startswith(_FOR_NUMBERS)]


def _module_of(library: Path) -> str:
    """The dotted name of a compiled module, by its place."""
    return ".".join([*library.parts[:-1], library.name.partition(".")[0]])


if __name__ == "__main__":
    main()
