"""Archives from others: nothing climbs out, nothing fills the machine, everything is reported."""

import gzip
import io
import json
import os
import stat
import zipfile

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.files import Caps, Member, walk
from toolplanner_core.sources.import_preview import preview_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected


def contents(location, caps=None):
    return {
        item.where: item.data
        for item in walk(Location.of(location), caps)
        if isinstance(item, Member)
    }


def refusals(location, caps=None):
    return {
        item.where: item.why
        for item in walk(Location.of(location), caps)
        if isinstance(item, Rejected)
    }


def zip_bytes(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def test_member_when_it_has_no_name_then_it_alone_is_refused(tmp_path):
    named, nameless = b"aa.json", b"\0a.json"
    content = zip_bytes((named.decode(), b"{}"), ("W/good.json", b"{}"))
    path = tmp_path / "tools.zip"
    path.write_bytes(content.replace(named, nameless))
    assert list(contents(path)) == ["tools.zip:W/good.json"]
    assert refusals(path) == {"tools.zip:": "it has no name"}
    with pytest.raises(BadInput):
        preview_source(Location.of(path))  # looks into it to find out its format


@pytest.mark.parametrize(
    "name",
    ["/etc/a.json", "../a.json", "W/../../a.json", "C:\\a.json", "c:/a.json", "..\\a.json"],
)
def test_member_when_its_name_climbs_out_then_it_is_refused(make_zip, name):
    path = make_zip((name, b"{}"), ("W/good.json", b"{}"))
    assert list(contents(path)) == ["tools.zip:W/good.json"]
    assert len(refusals(path)) == 1


def test_member_when_made_on_windows_then_backslashes_are_folders(make_zip):
    path = make_zip(("x", b""))
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("a")
        info.filename = "Weather\\meteo.json"
        archive.writestr(info, b"{}")
    members = [item for item in walk(Location.of(path)) if isinstance(item, Member)]
    assert [member.parts for member in members] == [("Weather", "meteo.json")]


def test_member_when_it_is_a_link_then_it_is_refused(make_zip):
    path = make_zip(("x.json", b"{}"))
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("link.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert refusals(path) == {"tools.zip:link.json": "it is a link, and links are not followed"}


def test_link_in_a_folder_when_walked_then_it_is_refused_not_followed(tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    folder = tmp_path / "tools"
    folder.mkdir()
    try:
        (folder / "link.json").symlink_to(secret)
        (folder / "loop").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("needs the right to make links")
    assert not contents(folder)
    assert set(refusals(folder)) == {"tools/link.json", "tools/loop"}


def test_bomb_when_walked_then_it_is_refused_and_the_rest_read(make_zip):
    path = make_zip(("W/bomb.json", b"0" * 20_000_000), ("W/good.json", b"{}"))
    assert list(contents(path)) == ["tools.zip:W/good.json"]
    assert "far too many bytes" in refusals(path)["tools.zip:W/bomb.json"]


def test_gzip_bomb_when_walked_then_it_is_refused(make_zip, tmp_path):
    bomb = gzip.compress(b"0" * 20_000_000)
    (tmp_path / "bomb.json.gz").write_bytes(bomb)
    assert "far too many" in refusals(tmp_path / "bomb.json.gz")["bomb.json.gz"]
    assert "far too many" in refusals(make_zip(("b.json.gz", bomb)))["tools.zip:b.json.gz"]


def test_caps_when_exceeded_then_member_is_refused_or_import_stops(make_zip):
    path = make_zip(("a.json", b"1" * 600), ("b.json", b"2" * 600), ("c.json", b"3" * 2_000))
    assert "c.json" in next(iter(refusals(path, Caps(member_bytes=1_000))))
    with pytest.raises(BadInput, match="more than 2 files"):
        contents(path, Caps(members=2))
    with pytest.raises(BadInput, match="more than 1,000 bytes"):
        contents(path, Caps(total_bytes=1_000))


def test_archive_in_archive_when_walked_then_one_level_is_read(make_zip):
    deepest = zip_bytes(("deep.json", b"{}"))
    inner = zip_bytes(("tools/Weather/a.json", b"{}"), ("more.zip", deepest), ("../x.json", b"{}"))
    path = make_zip(("pack/inner.zip", inner), ("loose/Sports.zip", zip_bytes(("s.json", b"{}"))))
    members = [item for item in walk(Location.of(path)) if isinstance(item, Member)]
    assert [(m.where, m.parts[-2]) for m in members] == [
        ("tools.zip:pack/inner.zip:tools/Weather/a.json", "Weather"),
        ("tools.zip:loose/Sports.zip:s.json", "Sports"),
    ]
    assert set(refusals(path)) == {
        "tools.zip:pack/inner.zip:more.zip",
        "tools.zip:pack/inner.zip:../x.json",
    }


def test_archive_in_a_folder_when_walked_then_it_is_read(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.zip").write_bytes(zip_bytes(("W/a.json", b"{}")))
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 nothing")
    assert list(contents(folder)) == ["data/a.zip:W/a.json"]
    assert refusals(folder) == {"data/bad.zip": "the zip archive is damaged"}


def test_members_when_damaged_or_encrypted_then_they_are_refused(make_zip):
    path = make_zip(("W/a.json", json.dumps(list(range(1_000)))), ("W/b.json", b"{}"))
    raw = bytearray(path.read_bytes())
    raw[60:90] = bytes(30)
    path.write_bytes(raw)
    assert list(contents(path)) == ["tools.zip:W/b.json"]
    assert "cannot be unpacked" in refusals(path)["tools.zip:W/a.json"]

    locked = make_zip(("W/c.json", b"{}"), name="locked.zip")
    raw = bytearray(locked.read_bytes())
    raw[6] |= 1  # the "encrypted" bit, in the local and the central header
    central = raw.index(b"PK\x01\x02")
    raw[central + 8] |= 1
    locked.write_bytes(raw)
    assert refusals(locked) == {"locked.zip:W/c.json": "it is encrypted"}


def test_zip_when_cut_off_then_it_is_bad_input(make_zip):
    path = make_zip(("a.json", b"1" * 1_000))
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(BadInput, match="damaged"):
        contents(path)


def test_json_when_too_deep_then_it_is_refused_not_crashed_on(read, make_zip):
    records = read(
        "toolbench",
        make_zip(
            ("W/a.json", b"[" * 100_000),
            ("W/b.json", b"[" * 250 + b"]" * 250),
            ("W/c.json", b'{"api_list": ' + b"[" * 150 + b"]" * 150 + b"}"),
            ("W/d.json", b"[" + b"9" * 5_000 + b"]"),
        ),
    )
    reasons = records.reasons
    assert "deeper than 200" in reasons["tools.zip:W/a.json"]
    assert "deeper than 200" in reasons["tools.zip:W/b.json"]
    assert reasons["tools.zip:W/c.json $.api_list[0]"] == "an API is an object, this is a list"
    assert "cannot be read" in reasons["tools.zip:W/d.json"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_file_when_not_readable_then_it_is_refused(tmp_path):
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "a.json").write_text("{}")
    (folder / "a.json").chmod(0)
    assert "cannot be read" in refusals(folder)["tools/a.json"]
