"""What a conversation is told: the query, the result of a call, or why there is none; all of it is
data from outside."""

from toolplanner_core.domain.observation import Observation
from toolplanner_core.prompts.render import as_json, block, cut


def query_text(query: str) -> str:
    """The query of the user."""
    return block("query", query)


def observation_text(observation: Observation) -> str:
    """The outcome of a call in words for a model; the whole value stays in the log."""
    if observation.error is not None:
        words = observation.error.value.replace("_", " ")
        return f"The call failed ({words}): {cut(observation.message)}"
    return block("result", cut(as_json(observation.value)))


def sent_text(observation: Observation, title: str, arguments: object) -> str:
    """What was really sent, where a person changed the call; "" where it is as it was asked."""
    if observation.api is None or observation.arguments is None:
        return ""
    is_same = observation.api.title == title and dict(observation.arguments) == arguments
    if is_same:
        return ""
    return f"Sent instead: {observation.api.title} with {as_json(dict(observation.arguments))}.\n"
