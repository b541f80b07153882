"""`make demo`: open the window on the demo workspace, or show the same in the terminal.

Without a display it makes a demo workspace in `demo-out/`, runs its cases, prints their trees, and
saves a screenshot of the window drawn offscreen.
"""

import os
import subprocess
import sys
from pathlib import Path

OUT = Path("demo-out")


def has_display() -> bool:
    """Whether a window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run(*arguments: str, **environment: str) -> int:
    """Run a command of this environment; returns its exit status."""
    program = Path(sys.executable).with_name(arguments[0])
    return subprocess.call([str(program), *arguments[1:]], env=os.environ | environment)


def main() -> int:
    """Exit status of what was shown; a failure ends with what to do."""
    status = show()
    if status:
        sys.stderr.write(
            "\nThe demo failed for the reason above; which part of the program does not work here"
            " is said by: .venv/bin/toolplanner self-test\n"
        )
    return status


def show() -> int:
    """Open the window, or run the demo in the terminal."""
    if has_display():
        return run("toolplanner-gui", "--demo")
    OUT.mkdir(exist_ok=True)
    workspace = OUT / "demo.toolplanner"
    for old in OUT.glob("demo.toolplanner*"):
        old.unlink()
    status = run("toolplanner", "new", str(workspace), "--demo")
    status = status or run("toolplanner", "cases", "run", str(workspace), "--tree")
    picture = OUT / "window.png"
    status = status or run(
        "toolplanner-gui",
        str(workspace),
        "--screenshot",
        str(picture),
        QT_QPA_PLATFORM="offscreen",
    )
    if status:
        return status
    sys.stderr.write(
        f"\nThere is no display, so this was the demo in the terminal.\n"
        f"  Workspace   {workspace}\n  Screenshot  {picture}\n"
        f"On a machine with a screen: .venv/bin/toolplanner-gui {workspace}\n"
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
