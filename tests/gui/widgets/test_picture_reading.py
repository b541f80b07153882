"""Foreign pictures: which are decoded, how large at most, and what is said of the others."""

import pytest
from fixtures.hostile_pictures import BOMB, CUT, PAGE, SVG, based, png
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from toolplanner_gui.widgets.picture_view import LARGEST, LONGEST, read_picture


def written(form: str) -> bytes:
    image = QImage(40, 20, QImage.Format.Format_RGB32)
    image.fill(0xFF336699)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert QImageWriter(buffer, QByteArray(form.encode())).write(image)
    return bytes(buffer.data().data())


GIF = (
    b"GIF89a\x02\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x02\x00\x01\x00"
    b"\x00\x02\x02D\n\x00;"
)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_picture_when_its_form_is_drawn_then_read(qapp, form: str) -> None:
    if form.lower().encode() not in [bytes(f.data()) for f in QImageReader.supportedImageFormats()]:
        pytest.skip(f"this Qt reads no {form}")
    image = read_picture(based(written(form)))
    assert isinstance(image, QImage)
    assert (image.width(), image.height()) == (40, 20)


def test_picture_when_it_moves_then_its_first(qapp) -> None:
    image = read_picture(based(GIF))
    assert isinstance(image, QImage)
    assert (image.width(), image.height()) == (2, 1)


def test_picture_when_large_then_made_smaller_while_it_is_read(qapp) -> None:
    image = read_picture(based(png(4000, 1000)))
    assert isinstance(image, QImage)
    assert (image.width(), image.height()) == (LARGEST.width(), LARGEST.width() // 4)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (based(BOMB), "50,000 × 50,000 pixels are too many"),
        (based(png(40_000, 1)), "pixels are too many"),
        (based(CUT), "cannot be read to its end"),
        (based(CUT[:20]), "Broken"),
        (based(PAGE), "no PNG, JPEG, GIF or WebP"),
        (based(SVG), "no PNG, JPEG, GIF or WebP"),
        ("", "no PNG, JPEG, GIF or WebP"),
        ("not base64 ü", "not base64"),
        ("A" * (LONGEST + 4), "larger than 6,000,000 bytes"),
    ],
)
def test_picture_when_it_must_not_be_drawn_then_said_why(qapp, data: str, said: str) -> None:
    found = read_picture(data)
    assert isinstance(found, str)
    assert said in found
