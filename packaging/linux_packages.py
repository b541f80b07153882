"""Pack the frozen folder for Linux: a .deb; a .tar.xz and an AppImage for people without root.

    python packaging/linux_packages.py build/frozen/toolplanner dist 0.1.0 EPOCH

Files are packed in one order, with one time and one owner: the same folder gives the same packages.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import app_image
import contents

HERE = contents.CHECKOUT / "packaging" / "linux"
_NAME = "toolplanner"
_PLACE = f"opt/{_NAME}"
_AROUND = contents.BUILD / "tarball"
"""What lies around the program in the archive."""
_ICON_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libbrotlicommon.so.1": "libbrotli1",
    "libbrotlidec.so.1": "libbrotli1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libGL.so.1": "libgl1",
    "libxcb.so.1": "libxcb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libdrm.so.2": "libdrm2",
}
"""Library of the system that a shipped one is linked to -> its package in Debian and Ubuntu."""
_OF_LIBC = ("libc.", "libm.", "libdl.", "libpthread.", "libresolv.", "librt.", "ld-linux")
_ALSO = (
    "libxkbcommon-x11-0",
    "fontconfig-config",
    "fonts-dejavu-core | fonts-freefont-ttf | fonts-liberation",
)
"""What Qt reads at run time without being linked to it: keyboard tables, lists of fonts, a font."""
_RECOMMENDED = "shared-mime-info, desktop-file-utils, hicolor-icon-theme, xkb-data"
_ABOUT = """Description: workbench for large tool catalogues of language models
 Import the tools you have, group APIs that can stand in for one another into
 toolkits, correct them on a map, run queries over them and debug the runs.
 .
 Works without a network, a key or an account.
"""


def main() -> None:
    """Make the packages."""
    frozen, out, version, epoch = (
        Path(sys.argv[1]),
        Path(sys.argv[2]),
        sys.argv[3],
        int(sys.argv[4]),
    )
    arch = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    make_deb(frozen, out / f"{_NAME}_{version}_{arch}.deb", version=version, arch=arch, epoch=epoch)
    stem = f"{_NAME}-{version}-linux-{platform.machine()}"
    make_tarball(frozen, out / f"{stem}.tar.xz", stem=stem, epoch=epoch)
    if platform.machine() == app_image.ARCHITECTURE:
        image = out / f"{_NAME}-{version}-{app_image.ARCHITECTURE}.AppImage"
        app_image.make_app_image(frozen, image, share=_AROUND / "share", epoch=epoch)
    for path in sorted(out.glob(f"{_NAME}[-_]{version}*")):
        sys.stdout.write(f"{path.stat().st_size / 1e6:8.1f} MB  {path}\n")


def lay_shared_files(share: Path) -> None:
    """Menu entry, file type and icons, as the desktop's rules want them below a `share` folder."""
    for file, place in ((f"{_NAME}.desktop", "applications"), (f"{_NAME}.xml", "mime/packages")):
        (share / place).mkdir(parents=True)
        shutil.copy(HERE / file, share / place)
    for size in _ICON_SIZES:
        folder = share / f"icons/hicolor/{size}x{size}"
        for place, source, name in (
            ("apps", "toolplanner", _NAME),
            ("mimetypes", "workspace", "application-x-toolplanner"),
        ):
            (folder / place).mkdir(parents=True)
            shutil.copy(contents.ICONS / f"{source}-{size}.png", folder / place / f"{name}.png")


def make_deb(frozen: Path, deb: Path, *, version: str, arch: str, epoch: int) -> None:
    """Make the package for Debian and Ubuntu."""
    root = contents.BUILD / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(frozen, root / _PLACE, symlinks=True)
    lay_shared_files(root / "usr/share")
    documents = root / f"usr/share/doc/{_NAME}"
    documents.mkdir(parents=True)
    licences = [contents.CHECKOUT / "LICENSE", contents.MADE / "third_party.txt"]
    texts = [path.read_text("utf-8") for path in licences]
    (documents / "copyright").write_text("\n\n".join(texts), encoding="utf-8")
    (root / "usr/bin").mkdir()
    for name in contents.PROGRAMS:
        (root / "usr/bin" / name).symlink_to(f"/{_PLACE}/{name}")
    size = sum(p.lstat().st_size for p in root.rglob("*") if p.is_file()) // 1024
    control = root / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(
        f"Package: {_NAME}\nVersion: {version}\nArchitecture: {arch}\nSection: devel\n"
        f"Priority: optional\nInstalled-Size: {size}\nDepends: {', '.join(needed(frozen))}\n"
        f"Recommends: {_RECOMMENDED}\n"
        f"Maintainer: The authors of ToolPlanner <toolplanner@example.invalid>\n{_ABOUT}",
        encoding="utf-8",
    )
    for path in [root, *root.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, deb],
        check=True,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)},
        stdout=subprocess.DEVNULL,
    )


def needed(frozen: Path) -> list[str]:
    """Packages that hold the libraries the folder is linked to and does not bring.

    Raises:
        SystemExit: a library is not in the table.
    """
    files = [
        p for p in frozen.rglob("*") if p.is_file() and (".so" in p.name or p.parent == frozen)
    ]
    brought = {path.name for path in frozen.rglob("*.so*")}
    linked: set[str] = set()
    glibc = (2, 17)
    for path in files:
        said = subprocess.run(
            ["readelf", "--wide", "--dynamic", "--version-info", path],
            capture_output=True, text=True, check=True, errors="replace",
        ).stdout  # fmt: skip
        linked.update(re.findall(r"\(NEEDED\).*\[(.+)\]", said))
        versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", said)
        glibc = max([glibc, *((int(a), int(b)) for a, b in versions)])
    outside = {name for name in linked - brought if not name.startswith(_OF_LIBC)}
    if unknown := outside - _PACKAGES.keys():
        sys.exit(
            f"Name the packages of these libraries in {__file__}: {', '.join(sorted(unknown))}"
        )
    return [
        f"libc6 (>= {glibc[0]}.{glibc[1]})", *sorted({_PACKAGES[name] for name in outside}), *_ALSO
    ]  # fmt: skip


def make_tarball(frozen: Path, tarball: Path, *, stem: str, epoch: int) -> None:
    """Make the archive with a script that installs it for one person."""
    shutil.rmtree(_AROUND, ignore_errors=True)
    lay_shared_files(_AROUND / "share")
    for path in (
        HERE / "install.sh",
        contents.CHECKOUT / "LICENSE",
        contents.MADE / "third_party.txt",
    ):
        shutil.copy(path, _AROUND)

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = epoch
        return info

    with tarfile.open(tarball, "w:xz", preset=6) as tar:
        for folder, name in ((frozen, f"{stem}/{_NAME}"), (_AROUND, stem)):
            for path in sorted(folder.rglob("*")):
                inside = f"{name}/{path.relative_to(folder).as_posix()}"
                tar.add(path, inside, recursive=False, filter=plain)


if __name__ == "__main__":
    main()
