"""What makes the frozen folder smaller, on Linux: no symbols, less of ICU, equal files once."""

import hashlib
import subprocess
from pathlib import Path

import icu_data


def make_smaller(folder: Path) -> None:
    """Take away what nobody reads at run time."""
    for path in sorted(folder.rglob("*.so*")):
        if not path.is_file() or path.is_symlink():
            continue
        if path.name.startswith("libicudata.so."):
            icu_data.make_small(path)
        # Those that pip's tools have moved and patched do not stand it.
        elif not path.parent.name.endswith(".libs"):
            subprocess.run(["strip", "--strip-unneeded", path], check=True)
    link_equal_files(folder)


def link_equal_files(folder: Path) -> None:
    """Let libraries that several packages bring stand there once, with links in the other places.

    Only libraries that are found by their place beside others: the loader takes two of one name
    and content for two, one by way of a link for the same.
    """
    first: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.so*")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        kept = first.setdefault(digest, path)
        if kept is not path and kept.name == path.name:
            path.unlink()
            up = len(path.relative_to(folder).parts) - 1
            path.symlink_to(Path(*[".."] * up, kept.relative_to(folder)))
