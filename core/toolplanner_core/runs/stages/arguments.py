"""Check arguments against the API's JSON Schema before anything leaves; a misfit is not sent.

To walk a schema that asks for nothing but types with a validator takes a tenth of what a call costs
here, so a quick look comes first (`surely_fit`): a yes is certain; otherwise the validator says
what is wrong, if anything is. Catalogues are dirty: where a schema itself is broken, only names are
checked.

Source: design/strategies.md section 0, "Validation before sending".
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest, refuse

_KINDS: Mapping[str, type] = {
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_ANY: frozenset[type] = frozenset({object})
_OF_NOTHING: frozenset[type] = frozenset()
_OF_OBJECTS = frozenset({"type", "properties", "required", "additionalProperties"})
"""What the check of names has looked at before."""

Kinds = Mapping[str, frozenset[type]]
"""The types of values that surely fit, by the name of their parameter."""


def plain_kinds(schema: JsonSchema) -> Kinds | None:
    """What fits under each name; None where a schema asks for more than types.

    Args:
        schema: of the parameters; a valid one.
    """
    if schema.get("type", "object") != "object" or _asked(schema) - _OF_OBJECTS:
        return None
    found: dict[str, frozenset[type]] = {}
    for name, wanted in cast("Mapping[str, Any]", schema.get("properties") or {}).items():
        kinds = _plain_kind_of(wanted)
        if kinds is None:
            return None
        found[name] = kinds
    return found


def surely_fit(kinds: Kinds | None, arguments: Mapping[str, Any]) -> bool:
    """Whether nothing can be wrong with arguments of which none is missing; False = ask the
    validator."""
    if kinds is None:
        return False
    for name, value in arguments.items():
        fitting = kinds.get(name, _OF_NOTHING)
        if fitting is not _ANY and type(value) not in fitting:
            return False
    return True


def _plain_kind_of(wanted: Any) -> frozenset[type] | None:
    if not isinstance(wanted, Mapping):
        return None
    schema = cast("JsonSchema", wanted)
    if _asked(schema) - {"type"}:
        return None
    named = schema.get("type")
    if named is None:
        return _ANY
    names = cast("list[str]", named if isinstance(named, list) else [named])
    kinds: set[type] = set()
    for name in names:
        if name in ("integer", "number"):  # the validator takes 3.0 for an integer, too
            kinds |= {int} if name == "integer" else {int, float}
        elif name in _KINDS:
            kinds.add(_KINDS[name])
        else:
            return None
    return frozenset(kinds)


def _asked(schema: JsonSchema) -> set[str]:
    """The keywords of a schema that a value can break."""
    return schema.keys() & Draft202012Validator.VALIDATORS.keys()


_FORM_KEYWORDS = frozenset({"type", "format", "pattern", "items", "prefixItems"})
_SHOWN_VALUE = 60


class Misfit(NamedTuple):
    """Why arguments do not fit: the class and a sentence that names the argument."""

    error: ErrorClass
    message: str


class _Checker(NamedTuple):
    """What says whether the arguments of one API fit.

    Attributes:
        validator: None where the schema is broken.
        kinds: what surely fits; None where only the validator knows.
    """

    validator: Draft202012Validator | None
    kinds: Kinds | None


class ArgumentCheck:
    """Knows why arguments do not fit; keeps one validator per API and documentation."""

    def __init__(self) -> None:
        self._checkers: dict[str, _Checker] = {}

    def check(self, api: Api, arguments: Mapping[str, Any]) -> Misfit | None:
        """Why these arguments must not be sent, None if they fit."""
        names = _check_names(api.parameters, arguments)
        if names is not None:
            return names
        key = f"{api.id}:{api.doc_hash}"
        checker = self._checkers.get(key)
        if checker is None:
            validator = _validator(api.parameters)
            kinds = None if validator is None else plain_kinds(api.parameters)
            checker = self._checkers[key] = _Checker(validator, kinds)
        if checker.validator is None or surely_fit(checker.kinds, arguments):
            return None
        try:
            return _first_misfit(checker.validator, dict(arguments))
        except (UnknownType, Unresolvable, RecursionError):
            self._checkers[key] = _Checker(None, None)
            return None


class ArgumentStage(ArgumentCheck):
    """Refuses calls whose arguments do not fit."""

    def __init__(self, log: RunLog) -> None:
        super().__init__()
        self._log = log

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage."""
        misfit = self.check(request.api, request.arguments)
        if misfit is not None:
            return refuse(self._log, request, misfit.error, misfit.message)
        return await proceed(request)


def value_misfit(schema: JsonSchema, value: Any) -> str:
    """Why what stands in a value does not fit a schema, "" if it does or the schema is broken.

    What is missing is not looked at: who reads an answer knows what may be left out.
    """
    try:
        validator = _validator(schema)
        misfit = validator and _first_misfit(validator, value, passed=("required",))
    except (UnknownType, Unresolvable, RecursionError):
        return ""
    return misfit.message if misfit else ""


def _first_misfit(
    validator: Draft202012Validator, value: Any, *, passed: Collection[str] = ()
) -> Misfit | None:
    errors = cast("Iterable[ValidationError]", validator.iter_errors(value))
    found = (error for error in errors if error.validator not in passed)
    worst = min(found, key=lambda error: len(error.absolute_path), default=None)
    return None if worst is None else _explain(worst)


def _validator(schema: JsonSchema) -> Draft202012Validator | None:
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError:
        return None
    # A registry of its own: the default one fetches what "$ref" names, from wherever it lies.
    return Draft202012Validator(
        dict(schema), registry=Registry(), format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def _check_names(schema: JsonSchema, arguments: Mapping[str, Any]) -> Misfit | None:
    required = cast("list[str]", schema.get("required") or [])
    missing = [name for name in required if name not in arguments]
    if missing:
        names = ", ".join(f'"{name}"' for name in missing)
        verb = "is" if len(missing) == 1 else "are"
        return Misfit(ErrorClass.MISSING_PARAMETER, f"{names} {verb} missing")
    known = cast("Mapping[str, Any]", schema.get("properties") or {})
    if schema.get("additionalProperties") not in (None, False) or schema.get("patternProperties"):
        return None
    unknown = [name for name in arguments if name not in known]
    if unknown:
        names = ", ".join(f'"{name}"' for name in unknown)
        return Misfit(ErrorClass.INVALID_PARAMETER, f"The API has no parameter {names}")
    return None


def _explain(error: ValidationError) -> Misfit:
    path = [str(part) for part in error.absolute_path]
    if error.validator == "required":
        return Misfit(ErrorClass.MISSING_PARAMETER, _at(path, str(error.message)))
    kind = (
        ErrorClass.WRONG_FORMAT
        if error.validator in _FORM_KEYWORDS
        else ErrorClass.INVALID_PARAMETER
    )
    return Misfit(kind, _at(path, _words(error)))


def _words(error: ValidationError) -> str:
    value = repr(error.instance)
    shown = value if len(value) <= _SHOWN_VALUE else f"{value[: _SHOWN_VALUE - 1]}…"
    limit = error.validator_value
    match error.validator:
        case "type":
            kinds = limit if isinstance(limit, str) else " or ".join(cast("list[str]", limit))
            return f"{shown} is not of type {kinds}"
        case "enum":
            allowed = ", ".join(repr(item) for item in cast("list[Any]", limit)[:8])
            return f"{shown} is not one of {allowed}"
        case "format":
            return f"{shown} is not a {limit}"
        case "anyOf" | "oneOf" if kinds := _kinds_of(limit):
            return f"{shown} is not of type {' or '.join(kinds)}"
        case _:
            return str(error.message)[:200]


def _kinds_of(branches: Any) -> list[str]:
    """The types that alternatives allow; what stands for nothing, or for a result, only where there
    is nothing else."""
    schemas = [cast("Mapping[str, Any]", one) for one in branches if isinstance(one, Mapping)]
    said = list(dict.fromkeys(one["type"] for one in schemas if isinstance(one.get("type"), str)))
    return [kind for kind in said if kind not in ("null", "object")] or said


def _at(path: list[str], words: str) -> str:
    return f'"{".".join(path)}": {words}' if path else words
