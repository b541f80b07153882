"""What an exception of somebody's code means, as a class of failures.

Its kind counts where it says something by itself; else its words, as with any other error; else the
kind again: a wrong value, or a fault of the code.
"""

from collections.abc import Iterable

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.providers.failure_words import class_of_words

_TELLING = {
    "TimeoutError": ErrorClass.TIMEOUT,
    "ConnectionError": ErrorClass.NETWORK,
    "PermissionError": ErrorClass.UNAUTHORISED,
    "FileNotFoundError": ErrorClass.NOT_FOUND,
    "JSONDecodeError": ErrorClass.BAD_PAYLOAD,
    "ModuleNotFoundError": ErrorClass.SERVER_ERROR,
    "NotImplementedError": ErrorClass.SERVER_ERROR,
    "MemoryError": ErrorClass.SERVER_ERROR,
    "RecursionError": ErrorClass.SERVER_ERROR,
    "AttributeError": ErrorClass.SERVER_ERROR,
}
_USUAL = {
    "LookupError": ErrorClass.NOT_FOUND,
    "ValueError": ErrorClass.INVALID_PARAMETER,
    "TypeError": ErrorClass.INVALID_PARAMETER,
    "ArithmeticError": ErrorClass.INVALID_PARAMETER,
}


def class_of_exception(kinds: Iterable[str], message: str) -> ErrorClass:
    """The class of an exception.

    Args:
        kinds: names of its class and of those above it, nearest first.
    """
    names = list(kinds)
    by_kind = next((_TELLING[name] for name in names if name in _TELLING), None)
    usual = next((_USUAL[name] for name in names if name in _USUAL), ErrorClass.SERVER_ERROR)
    return by_kind or class_of_words(message) or usual
