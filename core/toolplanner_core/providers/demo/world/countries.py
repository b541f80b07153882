"""Countries and their states by the names and abbreviations that people use."""

from functools import cache

from toolplanner_core.providers.demo.world.world import Record, Refusal, fold, table

_STATES = {
    "il": "illinois", "ma": "massachusetts", "mo": "missouri", "ny": "new york", "nyc": "new york",
    "ca": "california", "wa": "washington", "or": "oregon", "me": "maine", "co": "colorado",
    "tx": "texas", "az": "arizona", "nv": "nevada", "ut": "utah", "mn": "minnesota",
    "mi": "michigan", "oh": "ohio", "tn": "tennessee", "ga": "georgia", "fl": "florida",
    "la": "louisiana", "pa": "pennsylvania", "dc": "district of columbia", "md": "maryland",
    "nc": "north carolina", "hi": "hawaii", "ak": "alaska", "on": "ontario",
    "bc": "british columbia", "qc": "quebec", "wy": "wyoming", "mt": "montana", "va": "virginia",
}  # fmt: skip
_COUNTRIES = {
    "usa": "us", "u s a": "us", "united states of america": "us", "uk": "gb", "great britain": "gb",
    "england": "gb", "uae": "ae", "holland": "nl", "america": "us",
}  # fmt: skip


@cache
def countries() -> dict[str, Record]:
    """Countries by two-letter code."""
    return {row["cc"]: row for row in table("countries")}


@cache
def country_names() -> dict[str, str]:
    """Codes of countries by folded name, code and usual short form."""
    names: dict[str, str] = {}
    for code, row in countries().items():
        names |= dict.fromkeys((fold(row["name"]), fold(code), fold(row["iso3"])), code)
    return names | {alias: code.upper() for alias, code in _COUNTRIES.items()}


def country_code(name: str) -> str:
    """Two-letter code of a country by name or code.

    Raises:
        Problem: 404, there is no such country in this world.
    """
    code = country_names().get(fold(name))
    if code is None:
        raise Refusal(404, "not_found", f"No country called {name!r}", field="country")
    return code


def state_name(name: str) -> str:
    """The folded name of a state or region, from its name or a usual abbreviation."""
    return _STATES.get(fold(name), fold(name))
