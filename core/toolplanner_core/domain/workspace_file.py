"""How the file of a workspace is called; known without loading what opens it."""

from pathlib import Path

SUFFIX = ".toolplanner"


def existing_workspace(path: Path) -> Path:
    """The file that a person means: the path itself, or with the suffix that `toolplanner new` gave
    it if only that is there."""
    if path.suffix or path.exists():
        return path
    named = path.with_suffix(SUFFIX)
    return named if named.exists() else path
