"""Where the data files of `resources/` are: in the checkout, in an installed wheel, or in a frozen
program; and what the last says of its making."""

import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from toolplanner_core import __version__


@cache
def resource_root() -> Path:
    """The folder that holds `demo/`, `icons/`, `themes/`.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_resources", package.parent.parent / "resources"):
        if (candidate / "demo").is_dir():
            return candidate
    raise FileNotFoundError(f"The resources folder is missing beside {package}: install again")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildInfo:
    """What this program is: its version, and of an installer's its build; else "" each.

    Attributes:
        number: of the build.
        commit: the sources it was made from.
        date: of that commit, YYYY-MM-DD.
    """

    version: str = __version__
    number: str = ""
    commit: str = ""
    date: str = ""

    def __str__(self) -> str:
        if not self.number:
            return self.version
        return f"{self.version} (build {self.number}, commit {self.commit}, {self.date})"


def install_hint(extra: str) -> str:
    """What a person does to have an extra of the distribution, as a sentence without a full stop.

    An installed program has no pip and takes no more modules in.
    """
    if getattr(sys, "frozen", False):
        return (
            "This installed program cannot take it in: make an environment of Python 3.11 or newer"
            f" with pip install 'toolplanner[gui,{extra}]', and open the workspace with that"
        )
    return f"Install the extra with: pip install 'toolplanner[{extra}]'"


@cache
def build_info() -> BuildInfo:
    """What this program is, by the file that the build of an installer lays with the resources."""
    try:
        return BuildInfo(**json.loads((resource_root() / "build.json").read_text("utf-8")))
    except FileNotFoundError:
        return BuildInfo()
