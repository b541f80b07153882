"""Who asks too often, or without the token again and again, is turned away; time is the test's."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from toolplanner_core.serving.guard import BAN_S, MOST_WRONG, Guard

TOKEN, PORT = "a" * 43, 8765


class Asking:
    """A guard before an app that answers 200, and a clock that is set by hand."""

    def __init__(self, **options: Any) -> None:
        self.now_s = 100.0
        self.guard = Guard(_answer, token=TOKEN, port=PORT, clock=lambda: self.now_s, **options)

    def ask(self, token: str = TOKEN) -> tuple[int, str]:
        """Status and "Retry-After" of a request."""
        said: list[MutableMapping[str, Any]] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            said.append(message)

        headers = [
            (b"host", f"127.0.0.1:{PORT}".encode()),
            (b"authorization", f"Bearer {token}".encode()),
        ]
        asyncio.run(self.guard({"type": "http", "headers": headers}, _nothing, send))
        wait = dict(said[0]["headers"]).get(b"retry-after", b"")
        return said[0]["status"], wait.decode()


async def _nothing() -> MutableMapping[str, Any]:
    return {"type": "http.disconnect"}


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    del scope, receive
    await send({"type": "http.response.start", "status": 200, "headers": []})


def test_client_when_it_asks_too_often_then_is_told_to_wait_and_served_again() -> None:
    asking = Asking(requests_a_second=5)
    assert [asking.ask()[0] for _ in range(10)] == [200] * 10, "a burst"
    assert asking.ask() == (429, "1")
    asking.now_s += 1
    assert [asking.ask()[0] for _ in range(6)] == [200] * 5 + [429]


def test_tokens_when_they_are_guessed_then_guessing_is_stopped_and_the_right_one_serves() -> None:
    asking = Asking()
    assert {asking.ask("wrong") for _ in range(MOST_WRONG)} == {(401, "")}
    assert asking.ask("wrong") == (429, "10")
    assert asking.ask() == (200, ""), "nobody is shut out by the guesses of others"
    asking.now_s += BAN_S
    assert asking.ask("wrong") == (401, "")
