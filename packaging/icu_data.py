"""A small library in the place of `libicudata`, with the data that Qt asks ICU for and no more.

Qt for Linux brings all of ICU's data, 31 MB, a fifth of an installed program before. Qt has its own
tables of languages and asks ICU to compare texts and for time zones; Qt for Windows has no ICU at
all. Names of places, currencies and units in 700 languages and old encodings stay out.

Source: ICU 73, `ucmndata.h` and `udata.h` say what such a file is.
"""

import re
import struct
import subprocess
import tempfile
from pathlib import Path

_MAGIC = b"\xda\x27"
_COMMON = b"CmnD"
_ALIGNED = 16
_WANTED = re.compile(
    r"(?!unames)[^/]+\.(icu|nrm)|"
    r"(pool|root|en|en_001|en_US|res_index|icuver|icustd|supplementalData|metadata|likelySubtags|"
    r"keyTypeData|zoneinfo64|timezoneTypes|metaZones|windowsZones|numberingSystems|plurals|"
    r"pluralRanges|dayPeriods|langInfo|genderList|grammaticalFeatures|currencyNumericCodes)\.res|"
    # Chinese, Japanese and Korean, which are large, are sorted by the order for all languages.
    r"coll/(?!zh|ja|ko|yue)[^/]+"
)
"""Items that stay, without the name of the package before them."""


def make_small(library: Path) -> None:
    """Put a small library of the same name and symbol in the place of `libicudata.so.N`."""
    header, items = read_items(library.read_bytes())
    package = next(iter(items)).partition("/")[0]
    kept = {name: data for name, data in items.items() if is_wanted(name)}
    symbol = f"{package.rstrip('lbe')}_dat"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "icu.dat").write_bytes(packed(header, kept))
        # A fixed name below: what is built must not depend on the folder.
        (Path(folder) / "icu.s").write_text(
            f".section .rodata\n.globl {symbol}\n.type {symbol}, @object\n.balign {_ALIGNED}\n"
            f'{symbol}: .incbin "icu.dat"\n.size {symbol}, . - {symbol}\n'
            ".section .note.GNU-stack\n",
            encoding="utf-8",
        )
        subprocess.run(["as", "-o", "icu.o", "icu.s"], cwd=folder, check=True)
        command = ["ld", "-shared", "-soname", library.name, "-z", "max-page-size=4096"]
        subprocess.run([*command, "-o", "icu.so", "icu.o"], cwd=folder, check=True)
        library.write_bytes((Path(folder) / "icu.so").read_bytes())
    library.chmod(0o755)


def is_wanted(name: str) -> bool:
    """Whether an item, such as "icudt73l/coll/root.res", stays."""
    return _WANTED.fullmatch(name.partition("/")[2]) is not None


def read_items(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The header of the data inside a library, and its items by name, in their order.

    The last item is taken to the end of the file: what follows it does no harm.
    """
    at = -1
    while (at := data.index(_MAGIC, at + 1)) and data[at + 10 : at + 14] != _COMMON:
        pass
    begin = at - 2
    size: int = struct.unpack_from("<H", data, begin)[0]
    table = begin + size
    count: int = struct.unpack_from("<I", data, table)[0]
    entries = [struct.unpack_from("<II", data, table + 4 + 8 * n) for n in range(count)]
    ends = [table + offset for _, offset in entries[1:]] + [len(data)]
    items: dict[str, bytes] = {}
    for (name_at, offset), end in zip(entries, ends, strict=True):
        name = data[table + name_at : data.index(b"\0", table + name_at)].decode()
        items[name] = data[table + offset : end]
    return data[begin:table], items


def packed(header: bytes, items: dict[str, bytes]) -> bytes:
    """The same kind of data with other items; ICU looks for them in the order of their names."""
    names = sorted(items, key=str.encode)
    text = b"".join(name.encode() + b"\0" for name in names)
    begin = 4 + 8 * len(names)
    at = begin + len(text)
    first = at = at + -at % _ALIGNED
    table = struct.pack("<I", len(names))
    name_at, body = begin, b""
    for name in names:
        table += struct.pack("<II", name_at, at)
        name_at += len(name) + 1
        item = items[name] + bytes(-len(items[name]) % _ALIGNED)
        body += item
        at += len(item)
    return header + (table + text).ljust(first, b"\0") + body
