"""Names and descriptions of toolkits, made by rule."""

import re

import pytest
from fixtures.silent import silent
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.curation.naming.numbers import in_number
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.titles import short_title
from toolplanner_core.curation.naming.toolkit_names import name_toolkits
from toolplanner_core.workspace.catalogue import ApiText


def api(name: str, description: str, tool: str = "", category: str = "Data") -> ApiText:
    return ApiText(
        name=name, tool=tool, category=category, description=description, tool_description=""
    )


RATES = [
    api("latest", "Get the latest currency exchange rates.", "Ratezy"),
    api("getRates", "Returns currency exchange rates for a base currency.", "Fxolo"),
    api("/v1/convert", "Convert with live currency exchange rates.", "Kursio"),
]
WEATHER = [
    api("forecast", "Get the weather forecast of a city.", "Sunlo"),
    api("getWeatherForecast", "Returns the weather forecast for five days.", "Rainio"),
    api("forecast/{city}", "Weather forecast by hour.", "Cloudzy"),
]
TEXTS = [
    api("sendMessage", "Send an SMS to a phone number.", "Textly"),
    api("send_sms", "Use this to send an SMS with your own text.", "Smsify"),
    api("SMS", "Lets you send one SMS or many.", "Pingo"),
]
LINKS = [
    api("createBitlink", "Make a bitlink of a long address.", "Bitzly"),
    api("getBitlink", "Returns bitlinks.", "Bitzly"),
    api("deleteBitlink", "Deletes the bitlink.", "Bitzly"),
]


def names_of(*groups: list[ApiText]) -> list[str]:
    return [text.name for text in texts_of(*groups)]


def texts_of(*groups: list[ApiText]) -> list:
    apis = [api for group in groups for api in group]
    members: list[list[int]] = []
    begin = 0
    for group in groups:
        members.append(list(range(begin, begin + len(group))))
        begin += len(group)
    return name_toolkits(apis, members, report=silent)


def test_names_when_members_share_a_subject_then_it_is_the_name() -> None:
    assert names_of(RATES, WEATHER) == ["Currency exchange rates", "Weather forecast"]


def test_names_when_a_word_is_an_abbreviation_then_it_keeps_its_capitals() -> None:
    assert "SMS" in names_of(RATES, WEATHER, TEXTS)[2]


def test_names_when_all_members_are_one_vendors_then_it_is_named() -> None:
    name = names_of(RATES, WEATHER, LINKS)[2]
    assert name == "Bitzly bitlinks"


def test_names_when_vendors_differ_then_none_is_named() -> None:
    for name in names_of(RATES, WEATHER, TEXTS):
        assert not re.search("Ratezy|Fxolo|Kursio|Sunlo|Rainio|Cloudzy|Textly|Smsify|Pingo", name)


def test_names_when_language_is_not_english_then_its_words_are_used() -> None:
    spanish = [
        api("clima", "Obtener el pronóstico meteorológico de una ciudad.", "Solazo"),
        api("tiempo", "Consulta el pronóstico meteorológico por hora.", "Nubecito"),
    ]
    assert names_of(RATES, spanish)[1] == "Pronóstico meteorológico"


def test_names_when_two_groups_say_the_same_then_names_differ() -> None:
    names = names_of(RATES, [one._replace(tool=f"{one.tool}2") for one in RATES], WEATHER)
    assert len({name.casefold() for name in names}) == 3


def test_names_when_a_name_is_taken_then_another_is_found() -> None:
    apis = RATES + WEATHER
    texts = name_toolkits(
        apis, [[0, 1, 2]], taken=["currency exchange RATES", "Unnamed tools"], report=silent
    )
    assert texts[0].name.casefold() != "currency exchange rates"


def test_names_when_members_share_no_subject_then_it_says_so_with_what_is_in_it() -> None:
    mixed = [
        api("createPicnic", "Create a picnic.", "Zorbly"),
        api("createLantern", "Create a lantern.", "Quendo"),
        api("createTrolley", "Create a trolley.", "Mirvo"),
        api("createAnchor", "Create an anchor.", "Pellet"),
        api("createGondola", "Create a gondola.", "Trivvy"),
    ]
    name = names_of(RATES, WEATHER, mixed)[2]
    things = ("picnic", "lantern", "trolley", "anchor", "gondola")
    assert name.startswith("Mixed creation: ")
    assert sum(word in name for word in things) >= 2
    assert not re.search("Zorbly|Quendo|Mirvo|Pellet|Trivvy", name)


def test_names_when_few_tools_share_no_subject_then_they_are_the_name() -> None:
    few = [
        api("getLantern", "A lantern.", "Quendo"),
        api("findTrolley", "A trolley.", "Mirvo API"),
        api("anchors", "All anchors.", "Pellet"),
    ]
    assert names_of(RATES, WEATHER, few)[2] == "Quendo, Mirvo and Pellet"


def test_names_when_some_of_a_vendors_group_are_anothers_then_it_says_so() -> None:
    lamps = [api(f"{verb}Lamps", "", "Zorbly") for verb in ("get", "dim", "light")]
    stray = api("getTrolley", "A trolley.", "Mirvo")
    others = [api("getAnchor", "", "Pellet"), api("getFerry", "", "Quendo")]
    assert names_of(RATES, [*lamps[:2], stray], WEATHER)[1] == "Zorbly lamps and Mirvo"
    # One of four is a stray, not what the toolkit is of.
    assert names_of(RATES, [*lamps, stray], WEATHER)[1] == "Zorbly lamps and more"
    names = names_of(RATES, [*lamps, lamps[0], *others], WEATHER)
    assert names[1] == "Zorbly lamps and more"


def test_names_when_all_do_one_thing_to_all_sorts_then_it_is_said() -> None:
    things = ("Lantern", "Trolley", "Anchor", "Ferry")
    deleted = [api(f"delete{thing}Property", "", "Zorbly") for thing in things]
    assert names_of(RATES, deleted, WEATHER)[1] == "Zorbly property deletion"


def test_names_when_most_do_one_thing_to_a_subject_or_ask_by_one_thing_then_it_is_said() -> None:
    tools = ("Zorbly", "Fendo", "Marpix", "Quillo")
    made = [api("createUser", "Makes a new user.", tool) for tool in tools]
    told = [api(name, "Gets a user.", t) for t, name in zip(tools, _BY_ID, strict=True)]
    assert names_of(RATES, made, WEATHER)[1] == "User creation"
    assert names_of(RATES, told, WEATHER)[1] == "Users by ID"


_BY_ID = ("getUserById", "Get a user by uid", "users/by-ids", "user")


def test_names_when_apis_only_try_something_out_then_it_is_said() -> None:
    tests = [
        api("test", "asd", "Testing_v2"),
        api("hello", "", "myTest"),
        api("some-operation", "", "Demo app"),
        api("echo1", "", "sampleOne"),
        api("endpoint1", "", "tutorial"),
    ]
    names = names_of(RATES, tests, WEATHER)
    assert names[1] == "Test and sample APIs: Testing v2, myTest, Demo app and more"


@pytest.mark.parametrize("description", ["", "Get it", "Get the weather of a city."])
@pytest.mark.parametrize("titles", [["👩‍👩‍👧"], ["🌤️", "☔"], ["👩‍👩‍👧", "👩‍👩‍👧"]])
def test_names_when_tools_are_named_by_emoji_then_they_are_no_tests(
    titles: list[str], description: str
) -> None:
    name = names_of(RATES, [api(title, description, title) for title in titles], WEATHER)[1]
    assert not name.startswith(("Test", "Unnamed"))
    if description != "Get the weather of a city.":
        assert name == " and ".join(dict.fromkeys(titles))


def test_names_when_a_script_has_vowel_signs_then_they_stay() -> None:
    mail = [api(name, "மின்னஞ்சல் அனுப்பு", "மின்னஞ்சல்") for name in ("அனுப்பு", "பெறு")]
    assert names_of(RATES, mail, WEATHER)[1].startswith("மின்னஞ்சல்")


def test_names_when_a_vendor_has_scribbles_only_then_they_are_said_to_be_tests() -> None:
    scribbles = [api("qrzk", "wfgh", "Blorfly"), api("hello", "", "Blorfly")]
    spoken = [api("getCensus", "Tells how many people live in a town.", "Blorfly")]
    assert names_of(RATES, scribbles, WEATHER)[1] == "Test and sample APIs: Blorfly"
    assert not names_of(RATES, spoken, WEATHER)[1].startswith("Test")


def test_names_when_a_name_says_by_what_it_is_asked_then_that_is_not_what_it_is_about() -> None:
    teams = [api(f"get{what}ByLeague", "", "Zorbly") for what in ("Teams", "TeamNames", "BestTeam")]
    assert names_of(RATES, teams, WEATHER)[1] == "Zorbly teams"


def test_names_when_a_group_is_one_api_then_it_is_called_as_its_provider_calls_it() -> None:
    one = api("Built With Analyzer", "Identify the technologies of a page.", "Specrom News API")
    assert names_of(RATES, [one], WEATHER)[1] == "Specrom News built with analyzer"
    plain = api("getRefunds", "Refunds of money.", "Zorbly")
    assert names_of(RATES, [plain], WEATHER)[1] == "Zorbly refunds"


def test_names_when_few_tools_share_a_vague_word_then_their_titles_go_with_it() -> None:
    devices = [
        api("getDevices", "The devices of an account.", "Smswo"),
        api("deviceList", "Devices that can be emulated.", "Zapshot"),
    ]
    assert names_of(RATES, devices, WEATHER)[1] == "Devices (Smswo and Zapshot)"


def test_names_when_all_do_things_to_one_general_thing_then_it_is_the_name() -> None:
    projects = [
        api(f"{verb}Project{what}", "", "Zorbly")
        for verb, what in (("get", "Roles"), ("list", "Versions"), ("add", "Kinds"))
    ]
    assert names_of(RATES, projects, WEATHER)[1] == "Zorbly projects"
    invites = [
        api("createInvite", "", "Smilo"),
        api("getChannelInvites", "", "Chatbo"),
        api("invites", "", "Guildly"),
        api("listInvites", "", "Pelly"),
    ]
    assert names_of(RATES, invites, WEATHER)[1].startswith("Invites (")


def test_names_when_titles_end_with_one_maker_then_it_is_said_behind_them() -> None:
    made = [
        api(f"/v1/{what.lower()}", "", f"{what} by Zorb-Works")
        for what in ("Lamps", "Ferries", "Anchors", "Kettles")
    ]
    assert names_of(RATES, made, WEATHER)[1] == "Lamps, Ferries and more by Zorb-Works"


def test_names_when_a_word_stands_only_before_others_then_it_stays_in_the_singular() -> None:
    ores = [api("metals", "Prices of metals.", f"Ore{word}") for word in "abcdefgh"]
    music = [api(f"metal{what}", "", f"Rock{what}") for what in ("Bands", "Logos", "Shirts")]
    book = PhraseBook([*music, *ores])
    assert in_number(book, range(3), "Metals (Rockly)") == "Metal (Rockly)"
    assert in_number(book, range(3, 11), "Metals") == "Metals"


def test_names_when_all_descriptions_of_a_tool_say_a_thing_then_it_is_not_the_name() -> None:
    refrain = "See the handbook of partners."
    files = [api(f"{verb}Files", refrain, "Zorbly") for verb in ("copy", "move", "rename")]
    tasks = [api(f"{verb}Tasks", refrain, "Zorbly") for verb in ("start", "finish", "assign")]
    names = names_of(files, tasks, WEATHER)
    assert names[:2] == ["Zorbly files", "Zorbly tasks"]


def test_names_when_one_word_is_said_by_few_then_two_cover_the_members() -> None:
    shop = [
        *(api(f"getInvoices{n}", "Invoices.", f"Tool{n}") for n in "abc"),
        *(api(f"getReceipts{n}", "Receipts.", f"Other{n}") for n in "abc"),
    ]
    assert sorted(names_of(RATES, WEATHER, shop)[2].lower().split(" and ")) == [
        "invoices",
        "receipts",
    ]


def test_names_when_several_tools_share_a_brand_then_it_goes_before() -> None:
    drop = [
        api("webhookEvent", "A webhook event of the Nimbox account.", "Nimbox"),
        api("webhookEvent", "A webhook event of a Nimbox Business.", "NimboxBusiness"),
    ]
    names = names_of(drop, WEATHER, [api("saveFile", "Save to the Nimbox.", "Pellet")])
    assert names[0] == "Nimbox webhook event"


def test_names_when_a_phrase_only_ties_two_members_then_others_cover_more() -> None:
    mixed = [
        api("triggerNotification", "A batch.", "Vybly"),
        api("postNotification", "An event.", "Pingly"),
        api("cardBatch", "Several.", "Bunly"),
        api("updateCard", "Plastic.", "Dently"),
    ]
    name = names_of(mixed, RATES, WEATHER)[0].lower()
    assert "card" in name
    assert "notification" in name


def test_names_when_one_tool_has_all_sorts_then_its_title_is_the_name() -> None:
    sorts = [
        api(f"{verb}{thing}", "", "Audio Mastery")
        for verb, thing in (
            ("create", "Picnic"),
            ("publish", "Lantern"),
            ("send", "Trolley"),
            ("get", "Anchor"),
            ("list", "Ladder"),
        )
    ]
    assert names_of(sorts, RATES, WEATHER)[0] == "Audio Mastery"
    part = [*sorts, *(api(f"get{n}", "", "Audio Mastery") for n in "abcdef")]
    texts = name_toolkits([*part, *RATES, *WEATHER], [list(range(5))], report=silent)
    assert texts[0].name == "Audio Mastery"


def test_names_when_a_name_is_taken_then_what_else_many_say_tells_them_apart() -> None:
    harbours = [
        api("forecast", "Weather forecast of a harbour.", "Anchory"),
        api("harbourForecast", "Weather forecast for the harbour.", "Pierly"),
        api("getWeatherForecast", "Weather forecast by hour.", "Cloudzy"),
    ]
    apis = [*harbours, *RATES, *WEATHER]
    taken = name_toolkits(apis, [[0, 1, 2]], report=silent)[0].name
    assert taken == "Weather forecast"
    other = name_toolkits(apis, [[0, 1, 2]], taken=[taken], report=silent)[0].name
    assert other == "Weather forecast and harbour"


def test_description_when_made_by_rule_then_says_what_and_where_from_without_counts() -> None:
    marked = api(
        "<b>rates</b>", "**Get** exchange rates, see [docs](https://x.example). More here.", "Fxy"
    )
    text = texts_of([marked, *RATES], WEATHER)[0].description
    assert text.startswith("Get exchange rates, see docs.")
    assert "From several tools; APIs such as " in text
    assert not re.search(r"\d", text)
    assert not re.search(r"[<>*\[\]]|https?:", text)


def test_description_when_nothing_is_documented_then_says_where_from() -> None:
    text = texts_of([api("x", "", "Zed"), api("y", "", "Zed")])[0]
    assert text.name
    assert "From Zed" in text.description


@pytest.mark.parametrize("size", [1, 2, 7])
def test_names_when_documentation_is_empty_then_every_toolkit_has_one(size: int) -> None:
    nothing = [api("", "", "", "") for _ in range(size)]
    names = names_of(nothing, nothing, nothing)
    assert all(names)
    assert len(set(names)) == 3


_TEXT = st.text(max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.builds(ApiText, _TEXT, _TEXT, _TEXT, _TEXT, _TEXT), min_size=1, max_size=5),
        min_size=1,
        max_size=5,
    )
)
def test_names_when_texts_are_anything_then_names_are_unique_and_printable(
    groups: list[list[ApiText]],
) -> None:
    texts = texts_of(*groups)
    assert len({text.name.casefold() for text in texts}) == len(groups)
    for text in texts:
        assert text.name.strip()
        assert text.name.isprintable()
        assert "\n" not in text.description


def test_names_when_a_name_is_nearly_all_general_then_its_category_is_said() -> None:
    reports = [
        api("getReports", "", "Bankruptcies of counties", "Finance"),
        api("reports", "", "Liens and judgments", "Finance"),
        api("archiveReports", "", "Suits of tenants", "Finance"),
        api("reportList", "", "Ledgers and vaults", "Finance"),
    ]
    assert names_of(RATES, reports, WEATHER)[1] == "Reports (finance)"


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("SkyBiometry Face Detection and Recognition Services", "SkyBiometry Face Detection"),
        (
            "Geolocation simulation of devices for the development",
            "Geolocation simulation of devices",
        ),
        ("Wild and Woolly", "Wild and Woolly"),
    ],
)
def test_title_when_it_is_cut_then_no_little_word_hangs_at_its_end(title: str, short: str) -> None:
    assert short_title(title) == short


def test_names_when_a_title_is_an_article_or_has_a_year_then_the_vendor_is_named() -> None:
    topics = [api(f"GetTopics{by}", "Get topics.", "DEI") for by in ("", "ById", "ByName")]
    reels = [api(f"{verb}Reel", "", "Zorbly Premium API 2023") for verb in ("get", "delete")]
    rest = [api(f"{verb}Photo", "", "Zorbly Premium API 2023") for verb in ("get", "delete", "add")]
    names = names_of(RATES, topics, reels, rest)
    assert names[1].startswith("DEI")
    assert names[2].startswith("Zorbly") and "2023" not in names[2]


def test_names_when_a_verb_ends_in_other_words_then_they_are_not_its_parts() -> None:
    authors = [api("list", "The author of a book, and if it is in print.", t) for t in "ABC"]
    other = [api("se", "I se it at i on.", tool) for tool in ("Fa", "Fe", "Fi")]
    holds = [
        api("authorise", "", "Adyex"),
        api("adjustAuthorisation", "", "Adyex"),
        api("cancelAuthorisation", "", "Adyex"),
    ]
    assert names_of(authors, other, holds)[2] == "Adyex authorization"


def test_names_when_all_words_are_taken_then_tools_tell_them_apart_and_no_number() -> None:
    groups = [
        [api("tags", "Tags.", f"{first}ly"), api("getTags", "Tags.", f"{first}zo")]
        for first in ("Pellet", "Quend", "Mirv")
    ]
    names = names_of(*groups, WEATHER)
    assert all("(" in name and not name[-1].isdigit() for name in names[:3])


def test_names_when_few_of_a_vendors_members_share_a_word_then_it_says_there_is_more() -> None:
    rides = [
        api(name, "", "Zorbly Transit Rides")
        for name in ("busRoutes", "busStops", "busTimes", "twitter", "alerts")
    ]
    rest = [api(f"other{n}", "", "Zorbly Transit Rides") for n in ("Foo", "Bar", "Baz", "Qux")]
    assert names_of(RATES, rides, rest)[1].endswith(" and more")
