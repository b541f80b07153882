"""One call of a function, in the worker: arguments as their types, the result as JSON."""

import asyncio
import inspect
from typing import Any, NamedTuple

from toolplanner_core.python_functions.describing import functions_in


class CalledFunction(NamedTuple):
    """What came of a call.

    Attributes:
        body: the result as JSON.
        raised: names of the exception's class and of those above it, nearest first; () = none.
        message: what the exception said.
        is_misfit: the arguments did not fit, and the function was not entered.
    """

    body: str
    raised: tuple[str, ...] = ()
    message: str = ""
    is_misfit: bool = False


def call_function(value: str, name: str, arguments: dict[str, Any]) -> CalledFunction:
    """Load what an entry point names and call one of its functions.

    A function that fails is a result; what the package raises when it is loaded comes through.
    """
    from pydantic import TypeAdapter, ValidationError, validate_call

    _, functions = functions_in(value)
    function = functions.get(name)
    if function is None:
        return CalledFunction("", ("LookupError",), f"the package offers no function {name!r} now")
    entered = False

    def enter(*args: Any, **kwargs: Any) -> Any:
        nonlocal entered
        entered = True
        result = function(*args, **kwargs)
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result

    enter.__signature__ = inspect.signature(function, eval_str=True)  # pyright: ignore
    enter.__annotations__ = inspect.get_annotations(function, eval_str=True)
    enter.__name__ = enter.__qualname__ = name
    try:
        result = validate_call(enter)(**arguments)
        body = TypeAdapter(Any).dump_json(result, fallback=str).decode()
    except ValidationError as error:
        if entered:
            return _raised(error)
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return CalledFunction("", ("ValidationError",), f"{where}: {first['msg']}", is_misfit=True)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever foreign code does
        return _raised(error)
    return CalledFunction(body)


async def _awaited(result: Any) -> Any:
    return await result


def _raised(error: BaseException) -> CalledFunction:
    names = tuple(kind.__name__ for kind in type(error).__mro__ if issubclass(kind, BaseException))
    return CalledFunction("", names, str(error)[:2_000])
