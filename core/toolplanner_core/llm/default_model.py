"""Which model is meant where none is named: the one that a person saved as the usual one."""

import os

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import models, parse_model_spec
from toolplanner_core.settings import load_settings
from toolplanner_core.words.window_places import PREFERENCES


def default_model() -> str:
    """The model that a person saved as the usual one; "" = none."""
    name = os.environ.get("OPENAI_MODEL") or load_settings().endpoint.model
    return f"openai:{name}" if name else ""


def language_model(spec: str | None, doing: str) -> str:
    """The model that is meant, or the usual one.

    Args:
        doing: what it is wanted for: "Describing".

    Raises:
        NotFound: there is no such kind of model.
        BadInput: none is meant, or it cannot do it.
    """
    chosen = spec or default_model()
    if not chosen:
        raise BadInput(
            "No model was chosen",
            todo=f"Name one, such as openai:NAME, or save the usual one in {PREFERENCES}",
        )
    if models.get(parse_model_spec(chosen).kind).answers_only_planner:
        raise BadInput(f"{doing} needs a language model", todo="Choose one, such as openai:NAME")
    return chosen
