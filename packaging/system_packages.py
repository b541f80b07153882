"""Say which packages of the system are missing, and install them on Debian when root.

Called by the Makefile before it makes an environment (`--for python`), opens a window
(`--for window`) or packs the libraries that a window loads into an installer (`--for installer`).
Uses nothing but the standard library: it runs before anything is installed.
"""

import argparse
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys

# What Qt's xcb platform plug-in loads at run time, and the Debian package each library comes from.
WINDOW_LIBRARIES = {
    "xcb-icccm": "libxcb-icccm4",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-cursor": "libxcb-cursor0",
    "xcb-image": "libxcb-image0",
    "xcb-render-util": "libxcb-render-util0",
    "xcb-xkb": "libxcb-xkb1",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "EGL": "libegl1",
}


def missing_for_python() -> list[str]:
    """Debian packages without which `python -m venv` fails; ends the program below Python 3.11."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this runs on whatever Python the person has
        version = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"ToolPlanner needs Python 3.11 or newer; this is {version} ({sys.executable}).\n"
            "Install one and name it: make demo PYTHON=python3.12"
        )
    has_venv = importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")
    return [] if has_venv else [f"python3.{sys.version_info[1]}-venv"]


def missing_for_window() -> list[str]:
    """Debian packages that a real window needs; none on other systems or without a display."""
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return missing_for_installer() if has_display else []


def missing_for_installer() -> list[str]:
    """Debian packages of the libraries that a window loads; none on other systems."""
    if not sys.platform.startswith("linux"):
        return []
    return [
        package
        for library, package in WINDOW_LIBRARIES.items()
        if ctypes.util.find_library(library) is None
    ]


_MISSING = {
    "python": missing_for_python,
    "window": missing_for_window,
    "installer": missing_for_installer,
}


def main() -> None:
    """Check, then install or explain; exit status 3 when something is missing and stays so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="purpose", choices=sorted(_MISSING), required=True)
    missing = _MISSING[parser.parse_args().purpose]()
    if not missing:
        return
    command = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if shutil.which("apt-get") and os.geteuid() == 0:
        sys.stderr.write(f"Installing system packages: {' '.join(missing)}\n")
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return
    sys.exit(
        f"These system packages are missing: {', '.join(missing)}.\n"
        f"On Debian or Ubuntu install them with:\n  sudo {' '.join(command)}\n"
        "On another system install the packages that hold the same libraries, then try again."
    )


if __name__ == "__main__":
    main()
