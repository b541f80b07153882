"""The command `toolplanner-gui`: a workspace or the demo, in a window or as a picture."""

import argparse
import logging
import multiprocessing
import os
import re
import sys
from pathlib import Path
from typing import NoReturn

from toolplanner_core.resources import build_info
from toolplanner_gui.layouts import BY_ID


def main() -> NoReturn:
    """Read the arguments, run the program, end the process; status 2 for senseless arguments."""
    parser = argparse.ArgumentParser(
        prog="toolplanner-gui", description="Open the ToolPlanner window."
    )
    parser.add_argument("--version", action="version", version=f"ToolPlanner {build_info()}")
    parser.add_argument("workspace", nargs="?", type=_workspace, help="a .toolplanner file to open")
    parser.add_argument(
        "--demo", dest="is_demo", action="store_true", help="open the demo workspace"
    )
    parser.add_argument("--layout", choices=list(BY_ID), default="curate")
    parser.add_argument("--screenshot", type=_picture, metavar="PNG", help="save a picture and end")
    parser.add_argument("--size", type=_size, metavar="WxH", help="size of the window in pixels")
    parser.add_argument("--theme", choices=("light", "dark", "system"))
    arguments = parser.parse_args()
    if arguments.workspace is not None and arguments.is_demo:
        parser.error("give a workspace or --demo, not both")
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")

    from PySide6.QtCore import QSize

    from toolplanner_gui.bridge.startup import skip_pyside_source_scan

    skip_pyside_source_scan()
    from toolplanner_gui.app import StartOptions, run

    arguments.size = QSize(*arguments.size) if arguments.size else None
    _leave(run(StartOptions(**vars(arguments))))


def _leave(status: int) -> NoReturn:
    """End the process at once: everything is on disk, and what still reads or computes is for
    nobody. Python would wait for its threads."""
    for worker in multiprocessing.active_children():
        worker.kill()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)


def _path(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("the name is empty")
    return Path(text)


def _workspace(text: str) -> Path:
    from toolplanner_core.domain.workspace_file import existing_workspace

    return existing_workspace(_path(text))


def _picture(text: str) -> Path:
    path = _path(text)
    # A slip of the hand must not put a picture in the place of a workspace.
    if path.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a .png file")
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    return path


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size; write it like 1600x1000, each below 10,000"
        )
    return int(found[1]), int(found[2])


if __name__ == "__main__":
    main()
