"""Shares what is left of a run's tokens among the requests that are on their way.

A request is sent only if its prompt fits into what is left, and its reply gets a part of the rest
as its limit: both are set aside until the reply says what it took. Branches ask at the same time as
long as there is room for each; then one waits for the other's end instead of being refused for
tokens that may never be spent. Once a prompt did not fit, no other is sent: the run is at its end.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

LEAST_FOR_A_REPLY = 8_192
"""Tokens that a reply may have at the same time as others, where more is left."""
_SHARE = 8
"""Of a lot that is left, a reply gets this part."""


class TokenRoom:
    """What requests may still take. One event loop.

    Args:
        limit: tokens of the run, prompts and replies.
        used: what was taken so far.
    """

    def __init__(self, limit: int, used: Callable[[], int]) -> None:
        self._limit, self._used = limit, used
        self._set_aside = 0
        self._is_spent = False
        self._ended = asyncio.Event()

    @property
    def left(self) -> int:
        """Tokens that are neither taken nor set aside."""
        return self._limit - self._used() - self._set_aside

    @asynccontextmanager
    async def setting_aside(self, prompt_tokens: int) -> AsyncGenerator[int]:
        """Set tokens aside for a request, once there is room or nothing else is on its way.

        Yields:
            Tokens that its reply may have; 0 = its prompt does not fit, or an earlier one did not.
        """
        while self._set_aside and not self._is_spent and self.left <= prompt_tokens:
            await self._ended.wait()
        left = self.left - prompt_tokens
        self._is_spent = self._is_spent or left <= 0
        room = 0 if self._is_spent else min(left, max(LEAST_FOR_A_REPLY, left // _SHARE))
        taken = prompt_tokens + room if room else 0
        self._set_aside += taken
        try:
            yield room
        finally:
            self._set_aside -= taken
            self._ended.set()
            self._ended = asyncio.Event()
