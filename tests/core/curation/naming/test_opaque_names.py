"""Names that say a subject beside a vendor, a title or one general word."""

from fixtures.silent import silent

from toolplanner_core.curation.naming.toolkit_names import name_toolkits
from toolplanner_core.workspace.catalogue import ApiText


def api(name: str, description: str, tool: str, category: str = "Data") -> ApiText:
    return ApiText(
        name=name, tool=tool, category=category, description=description, tool_description=""
    )


RATES = [
    api("latest", "Get the latest currency exchange rates.", "Ratezy"),
    api("getRates", "Returns currency exchange rates for a base currency.", "Fxolo"),
    api("/v1/convert", "Convert with live currency exchange rates.", "Kursio"),
]
TEXTS = [
    api("sendMessage", "Send an SMS to a phone number.", "Textly"),
    api("send_sms", "Use this to send an SMS with your own text.", "Smsify"),
    api("SMS", "Lets you send one SMS or many.", "Pingo"),
]
OTHERS = (RATES, TEXTS)


def names_of(*groups: list[ApiText]) -> list[str]:
    apis = [one for group in groups for one in group]
    members: list[list[int]] = []
    begin = 0
    for group in groups:
        members.append(list(range(begin, begin + len(group))))
        begin += len(group)
    return [text.name for text in name_toolkits(apis, members, report=silent)]


def test_names_when_a_vendor_tells_nothing_then_what_its_title_says_stands_beside_it() -> None:
    films = [
        api("info", "All about it.", "Aiom - All Movies of the World"),
        api("best", "The hundred that people like.", "Aiom - All Movies of the World"),
        api("worst", "The hundred that they do not.", "Aiom - All Movies of the World"),
        api("soon", "What will be in cinemas.", "Aiom - All Movies of the World"),
    ]
    assert names_of(films, *OTHERS)[0] == "Aiom movies"


def test_names_when_members_of_a_vendor_say_nothing_in_common_then_its_trade_is_said() -> None:
    vague = [
        api("info", "Sunshine today.", "Qwendo", "Weather"),
        api("details", "Rain at night.", "Qwendo", "Weather"),
        api("get", "How windy it was.", "Qwendo", "Weather"),
    ]
    assert names_of(vague, *OTHERS)[0] == "Qwendo (weather)"


def test_names_when_a_vendor_says_what_it_is_about_then_nothing_is_added() -> None:
    books = [
        api("info", "Get a book of the shop.", "Wild Books", "Food"),
        api("details", "All about a book by title.", "Wild Books", "Food"),
        api("get", "A book and its price.", "Wild Books", "Food"),
    ]
    books += [api("find", "Find a book.", f"Reader {word}") for word in "abcdefghij"]
    assert names_of(books[:3], books[3:], *OTHERS)[0] == "Wild Books"


def test_names_when_examples_would_be_few_and_all_say_one_thing_then_it_is_said() -> None:
    signing = [
        api("get_token", "Get a signature token for Zokzok.", "Zokzok Free"),
        api("get_template", "Get the template of a signature.", "Zokzok Free"),
        api("get_template_two", "The second template of a signature.", "Zokzok Perse"),
        api("get_sign", "Get the signature.", "Zokzok Perse"),
        api("get_check", "Check a signature.", "Zokzok Perse"),
    ]
    assert "signature" in names_of(signing, *OTHERS)[0].lower()


def test_names_when_one_word_is_general_then_a_name_that_most_titles_say_goes_before() -> None:
    offers = [
        api("products", "Get products.", "Amazon grab"),
        api("getProducts", "The products of a page.", "Real Amazon offers"),
        api("product", "One of the products.", "Amazon scraped"),
        api("productList", "All products of a seller.", "Shopgo"),
    ]
    texts = [api("seller", "Find what sellers on Amazon have.", f"Tool{n}") for n in range(4)]
    assert names_of(offers, texts, *OTHERS)[0] == "Amazon products"


def test_names_when_only_descriptions_say_a_name_then_it_does_not_go_before() -> None:
    codes = [
        api("taxonomy", "A taxonomy of a page, in English or Spanish.", "Pagelo"),
        api("getTaxonomy", "The taxonomy of a text, in English or French.", "Wordly"),
        api("taxonomies", "All taxonomies, in English only.", "Clasy"),
    ]
    assert "English" not in names_of(codes, *OTHERS)[0]
