"""Tables of tools as spreadsheets write them: columns guessed or chosen, bad rows named."""

import gzip
import json
import sys
from dataclasses import fields

import pytest

from toolplanner_core.domain.operation import ArgumentPlace, RequestPart
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.table import TableOptions, offered

CSV = """\
Name,Description,Tool,Category,Method,URL,Parameters,Required
forecast,"Weather of a city,
by day",Meteo,Weather,get,https://a.example/{city},"city, days: int",city
report,Sends a report,Meteo,Weather,POST,https://a.example/r,"{""text"": {""type"": ""string""}}",
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_table_when_its_columns_have_usual_names_then_they_are_guessed(read, tmp_path, delimiter):
    path = tmp_path / "tools.tsv"
    path.write_text("\ufeff" + CSV.replace("city, days", "city| days").replace(",", delimiter))
    if delimiter != ",":
        path.write_text(path.read_text().replace('""text""' + delimiter, '""text"",'))
    assert detect(Location.of(path)).id == "table"
    forecast, report = read("table", path).apis
    assert (forecast.key, forecast.method) == ("Weather/Meteo/forecast", "GET")
    assert forecast.description == f"Weather of a city{delimiter}\nby day".replace("\t", "\t")
    assert forecast.parameters == {
        "type": "object",
        "properties": {"city": {}, "days": {"type": "integer"}},
        "required": ["city"],
    }
    assert dict(forecast.operation.places) == {
        "city": ArgumentPlace(within=RequestPart.PATH),
        "days": ArgumentPlace(within=RequestPart.QUERY),
    }
    assert report.parameters["properties"] == {"text": {"type": "string"}}


@pytest.mark.parametrize("column", ["Text", "TEXT", "What it does", "Notes"])
def test_table_when_the_description_has_another_usual_name_then_it_is_guessed(
    read, tmp_path, column
):
    path = tmp_path / "list.csv"
    path.write_text(f"Name,{column},Vendor\nfind,Finds things,Acme\n")
    (api,) = read("table", path).apis
    assert api.description == "Finds things"
    assert offered(Location.of(path))["description"].guessed == column
    assert detect(Location.of(path)).id == "table"


def test_table_when_it_has_a_description_and_a_text_then_the_description_counts(read, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("Name,Text,Description\nfind,a,b\n")
    (api,) = read("table", path).apis
    assert api.description == "b"


def test_table_when_columns_are_chosen_then_these_count(read, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("Ding,Wozu\nfind,Finds things\n")
    ((where, why),) = read("table", path).reasons.items()
    assert where == "list.csv"
    assert "the option name says which of 'Ding', 'Wozu' does" in why
    (api,) = read("table", path, name="ding", description="Wozu").apis
    assert (api.key, api.description) == ("list/find", "Finds things")


def test_table_when_its_columns_are_offered_then_each_with_what_would_be_guessed(read, tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("Ding,Wozu,Type,Url\nfind,Finds things,pump,https://a.example/x\n")
    found = offered(Location.of(path))
    assert found.keys() == {each.name for each in fields(TableOptions)}
    assert {each.values for each in found.values()} == {("Ding", "Wozu", "Type", "Url")}
    guessed = {name: each.guessed for name, each in found.items() if each.guessed}
    assert guessed == {"category": "Type", "url": "Url"}
    assert (found["name"].none, found["category"].none) == ("", "-")
    (api,) = read("table", path, name="Ding", category="-").apis
    assert (api.key, api.url) == ("list/find", "https://a.example/x")
    path.write_text("no table")
    assert offered(Location.of(path)) == {}


def test_table_when_rows_are_bad_then_they_are_named_and_the_rest_goes_in(read, tmp_path):
    path = tmp_path / "tools.csv"
    path.write_text("name,description\na,A\n,B\nc,C,more\n\nd\n=1+1,@SUM(A1)\n")
    records = read("table", path)
    assert [api.name for api in records.apis] == ["a", "d", "=1+1"]
    assert records.reasons == {
        "tools.csv line 3": "the column 'name' holds no name",
        "tools.csv line 4": "it has 3 cells under 2 columns",
    }


def test_table_when_json_lines_or_packed_in_a_folder_then_read_like_others(read, tmp_path):
    rows = [{"function": "a", "summary": "A"}, {"function": "b", "summary": "B", "args": ["x"]}]
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "one.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "two.csv.gz").write_bytes(gzip.compress(b"name,desc\nc,C\n"))
    assert detect(Location.of(folder)).id == "table"
    records = read("table", folder)
    assert [api.key for api in records.apis] == ["one/a", "one/b", "two/c"]
    assert records.apis[1].parameters["properties"] == {"x": {}}


def test_text_when_it_is_no_table_then_it_is_not_taken_for_one(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear name, description follows.\nYours, A\n")
    with pytest.raises(BadInput, match="No tools were found here"):
        detect(Location.of(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_table_when_in_another_encoding_then_its_letters_are_read(read, tmp_path, encoding):
    path = tmp_path / "tools.csv"
    path.write_bytes('Name,Description\r\nmétéo,"Le ""temps"" d\'été"\r\n'.encode(encoding))
    (api,) = read("table", path).apis
    assert (api.name, api.description) == ("météo", 'Le "temps" d\'été')


def test_table_when_two_columns_have_one_name_then_the_first_counts(read, tmp_path):
    path = tmp_path / "tools.csv"
    path.write_text("name,description,name\nfirst,Text,second\n")
    assert [api.name for api in read("table", path).apis] == ["first"]


@pytest.mark.parametrize("text", ["name,description\n", "name,description\n\n\n"])
def test_table_when_it_has_no_rows_then_nothing_comes_out(read, tmp_path, text):
    path = tmp_path / "tools.csv"
    path.write_text(text)
    assert read("table", path).apis == []


def test_parquet_when_pyarrow_is_missing_then_said_how_to_get_it(read, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = tmp_path / "tools.parquet"
    path.write_bytes(b"PAR1\x00\x01PAR1")
    assert detect(Location.of(path)).id == "table"
    (refused,) = read("table", path).rejected
    assert "install it there, or save the table as CSV" in refused.why


def test_parquet_when_pyarrow_is_there_then_rows_come_in(read, tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow, which is optional")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "tools.parquet"
    columns = {"name": ["a", "b"], "description": ["x", None]}
    parquet.write_table(pyarrow.table(columns), path)
    assert [api.name for api in read("table", path).apis] == ["a", "b"]
    path.write_bytes(b"PAR1 no table")
    assert read("table", path).rejected
