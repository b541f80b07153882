"""Where the data files of `resources/` are: in the checkout, in an installed wheel, or in a frozen
program."""

from functools import cache
from pathlib import Path


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
