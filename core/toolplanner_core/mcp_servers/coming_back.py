"""The only port that is ever opened: where a person's browser comes back to after a sign-in.

On loopback, at random, for one answer; it closes with the `async with` around it.

Source: RFC 8252, 7.3 for loopback redirects.
"""

import asyncio
from typing import Self
from urllib.parse import parse_qs, urlsplit

PATH = "/signed-in"
_PAGE = b"<!doctype html><meta charset=utf-8><title>ToolPlanner</title>Done: close this page."


class ComingBack:
    """Waits for the one request with which a browser comes back.

    Attributes:
        address: where it has to come to.
    """

    def __init__(self) -> None:
        self.address = ""
        self._came: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}{PATH}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def answer(self) -> dict[str, str]:
        """What the browser brings, when it has come."""
        return await self._came

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode("latin-1").split(" ")
        address = urlsplit(line[1] if len(line) > 1 else "")
        is_it = line[0] == "GET" and address.path == PATH and not self._came.done()
        head = b"200 OK" if is_it else b"404 Not Found"
        page = _PAGE if is_it else b""
        writer.write(
            b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\n"
            b"Connection: close\r\n\r\n%b" % (head, len(page), page)
        )
        await writer.drain()
        writer.close()
        if is_it:
            self._came.set_result({name: v[0] for name, v in parse_qs(address.query).items()})
