"""Pack the frozen program for macOS: ToolPlanner.app in a .dmg, notarised where possible.

    python packaging/macos_packages.py build/frozen/toolplanner dist 0.1.0 EPOCH

PyInstaller has made the bundle beside the folder and signed it as `SIGN_AS` (a Developer ID), else
for this machine only. It is notarised if `NOTARY_APPLE_ID`, `NOTARY_PASSWORD` and `NOTARY_TEAM` are
set. One .dmg for each kind of processor.
"""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import contents


def main() -> None:
    """Make the .dmg."""
    frozen, out, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    around = contents.BUILD / "dmg"
    shutil.rmtree(around, ignore_errors=True)
    shutil.copytree(frozen.with_name("ToolPlanner.app"), around / "ToolPlanner.app", symlinks=True)
    shutil.copy(contents.MADE / "third_party.txt", around / "Licences.txt")
    (around / "Applications").symlink_to("/Applications")
    dmg = out / f"toolplanner-{version}-macos-{platform.machine()}.dmg"
    subprocess.run(
        ["hdiutil", "create", "-volname", "ToolPlanner", "-srcfolder", around, "-ov",
         "-format", "ULMO", dmg],
        check=True,
    )  # fmt: skip
    notarise(dmg)
    sys.stdout.write(f"{dmg.stat().st_size / 1e6:8.1f} MB  {dmg}\n")


def notarise(dmg: Path) -> None:
    """Have Apple look at it and fasten its word to it, if there is an account for that."""
    account = [os.environ.get(f"NOTARY_{name}") for name in ("APPLE_ID", "PASSWORD", "TEAM")]
    known = [word for word in account if word]
    if len(known) < len(account):
        sys.stdout.write("Not notarised: macOS will ask before it opens it for the first time.\n")
        return
    flags = ("--apple-id", "--password", "--team-id")
    given = [word for pair in zip(flags, known, strict=True) for word in pair]
    subprocess.run(["xcrun", "notarytool", "submit", "--wait", *given, dmg], check=True)
    subprocess.run(["xcrun", "stapler", "staple", dmg], check=True)


if __name__ == "__main__":
    main()
