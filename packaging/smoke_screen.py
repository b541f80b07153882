"""The screen of the smoke test, and whether there is something on a picture.

On Linux the screen is an Xvfb that keeps its pixels in a file, so that it is looked at from
outside of the program; elsewhere it is the person's own, and nothing looks at it.
"""

import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from types import TracebackType

_WIDTH, _HEIGHT = 1600, 1000
_PATIENCE_S = 120.0
_POLL_S = 0.02
_STILL_S = 2.0


class Screen:
    """A screen while the `with` block runs.

    Args:
        folder: for its file of pixels.
        root: where programs run that shall find it; None: here.
    """

    def __init__(self, folder: Path, root: Path | None) -> None:
        self._folder = folder
        self._root = root
        self._server: subprocess.Popen[bytes] | None = None
        self.name: str | None = None

    def __enter__(self) -> "Screen":
        if sys.platform == "linux" and shutil.which("Xvfb"):
            self._server = subprocess.Popen(
                ["Xvfb", "-displayfd", "1", "-screen", "0", f"{_WIDTH}x{_HEIGHT}x24", "-nolisten",
                 "tcp", "-ac", "-fbdir", self._folder],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            assert self._server.stdout is not None
            self.name = f":{self._server.stdout.readline().decode().strip()}"
            self._share()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait()
            if self._root:
                subprocess.run(["umount", self._root / "tmp/.X11-unix"], check=True)

    @property
    def is_there(self) -> bool:
        """Whether a window can be shown."""
        return sys.platform != "linux" or self._server is not None

    def wait_for_rows(self, count: int) -> None:
        """Wait until the screen has so many different rows of pixels.

        Raises:
            AssertionError: it does not get them.
        """
        end_s = time.monotonic() + _PATIENCE_S
        while self._server is not None:
            if len(set(self._rows())) >= count:
                return
            assert time.monotonic() < end_s, "nothing appears on the screen"
            time.sleep(_POLL_S)
        time.sleep(_PATIENCE_S / 6)

    def wait_until_still(self) -> None:
        """Wait until nothing changes on the screen."""
        before, since_s = None, time.monotonic()
        end_s = since_s + _PATIENCE_S
        while self._server is not None and time.monotonic() < min(since_s + _STILL_S, end_s):
            if (now := self._rows()) != before:
                before, since_s = now, time.monotonic()
            time.sleep(_POLL_S * 5)

    def keep(self, path: Path) -> None:
        """Save what is on the screen as a PNG; nothing where it cannot be seen."""
        if self._server is None:
            return
        rows = b"".join(b"\0" + _without_padding(row) for row in self._rows())
        head = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
        pieces = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
        path.write_bytes(
            b"\x89PNG\r\n\x1a\n"
            + b"".join(
                struct.pack(">I", len(data))
                + kind
                + data
                + struct.pack(">I", zlib.crc32(kind + data))
                for kind, data in pieces
            )
        )

    def _rows(self) -> list[bytes]:
        # The format of `xwd`: a head that says its own length, a table of colours, the pixels.
        data = (self._folder / "Xvfb_screen0").read_bytes()
        head = struct.unpack(">25I", data[:100])
        line, begin = head[12], head[0] + 12 * head[19]
        return [data[begin + y * line : begin + (y + 1) * line] for y in range(_HEIGHT)]

    def _share(self) -> None:
        if self._root:
            sockets = self._root / "tmp/.X11-unix"
            sockets.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", "/tmp/.X11-unix", sockets], check=True)


def _without_padding(row: bytes) -> bytes:
    """RGB of a row of B, G, R, unused."""
    out = bytearray(_WIDTH * 3)
    out[0::3], out[1::3], out[2::3] = row[2::4], row[1::4], row[0::4]
    return bytes(out)


def rows_of_picture(path: Path) -> int:
    """How many rows of a PNG differ from each other, as they are stored."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        length = struct.unpack(">I", data[at : at + 4])[0]
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    pixels = zlib.decompress(packed)
    line = len(pixels) // height
    assert line > width, "the picture is no PNG of colours"
    return len({pixels[y * line : (y + 1) * line] for y in range(height)})
