"""Answer calls from recordings that were imported, or kept of a run. It never invents.

The recording of exactly these arguments, else a typed failure. Who wants it also gets one of the
same API with the same set of argument names (the one that shares most values); the reply's origin
says then for which values it was recorded.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_RECORDED, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.providers.error_classes import class_of_words
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin
from toolplanner_core.providers.reply_bodies import read_error_body
from toolplanner_core.sources.recordings import CanonicalArguments, canonical_arguments
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.recordings import (
    Recording,
    exact_recording,
    recorded_names,
    recording_count,
    recordings_with_names,
)

_MOST_SHOWN = 5
_SHOWN = 80
"""Characters of the values that a reply was recorded for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOptions:
    """Options of the provider."""

    exact_only: bool = option(
        True,
        "Answer only calls whose arguments were recorded exactly like that; off = also with the"
        " reply to other values of the same arguments, which is marked.",
        title="Exact arguments only",
    )


class RecordedProvider(Provider):
    """Answers from the table of recordings."""

    def __init__(self, workspace: Workspace, options: RecordedOptions) -> None:
        self._workspace = workspace
        self._options = options

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        limits: CallLimits,  # noqa: ARG002 - reading a row needs none
    ) -> RawResult:
        """The recorded reply, or a `not_found` that says what was recorded instead."""
        return await asyncio.to_thread(self._answer, api, canonical_arguments(arguments))

    def _answer(self, api: Api, asked: CanonicalArguments) -> RawResult:
        exact = exact_recording(self._workspace, api.key, asked.text)
        if exact is not None:
            return _reply(exact, "recorded · exact")
        if not self._options.exact_only:
            similar = recordings_with_names(self._workspace, api.key, asked.names)
            if similar:
                closest = _closest(similar, asked)
                return _reply(closest, f"recorded · for {_values_of(closest)}")
        return self._nothing(api, asked)

    def _nothing(self, api: Api, asked: CanonicalArguments) -> RawResult:
        """What was asked, what is recorded instead, and what to do."""
        same = recordings_with_names(self._workspace, api.key, asked.names)
        known = recorded_names(self._workspace, api.key)
        said = f"No recording of {api.title} for {_argument_list(asked.text)}"
        if same:
            shown = [_values_of(each) for each in same[:_MOST_SHOWN]]
            said += f". Recorded are its replies for {_listed(shown, len(same))}"
            todo = "Ask for one of these" if self._options.exact_only else ""
        elif known:
            shown = [f"({names})" if names else "no arguments" for names in known[:_MOST_SHOWN]]
            said += f". Recorded are replies to other arguments: {_listed(shown, len(known))}"
            todo = "Ask with one of these sets"
        else:
            said += ", nor for anything else"
            todo = ""
        record = "run it live once and keep its replies as recorded calls"
        todo = f"{todo}, or {record}" if todo else f"{record[:1].upper()}{record[1:]}"
        if same and self._options.exact_only:
            todo += ', or switch off "Exact arguments only" to be given the nearest'
        return RawResult(
            failure=ErrorClass.NOT_FOUND, message=f"{said}. {todo}.", origin=NOT_RECORDED
        )


def _listed(shown: list[str], number: int) -> str:
    more = f" and {number - len(shown):,} more" if number > len(shown) else ""
    return f"{'; '.join(shown)}{more}"


def _closest(recordings: list[Recording], asked: CanonicalArguments) -> Recording:
    wanted = set(json.loads(asked.text).items()) if _is_flat(asked.text) else set[Any]()

    def shared(recording: Recording) -> int:
        if not wanted or not _is_flat(recording.arguments):
            return 0
        return len(wanted & set(json.loads(recording.arguments).items()))

    # `max` keeps the first of equals: the oldest recording.
    return max(recordings, key=shared)


def _values_of(recording: Recording) -> str:
    return _argument_list(recording.arguments)


def _argument_list(arguments: str) -> str:
    values = (f"{name} {value}" for name, value in json.loads(arguments).items())
    return one_line(", ".join(values) or "no arguments", _SHOWN)


def _is_flat(arguments: str) -> bool:
    values = json.loads(arguments).values()
    return not any(isinstance(value, list | dict) for value in values)


def _reply(recording: Recording, origin: str) -> RawResult:
    cut = "The recorder cut this reply" if recording.truncated else ""
    value = json.loads(recording.response)
    is_text = isinstance(value, str)
    return RawResult(
        status=None if recording.error else 200,
        body=value if is_text else recording.response,
        content_type="text/plain" if is_text else "application/json",
        failure=_class_of(recording.error) if recording.error else None,
        message=_error_message(recording.error, value) if recording.error else cut,
        origin=origin,
    )


def _error_message(error: str, value: Any) -> str:
    return read_error_body(value).message if error in set(ErrorClass) else error


def _class_of(error: str) -> ErrorClass:
    if error in set(ErrorClass):  # of a run
        return ErrorClass(error)
    return class_of_words(error) or ErrorClass.SERVER_ERROR


def _make(workspace: Workspace, options: Any) -> RecordedProvider:
    if recording_count(workspace) == 0:
        raise BadInput(
            "This workspace holds no recorded calls",
            where=str(workspace.path),
            todo="Import a file of them, or keep the replies of a run as recorded calls",
        )
    return RecordedProvider(workspace, options)


PLUGIN = ProviderPlugin(
    id="recorded",
    title="Recorded calls",
    description="Replies that really came once: imported, or kept of a run.",
    touches_world=False,
    options=RecordedOptions,
    make=_make,
)
