"""How long questions are: a small model with a context of 8,192 tokens must be able to read them.

Counted with the tokenizer of Llama 2 that `wordllama` carries; newer ones take fewer tokens.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from fixtures.question_samples import FILL, KITS, result

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.render import ToolkitCard

_TOKENIZER = "l2_supercat_tokenizer_config.json"
NAME = "Historical exchange rates of currencies and stocks of a day"
ABOUT = (
    "Returns the exchange rates of all supported currencies for a given day in the past, with the"
    " base currency that was asked for. From several tools, such as the Currency Converter."
)


@cache
def tokenizer() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(
        str(files("wordllama").joinpath("tokenizers", _TOKENIZER))
    )


def tokens(question: Question[Any]) -> int:
    texts = [message.content for message in question.messages()]
    return sum(len(tokenizer().encode(text).ids) for text in texts)


def test_make_plan_when_sixty_toolkits_with_long_texts_then_at_most_3000_tokens() -> None:
    cards = tuple(
        ToolkitCard(id=ToolkitId(4000 + i), name=NAME, description=ABOUT) for i in range(60)
    )
    query = "What is the weather in Lyon tomorrow, and how much are 20 EUR in yen?"
    size = tokens(MakePlan(query=query, toolkits=cards, searches=2))
    assert 2000 < size <= 3000


def test_make_plan_when_few_toolkits_then_the_rules_take_at_most_550_tokens() -> None:
    assert tokens(MakePlan(query="q", toolkits=KITS, searches=2)) <= 550


def test_fill_arguments_when_eight_long_results_then_fits_a_context_of_8192_tokens() -> None:
    rows = [{"name": f"place {i}", "latitude": 45.7 + i, "country": "France"} for i in range(200)]
    results = tuple(result(step=n, value={"places": rows}) for n in range(1, 9))
    question = type(FILL)(
        query=FILL.query, goal=FILL.goal, api=FILL.api, results=results, failures=(), now=FILL.now
    )
    assert tokens(question) < 6000
