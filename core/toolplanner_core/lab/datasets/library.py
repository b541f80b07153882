"""The data sets of a person on this machine: files in one folder, found by name and version."""

import re
from pathlib import Path

from toolplanner_core.domain.lab import DataSet
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.datasets.jsonl import SUFFIX, ReadDataSet, read_data_set, write_data_set

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


def library_folder() -> Path:
    """Where they are; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_data_dir("toolplanner")) / "datasets"


def check_name(name: str) -> str:
    """The name, if it can be one of a data set.

    Raises:
        BadInput: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot name a data set",
            todo="Take letters, digits, dots, dashes and underlines, 60 at most",
        )
    return name


def add_to_library(data_set: DataSet, *, replace: bool = False) -> Path:
    """Write a data set into the library; returns its file. The same once more changes nothing.

    Raises:
        BadInput: another one has its name and shall not be replaced, or it cannot be written.
    """
    place = library_folder() / f"{check_name(data_set.name)}{SUFFIX}"
    if place.exists() and not replace:
        old = read_data_set(place).data_set
        if old == data_set:
            return place
        raise BadInput(
            f"There is another data set called {data_set.name}: {old.reference}",
            why="Experiments cite it by its version",
            todo="Give this one another name, or replace that one",
        )
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput("The library cannot be made", where=str(place), why=str(error)) from error
    write_data_set(data_set, place)
    return place


def list_library() -> list[Path]:
    """The files of the library, by name."""
    return sorted(library_folder().glob(f"*{SUFFIX}"))


def find_data_set(reference: str) -> ReadDataSet:
    """The data set of a file's path, or of a name in the library: "rest-bench", "rest-bench@3f9c".

    Raises:
        NotFound: there is none of that name, or it has another version.
        BadInput: it cannot be read.
    """
    if reference.endswith((SUFFIX, f"{SUFFIX}.gz")):
        return read_data_set(Path(reference))
    name, _, version = reference.partition("@")
    place = library_folder() / f"{check_name(name)}{SUFFIX}"
    if not place.is_file():
        known = ", ".join(path.stem for path in list_library())
        raise NotFound(
            f"There is no data set called {name!r} on this machine",
            todo=f"Choose one of: {known}" if known else "Import one",
        )
    found = read_data_set(place)
    if not found.data_set.version.startswith(version):
        raise NotFound(
            f"The data set {name} on this machine has another version",
            why=f"Asked for was {version}, here is {found.data_set.version[:8]}",
        )
    return found
