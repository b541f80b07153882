"""Pack the frozen folder for Windows: an installer by Inno Setup 6, signed where that is set up.

    python packaging/windows_packages.py build\\frozen\\toolplanner dist 0.1.0 EPOCH

`WINDOWS_SIGN_COMMAND`, if set, is a command line of a signing tool; the file's name is appended.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import contents

_COMPILER = (
    Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Inno Setup 6/ISCC.exe"
)


def main() -> None:
    """Make the installer."""
    frozen, out, version = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute(), sys.argv[3]
    compiler = shutil.which("ISCC") or str(_COMPILER)
    if not Path(compiler).is_file():
        sys.exit("Inno Setup 6 is missing: install it from https://jrsoftware.org/isdl.php")
    sign_command = os.environ.get("WINDOWS_SIGN_COMMAND", "").strip()
    for program in frozen.glob("*.exe"):
        sign(program, sign_command)
    given = {
        "Frozen": frozen,
        "Icons": contents.ICONS,
        "Checkout": contents.CHECKOUT,
        "Version": version,
    }
    words = [f"/D{name}={value}" for name, value in given.items()]
    script = contents.CHECKOUT / "packaging/windows/toolplanner.iss"
    subprocess.run([compiler, "/Q", *words, f"/O{out}", str(script)], check=True)
    for setup in out.glob(f"toolplanner-{version}-*-setup.exe"):
        sign(setup, sign_command)
        sys.stdout.write(f"{setup.stat().st_size / 1e6:8.1f} MB  {setup}\n")


def sign(path: Path, command: str) -> None:
    """Sign a file, if there is a command for it."""
    if command:
        subprocess.run(f'{command} "{path}"', shell=True, check=True)


if __name__ == "__main__":
    main()
