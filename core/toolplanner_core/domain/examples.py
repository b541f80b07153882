"""Arguments that an API's own documentation gives as examples."""

from typing import Any, cast

from toolplanner_core.domain.api import Api


def first_arguments(api: Api) -> dict[str, Any]:
    """The documented value of each argument that is required; what has none is missing."""
    values: dict[str, Any] = {}
    for parameter in api.parameter_list:
        schema, examples = parameter.schema, parameter.schema.get("examples")
        known = [schema[word] for word in ("default", "example") if word in schema]
        known += cast("list[Any]", examples) if isinstance(examples, list) else []
        known += cast("list[Any]", schema.get("enum") or [])
        if parameter.required and known:
            values[parameter.name] = known[0]
    return values


def has_all_required(api: Api, arguments: dict[str, Any]) -> bool:
    """Whether nothing is missing that must be given."""
    return all(each.name in arguments for each in api.parameter_list if each.required)
