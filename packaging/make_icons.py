"""Draw the icons of the program and of its files at all sizes, and pack them as each system wants.

    build/venv/bin/python packaging/make_icons.py OUT

Makes NAME-SIZE.png, NAME.ico (Windows) and NAME.icns (macOS) from each NAME.svg of resources/icons.
"""

import os
import struct
import sys
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
_ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
_ICNS_TYPES = {"ic11": 32, "ic12": 64, "ic07": 128, "ic08": 256, "ic09": 512}
"""Apple's names for pictures in the PNG format -> pixels."""


def main() -> None:
    """Write all files into the folder that was named."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _ = QGuiApplication(sys.argv[:1])
    for source in sorted((Path(__file__).parents[1] / "resources/icons").glob("*.svg")):
        pictures = {size: draw(source, size) for size in SIZES}
        for size, png in pictures.items():
            (out / f"{source.stem}-{size}.png").write_bytes(png)
        (out / f"{source.stem}.ico").write_bytes(ico({s: pictures[s] for s in _ICO_SIZES}))
        (out / f"{source.stem}.icns").write_bytes(icns(pictures))


def draw(source: Path, size: int) -> bytes:
    """The drawing as a PNG of `size` x `size` pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(source)).render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(data.data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """An icon file of Windows: a table of pictures, then the pictures."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    begin = len(head) + 16 * len(pictures)
    for size, png in pictures.items():
        side = size % 256  # 0 stands for 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(png), begin)
        begin += len(png)
    return head + b"".join(pictures.values())


def icns(pictures: dict[int, bytes]) -> bytes:
    """An icon file of macOS: pieces, each with its name and length."""
    pieces = [
        name.encode() + struct.pack(">I", 8 + len(pictures[size])) + pictures[size]
        for name, size in _ICNS_TYPES.items()
    ]
    body = b"".join(pieces)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


if __name__ == "__main__":
    main()
