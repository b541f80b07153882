"""A request as people read it and as curl sends it; where a key belongs stands its name."""

import shlex
from collections.abc import Iterable

from toolplanner_core.domain.operation import SchemeKind, SecurityScheme, Within
from toolplanner_core.providers.http.request import HttpCall

_SHOWN = 20_000


def with_named_keys(call: HttpCall, alternatives: Iterable[tuple[SecurityScheme, ...]]) -> HttpCall:
    """The call with a word such as $KEY_MAIN in the place of each key of the first alternative."""
    for scheme in next(filter(None, alternatives), ()):
        key = "$KEY_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in scheme.name)
        put = {Within.QUERY: call.with_query, Within.COOKIE: call.with_cookie}
        if scheme.kind is SchemeKind.KEY:
            call = put.get(scheme.within or Within.HEADER, call.with_header)(
                scheme.parameter, key.upper()
            )
        else:
            how = "Basic" if scheme.kind is SchemeKind.BASIC else "Bearer"
            call = call.with_header("Authorization", f"{how} {key.upper()}")
    return call


def request_text(call: HttpCall) -> str:
    """Method and address, headers, body."""
    lines = [f"{call.method} {call.url}", *(f"{n}: {v}" for n, v in call.all_headers())]
    if call.content:
        lines += ["", call.content.decode("utf-8", "replace")[:_SHOWN]]
    return "\n".join(lines)


def curl_text(call: HttpCall) -> str:
    """A command that sends the same; nothing in it is read by the shell but the names of keys."""
    words = ["curl", "--globoff", "-X", call.method, _quoted(call.url)]
    for name, value in call.all_headers():
        words += ["-H", _quoted(f"{name}: {value}")]
    if call.content:
        words += ["--data-binary", shlex.quote(call.content.decode("utf-8", "replace"))]
    return " ".join(words)


def _quoted(text: str) -> str:
    """Quoted for a shell, but for the names of keys that `with_named_keys` has put in."""
    before, mark, name = text.replace("%24KEY_", "$KEY_").partition("$KEY_")
    end = next((n for n, c in enumerate(name) if not (c.isalnum() or c == "_")), len(name))
    if not mark or not name[:end].isupper():
        return shlex.quote(text)
    return f'{shlex.quote(before)}"$KEY_{name[:end]}"' + (
        shlex.quote(name[end:]) if name[end:] else ""
    )
