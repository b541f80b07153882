"""Whether a parameter of one API means what a parameter of another one means.

Names that are known to mean the same, descriptions that say so, and what a value is by the tables
of the program (a currency, a unit). A number that a service gave out means nothing to another one,
and what gives access is for nobody else. Pure; called by `argument_carrying.py`.
"""

import re
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api, Parameter
from toolplanner_core.strategies.techniques.carried_values import (
    has_other_day_form,
    is_known_name,
    lengths_fit,
    text_of,
)
from toolplanner_core.words.stems import singular
from toolplanner_core.words.tables import currencies, spelled

_SAME = (
    "lat latitude",
    "lon lng long longitude",
    "city town city_name",
    "place location",
    "from source have origin sender_city departure_city",
    "to target want destination receiver_city arrival_city",
    "amount quantity sum",
    "symbol symbole ticker stock_symbol ticker_slug",
    "zip zipcode zip_code postcode postal_code",
    "ip ipaddress ip_address",
    "date day",
    "language target_language lang",
    "country country_code country_name",
    "url link page_url",
    "domain domain_name domainname",
    "first_name fname firstname",
    "second_name sname secondname",
    "word lemma",
    "site website",
    "carrier courier carrier_code",
)
"""Names that mean the same where type, unit, form and subject agree."""
_SEARCHED = frozenset({
    "q", "query", "search", "search_query", "searchquery", "search_term", "search_value", "keyword",
    "keywords", "term",
})  # fmt: skip
"""Names of what is searched for: they mean the same where nothing says more of them."""
_MONEY = (
    "from base source have from_currency base_currency source_currency",
    "to target quote want symbols to_currency target_currency quote_currency",
)
"""Names that mean the same where the value is the code of a currency."""
_UNIT_NAMES = ("from unit from_unit source_unit", "to to_unit target_unit")
"""Names that mean the same where the value is a unit."""
_MEASURED = frozenset({"amount", "value", "quantity"})
"""Names of what is converted, beside units."""
_WIDER = {
    "city": ("place", "location", "near"),
    "town": ("place", "location", "near"),
    "url": ("website", "site"),
}
"""Names that also hold what the first means; not the other way round."""
_VAGUE = frozenset({
    "text", "name", "id", "code", "number", "value", "type", "key", "address", "item", "have",
    "want",
} | _SEARCHED)  # fmt: skip
"""Names that say little alone: their descriptions say what they are."""
_SUBJECTS = frozenset({
    "currency", "currencies", "unit", "units", "language", "languages", "scale", "zone",
    "coordinates", "price",
})  # fmt: skip
_FORMS = frozenset({
    "code", "codes", "iso", "iata", "icao", "iana", "two-letter", "three-letter", "state",
    "zip", "postal", "comma", "commas", "separated", "yyyy-mm-dd", "hh:mm", "street",
    "address", "domain", "company", "json", "english", "us",
})  # fmt: skip
_UNITS = frozenset({
    "gram", "grams", "kilogram", "kilograms", "pound", "pounds", "ounce", "ounces", "pixel",
    "pixels", "days", "hours", "minutes", "seconds", "celsius",
    "fahrenheit", "kelvin", "percent",
})  # fmt: skip
"""Units that are not converted; those of lengths are."""
_ALTERNATIVES = re.compile(
    r",? ?\boptionally\b.*|\bor [\w-]+(?: [\w-]+)?|;.*|\(.*?\)"
    r"|\b(?:such as|e\.g\.|i\.e|one of|examples?)\b.*"
)
"""What a parameter takes as well, what happens without it, and examples."""
_WORD = re.compile(r"[a-z][a-z:-]*[a-z]")
_EMPTY_WORDS = frozenset({
    "the", "of", "an", "in", "to", "is", "it", "or", "and", "for", "name", "which", "such",
    "as", "what", "required", "optional", "translate", "convert", "wanted",
})  # fmt: skip
_BOUNDS = frozenset({"after", "before", "since", "until", "start", "end", "min", "max"})
_SECRET = re.compile(
    r"api.?key|token|secret|passw|authori[sz]|credential|client.?id|consumer|session|signature"
    r"|user.?agent|cookie|^key$|^auth|app.?id$|^sp_dc$",
    re.IGNORECASE,
)
_OF_SIGN_IN = re.compile(r"\boauth\b|authori[sz]ation code|code provided by user", re.IGNORECASE)
_GIVEN_OUT = re.compile(
    r"(?:^|[a-z_\-.])i_?ds?$|_?uu?id$|slug$|^username$|^user$|^account|cursor$|^handle$|_?ref$"
)
"""Names of what a service numbers or names by itself."""
_OF_ID = re.compile(r"\bids?\b")
_PLATFORMS = frozenset({
    "youtube", "instagram", "tiktok", "twitter", "facebook", "spotify", "soundcloud", "amazon",
    "imdb", "reddit", "steam", "wikipedia", "github", "pinterest", "twitch", "cricbuzz",
    "linkedin", "leetcode", "telegram", "airbnb", "zillow", "ebay", "tmdb",
})  # fmt: skip
"""Whose numbers and names several services take."""


class Given(NamedTuple):
    """A value that `first` got by `parameter`; alone if nothing else was given."""

    first: Api
    parameter: Parameter
    value: Any
    is_alone: bool


def means_same(given: Given, second: Api, place: Parameter) -> bool:
    """Whether a parameter of the second API surely means what was given to the first."""
    first = given.parameter
    is_own = given.first.tool == second.tool and given.first.source == second.source
    if not is_own and (is_secret(first) or is_secret(place)):
        return False
    if first.schema.get("format") != place.schema.get("format") and first.type == place.type:
        return False
    is_given_out = _is_given_out(first) or _is_given_out(place)
    if is_given_out and not (is_own or _is_one_platform(given.first, second)):
        return False
    return _is_one_name(given, second, place) and _is_one_meaning(given, place)


def is_secret(parameter: Parameter) -> bool:
    """Whether it gives access to something."""
    is_said = _SECRET.search(parameter.name) or _OF_SIGN_IN.search(parameter.description)
    return parameter.schema.get("writeOnly") is True or bool(is_said)


def plain_name(name: str) -> str:
    """A name in one spelling: "targetUnit" and "target-unit" are "target_unit"."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", name)
    return parted.strip("_").casefold()


def _is_given_out(parameter: Parameter) -> bool:
    """Whether a service has numbered or named what it stands for; numbers that all carriers and
    shops know are said to be such."""
    if re.search(r"\b(?:tracking|vat|vin|isbn|isin|ean|iban|swift|doi)\b", text_of(parameter)):
        return False
    plain = plain_name(parameter.name)
    return bool(_GIVEN_OUT.search(plain) or _OF_ID.search(text_of(parameter)))


def _is_one_platform(first: Api, second: Api) -> bool:
    """Whether both say whose numbers they take, and it is the same."""
    said = [f"{api.tool} {api.name} {api.description}".casefold() for api in (first, second)]
    named = [{platform for platform in _PLATFORMS if platform in text} for text in said]
    return bool(named[0]) and named[0] == named[1]


def _is_one_name(given: Given, second: Api, place: Parameter) -> bool:
    first = given.parameter
    one, other = _concept(first), _concept(place)
    if one == other and one:
        return True
    names = {plain_name(first.name), plain_name(place.name)}
    if len(names) == 1 and not (_content(first) and _content(place)):
        return True
    if str(given.value).upper() in currencies():
        return any(names <= set(group.split()) for group in _MONEY)
    if isinstance(given.value, str) and given.value.casefold() in spelled("units"):
        return any(names <= set(group.split()) for group in _UNIT_NAMES)
    if one in _SEARCHED and other in _SEARCHED:
        return True
    if names <= _MEASURED and _has_units(given.first) and _has_units(second):
        return True
    if other in _WIDER.get(one, ()) and plain_name(place.name) != "name":
        return True
    if any({one, other} <= set(group.split()) for group in _SAME):
        return True
    if singular(one) == singular(other) and "," not in str(given.value):
        return True
    if _is_bare_domain(given.value) and {one, other} == {"url", "domain_name"}:
        return True
    return given.is_alone and _is_described_alike(first, place)


def _concept(parameter: Parameter) -> str:
    """Its name, or what its description says it is where its name says little."""
    plain = plain_name(parameter.name)
    if plain not in _VAGUE:
        return {"domain": "domain_name", "domainname": "domain_name"}.get(plain, plain)
    said = _content(parameter)
    if not said - {plain}:
        return plain
    return "_".join(word for word in _described(parameter) if word in said)


def _described(parameter: Parameter) -> list[str]:
    return _WORD.findall(_ALTERNATIVES.sub("", parameter.description.casefold()))


def _content(parameter: Parameter) -> frozenset[str]:
    return frozenset(_described(parameter)) - _EMPTY_WORDS


def _is_described_alike(first: Parameter, place: Parameter) -> bool:
    """Whether the place takes all that the first one says it is, and both are short."""
    one = frozenset(_WORD.findall(first.description.casefold())) - _EMPTY_WORDS
    other = frozenset(_WORD.findall(place.description.casefold())) - _EMPTY_WORDS
    is_short = 0 < len(one) <= 3 and 0 < len(other) <= 3
    is_bound = _BOUNDS & {plain_name(first.name), plain_name(place.name)}
    return is_short and one <= other and not is_bound


def _has_units(api: Api) -> bool:
    """Whether it is told the unit of what it is given."""
    return any(re.search(r"\bunits?\b", text_of(each)) for each in api.parameter_list)


def _is_bare_domain(value: Any) -> bool:
    return bool(re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", str(value).casefold()))


def _is_one_meaning(given: Given, place: Parameter) -> bool:
    """Whether units and subjects agree, and the place wants no form that the value has not."""
    first = given.parameter
    one, other = _words(first), _words(place)
    if (one & _UNITS) != (other & _UNITS) or not lengths_fit(first, place):
        return False
    subjects = one & _SUBJECTS, other & _SUBJECTS
    if all(subjects) and not _singular(subjects[0]) & _singular(subjects[1]):
        return False
    is_one_kind = plain_name(first.name) == plain_name(place.name) or _is_of_tables(given.value)
    if not all(subjects) and any(subjects) and not is_one_kind:
        return False
    wanted = (other & _FORMS) - (one & _FORMS)
    return all(_has_form(given, place, form) for form in wanted)


def _singular(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(singular, words))


def _is_of_tables(value: Any) -> bool:
    """Whether a table says what a value is: a currency or a unit."""
    said = str(value)
    return said.upper() in currencies() or said.casefold() in spelled("units")


def _has_form(given: Given, place: Parameter, form: str) -> bool:
    """Whether the value is written as the place wants it, or can be by the tables."""
    value, asked = given.value, text_of(place)
    shown = re.escape(str(value).casefold())
    if len(shown) > 1 and re.search(rf"(?<!\w){shown}(?!\w)", place.description.casefold()):
        return True  # the documentation shows this very value
    if form == "domain":
        return _is_bare_domain(value)
    if form == "state":
        _, comma, last = str(value).rpartition(",")
        return bool(comma) and is_known_name(last, "states")
    if form == "yyyy-mm-dd":
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", str(value))) or has_other_day_form(
            given.parameter, place
        )
    if form in ("code", "codes", "iso", "two-letter", "three-letter"):
        if "country" in asked:
            return is_known_name(value, "countries")
        if "lang" in asked:
            return is_known_name(value, "languages")
        return str(value).upper() in currencies()
    if form in ("comma", "commas", "separated"):
        return "," not in str(value)
    return False


def _words(parameter: Parameter) -> frozenset[str]:
    """The words of a description and a name, without what may be given as well."""
    text = _ALTERNATIVES.sub("", parameter.description.casefold())
    named = plain_name(parameter.name).replace("_", " ")
    return frozenset(_WORD.findall(f"{named} {text}"))
