"""Replies of a model in a file, so that work which goes on after a kill asks nothing twice.

A line of JSON for each reply, written before anybody reads it. The same request is known again by
what is sent: the n-th time it is made since the file was opened, the n-th stored reply is given. A
line that a kill has cut is cut off.
"""

import hashlib
import json
import os
from collections import deque
from pathlib import Path
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import Model, ModelRequest, Reply


class ReplyFile:
    """The stored replies of typed questions; for one process. Blocks for some ms a reply.

    Raises:
        BadInput: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, deque[Reply]] = {}
        whole = 0
        try:
            with path.open("a+b") as file:
                file.seek(0)
                for line in file:
                    row = _row(line)
                    if row is None:
                        break
                    reply = Reply(data=row["data"], text=row["text"])
                    self._known.setdefault(row["request"], deque()).append(reply)
                    whole += len(line)
                file.truncate(whole)
        except OSError as error:
            raise self._unusable(error) from error

    def take(self, key: str) -> Reply | None:
        """The next stored reply to a request, without its usage: that was counted then."""
        replies = self._known.get(key)
        return replies.popleft() if replies else None

    def add(self, key: str, reply: Reply) -> None:
        """Store a reply; it is on disk when this returns.

        Raises:
            BadInput: it cannot be written.
        """
        row = {"request": key, "data": reply.data, "text": reply.text}
        try:
            with self._path.open("ab") as file:
                file.write(json.dumps(row).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> BadInput:
        return BadInput(
            "Replies of the model cannot be stored", where=str(self._path), why=str(error)
        )


class StoredReplies:
    """A model whose replies to typed questions are taken from a file where they stand there."""

    def __init__(self, model: Model, file: ReplyFile) -> None:
        self._model, self._file = model, file

    @property
    def label(self) -> str:
        """As of the model."""
        return self._model.label

    async def complete(self, request: ModelRequest) -> Reply:
        """The stored reply, or the model's, which is stored.

        Raises:
            ModelError: no reply.
            BadInput: the reply cannot be stored.
        """
        key = _key(self.label, request)
        if (stored := self._file.take(key)) is not None:
            return stored
        reply = await self._model.complete(request)
        self._file.add(key, reply)
        return reply

    async def close(self) -> None:
        """Close connections."""
        await self._model.close()


def _key(label: str, request: ModelRequest) -> str:
    """What is sent, without how much is left for the reply."""
    messages = [[str(message.role), str(message.content)] for message in request.messages]
    sent = [label, request.id, messages, request.schema, request.temperature]
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=str).encode()).hexdigest()


def _row(line: bytes) -> dict[str, Any] | None:
    """A whole line, None where it was cut."""
    if not line.endswith(b"\n"):
        return None
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.keys() >= {"request", "data", "text"} else None
