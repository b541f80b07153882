"""Pictures that the style sheet names, kept in memory: a program that is killed leaves no files.

A style sheet takes pictures by their path only, so they are given to Qt as a resource of this
process, under `:/NAME`. Made by `theme`, once for each set of tokens.

Source: Qt's resource format, version 1 (`qresource.cpp`).
"""

import struct
from collections.abc import Mapping

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, qRegisterResourceData
from PySide6.QtGui import QPixmap

_FORMAT = 1
_FOLDER = 2
_ANY_LANGUAGE = 1
_alive: list[tuple[bytes, bytes, bytes]] = []
"""Qt reads where they stand, as long as the process lives."""


def register_pictures(pictures: Mapping[str, QPixmap]) -> None:
    """Make pictures readable as `:/NAME`; a name is given once in the life of the process."""
    # Qt looks a name up by bisecting the hashes.
    ordered = sorted(pictures, key=_hash)
    tree, names, data = struct.pack(">IHII", 0, _FOLDER, len(ordered), 1), b"", b""
    for name in ordered:
        content = _as_png(pictures[name])
        tree += struct.pack(">IHHHI", len(names), 0, 0, _ANY_LANGUAGE, len(data))
        names += struct.pack(">HI", len(name), _hash(name)) + name.encode("utf-16-be")
        data += struct.pack(">I", len(content)) + content
    _alive.append((tree, names, data))
    qRegisterResourceData(_FORMAT, tree, names, data)


def _as_png(picture: QPixmap) -> bytes:
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(content.data())


def _hash(name: str) -> int:
    """As `qt_hash` (PJW)."""
    found = 0
    for unit in name.encode("ascii"):
        found = (found << 4) + unit
        found ^= (found & 0xF0000000) >> 23
        found &= 0x0FFFFFFF
    return found
