"""Which pictures of a reply are kept: by form and by room."""

from fixtures.hostile_pictures import SVG, based

from toolplanner_core.providers.reply_images import MOST_KEPT, FoundPicture, pictures_of


def test_pictures_when_too_large_together_or_no_raster_then_named_without_their_data() -> None:
    half = "A" * (MOST_KEPT // 2 + 4)
    found = [
        FoundPicture("image/png", half),
        FoundPicture("image/png", half),
        FoundPicture("IMAGE/JPEG; q=1", "AAAA", "file://x"),
        FoundPicture("image/svg+xml", based(SVG)),
        FoundPicture("application/pdf", "AAAA"),
    ]
    kept = pictures_of(found)
    assert [each["type"] for each in kept] == [
        "image/png", "image/png", "image/jpeg", "image/svg+xml",
    ]  # fmt: skip
    assert [len(each["data"]) for each in kept] == [len(half), 0, 4, 0]
    assert kept[2]["name"] == "file://x"


def test_pictures_when_there_are_thousands_then_twenty() -> None:
    assert len(pictures_of([FoundPicture("image/png", "AAAA")] * 5000)) == 20
