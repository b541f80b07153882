"""Functions that a model may call: APIs and toolkits, and those by which it answers or gives up.

A name is made of API and tool, fits `[a-zA-Z0-9_-]{1,64}` and is unique within one request; so is
each parameter's. The map back to the real API and the real parameter names is kept here, never
guessed. Source: design/strategies.md section 0 (ToolBench keeps the last 64 characters, so that
names begin in the middle of a word and some collide; it drops optional parameters when none is
required).

Source: design/strategies.md section 0, "Finish" (ToolBench's one function with a return type in
three).
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.plan import Answer
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.prompts.render import cut, one_line
from toolplanner_core.prompts.texts import prompt

LONGEST_NAME = 64
_HASH = 6
_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]+")
_DESCRIPTION = 900
"""Characters of a description: with the mark of a cut it stays below the 1,024 that are allowed."""
_DEFAULT = 100
_GOAL: JsonSchema = {
    "type": "object",
    "properties": {
        "goal": {
            "type": "string",
            "description": "What it shall do, in one sentence that holds every value it needs.",
        }
    },
    "required": ["goal"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedCall:
    """An API that a model wants to be called, under its real parameter names."""

    api: Api
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidCall:
    """A call that cannot be made: no such function, or arguments that are no JSON object."""

    what: str
    is_unknown: bool


@dataclass(frozen=True, slots=True)
class _Offered:
    api: Api
    real_names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """What one request offers.

    Attributes:
        functions: APIs and toolkits first, then the others (a finish).
        others: names of functions that are neither.
        kits: toolkits by the names of their functions.
    """

    functions: tuple[Function, ...]
    others: frozenset[str]
    kits: Mapping[str, Toolkit]
    _offered: Mapping[str, _Offered] = field(repr=False)

    @classmethod
    def of(
        cls,
        apis: Iterable[Api],
        others: Sequence[Function] = (),
        *,
        toolkits: Iterable[Toolkit] = (),
    ) -> "Functions":
        """Offer APIs, each once, toolkits, which are told a goal, and other functions."""
        offered: dict[str, _Offered] = {}
        functions: list[Function] = []
        taken = {other.name for other in others}
        for api in {api.id: api for api in apis}.values():
            name = _unique(f"{api.name}_for_{api.tool}", f"{api.id}", taken)
            schema, real_names = _parameters(api.parameters)
            functions.append(Function(name, _description(api), schema))
            offered[name] = _Offered(api, real_names)
        kits = {_unique(kit.name, str(kit.id), taken): kit for kit in toolkits}
        for name, kit in kits.items():
            about = cut(one_line(kit.description, _DESCRIPTION) or kit.name, _DESCRIPTION)
            functions.append(Function(name, about, _GOAL))
        return cls(
            functions=(*functions, *others),
            others=frozenset(other.name for other in others),
            kits=kits,
            _offered=offered,
        )

    def read(self, call: FunctionCall) -> WantedCall | InvalidCall:
        """The API call that a function call means; not for one of `others`."""
        offered = self._offered.get(call.name)
        if offered is None:
            known = ", ".join(function.name for function in self.functions)
            what = f"There is no function {call.name!r}. Functions are: {cut(known, 600)}"
            return InvalidCall(what=what, is_unknown=True)
        values = call.values()
        if values is None:
            what = f"The arguments of {call.name} are no JSON object"
            return InvalidCall(what=what, is_unknown=False)
        real = offered.real_names
        return WantedCall(
            api=offered.api,
            arguments={
                real.get(name, name): value for name, value in values.items() if value is not None
            },
        )


def function_title(name: str) -> str:
    """A name that `Functions` made, as the title of its API; any other as it is."""
    api, of, tool = name.rpartition("_for_")
    return f"{tool} · {api}" if of else name


def _unique(name: str, seed: str, taken: set[str]) -> str:
    """A name that fits and is not taken; if it had to be cut or stood there already, with a short
    hash that keeps it apart."""
    clean = _FOREIGN.sub("_", name).strip("_") or "function"
    found, salt = clean, seed
    while len(found) > LONGEST_NAME or found in taken:
        tail = hashlib.sha256(salt.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
        found = f"{clean[: LONGEST_NAME - _HASH - 1].rstrip('_')}_{tail}"
        salt = f"{seed}{found}"
    taken.add(found)
    return found


def _description(api: Api) -> str:
    parts = [one_line(api.description, _DESCRIPTION)]
    if api.tool_description.strip() and api.tool_description != api.description:
        parts.append(f"Of {api.tool}: {one_line(api.tool_description)}")
    return cut(" ".join(part for part in parts if part) or api.title, _DESCRIPTION)


def _parameters(schema: JsonSchema) -> tuple[JsonSchema, dict[str, str]]:
    """The schema with names that a model may write, and the real names by those.

    All parameters are offered, optional ones too; defaults and examples go into descriptions, since
    models read them there.
    """
    properties = cast("Mapping[str, JsonSchema]", schema.get("properties") or {})
    real_names: dict[str, str] = {}
    offered: dict[str, Any] = {}
    taken: set[str] = set()
    for real, of_one in properties.items():
        name = _unique(real, real, taken)
        real_names[name] = real
        offered[name] = _told(of_one)
    names = {real: name for name, real in real_names.items()}
    required = cast("list[str]", schema.get("required") or [])
    wanted = [names[real] for real in required if real in names]
    return {"type": "object", "properties": offered, "required": wanted}, real_names


def _told(schema: JsonSchema) -> dict[str, Any]:
    out = {name: value for name, value in schema.items() if name not in ("example", "examples")}
    said = [str(out.get("description") or "")]
    for name in ("default", "example"):
        if schema.get(name) not in (None, ""):
            value = json.dumps(schema[name], ensure_ascii=False, default=str)
            said.append(f"{name.capitalize()}: {cut(value, _DEFAULT)}.")
    description = one_line(" ".join(part for part in said if part))
    return {**out, "description": description} if description else out


CALL_SOMETHING = prompt("call_something")
"""Said where a turn called nothing."""
_TEXT = {"type": "string"}


def _ending(name: str, about: str, **properties: JsonSchema) -> Function:
    """A function that ends a conversation; its first property is required."""
    required = list(properties)[:1]
    return Function(name, about, {"type": "object", "properties": properties, "required": required})


GIVE_ANSWER = _ending(
    "give_answer",
    "Give the final answer to the user's query. It must be complete in itself: the user sees"
    " nothing else of the conversation.",
    final_answer={**_TEXT, "description": "The answer, with all facts."},
    no_call_needed={
        "type": "boolean",
        "description": "true only if the query can be answered without any call, as a greeting.",
    },
)
GIVE_UP = _ending(
    "give_up",
    "Say that the query cannot be answered with these functions.",
    reason={**_TEXT, "description": "Why not."},
    failed_functions={
        "type": "array",
        "items": _TEXT,
        "description": "Names of functions that did not work or were of no use.",
    },
)
RESTART = _ending(
    "give_up_and_restart",
    "Give up what was tried last and go another way: nothing more can come of this one.",
    reason={**_TEXT, "description": "Why it leads nowhere."},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a model ended.

    Attributes:
        text: the answer, or the reason.
        failed: names of functions that it found to be of no use.
        needs_no_call: it says that the query can be answered without any call.
    """

    how: Literal["answer", "give_up", "restart"]
    text: str
    failed: tuple[str, ...] = ()
    needs_no_call: bool = False

    @property
    def answer(self) -> Answer:
        """What it says, as the answer of the run."""
        return Answer(text=self.text, solved=True, needs_no_call=self.needs_no_call)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """A finish that cannot be used; `what` tells the model what is missing."""

    what: str


_HOW: dict[str, tuple[Literal["answer", "give_up", "restart"], str]] = {
    GIVE_ANSWER.name: ("answer", "final_answer"),
    GIVE_UP.name: ("give_up", "reason"),
    RESTART.name: ("restart", "reason"),
}


def read_finish(call: FunctionCall) -> Finished | Unfinished:
    """What a call of one of these functions means."""
    how, name = _HOW[call.name]
    values = call.values()
    text = None if values is None else values.get(name)
    if values is None or not isinstance(text, str) or not text.strip():
        return Unfinished(what=f"{call.name} needs {name!r}, a text that is not empty")
    named = values.get("failed_functions")
    failed = tuple(map(str, cast("list[Any]", named))) if isinstance(named, list) else ()
    alone = values.get("no_call_needed") is True
    return Finished(how=how, text=text.strip(), failed=failed, needs_no_call=alone)
