"""The body of a request, by its content type: JSON, form, multipart, text.

Source: OpenAPI 3.1, 4.8.14 "Media Type Object"; RFC 7578 for multipart.
"""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote_plus

from toolplanner_core.domain.operation import Place, Within
from toolplanner_core.providers.http.styles import Pairs, pairs_of, text_of

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_IN_BODY = Place(within=Within.BODY)


def body_of(
    value: Any, content_type: str, places: Mapping[str, Place] = MappingProxyType({})
) -> tuple[bytes, str]:
    """A value as a body, and the content type as the header names it.

    Args:
        places: how lists and objects in fields of a form are written, by the names of the fields.
    """
    kind = content_type.partition(";")[0].strip().lower() or JSON
    if kind == FORM:
        pairs = _pairs(value, places)
        text = "&".join(f"{quote_plus(name)}={quote_plus(item)}" for name, item in pairs)
        return text.encode(), FORM
    if kind == MULTIPART:
        return _multipart(_pairs(value, places))
    if is_json(kind) or kind in ("*/*", "application/*"):
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), (
            content_type if is_json(kind) else JSON
        )
    return text_of(value).encode("utf-8", "replace"), content_type


def is_json(kind: str) -> bool:
    """Whether a media type is JSON."""
    return kind == JSON or kind.endswith("+json") or kind == "text/json"


def _pairs(value: Any, places: Mapping[str, Place]) -> Pairs:
    if not isinstance(value, Mapping):
        return [("value", text_of(value))]
    pairs: Pairs = []
    for name, item in cast(Mapping[str, Any], value).items():
        place = places.get(name, _IN_BODY)
        if isinstance(item, Mapping) and not place.style:
            pairs.append((name, text_of(item)))
        elif item is not None:
            pairs += pairs_of(
                name, item, within=Within.BODY, style=place.style, explode=place.explode
            )
    return pairs


def _multipart(pairs: Pairs) -> tuple[bytes, str]:
    # The boundary comes from what it divides: the same arguments make the same request.
    digest = hashlib.sha256(repr(pairs).encode("utf-8", "replace")).hexdigest()
    boundary = f"toolplanner-{digest[:24]}"
    parts: list[str] = []
    for name, item in pairs:
        quoted = name.replace("\\", "\\\\").replace('"', "%22")
        quoted = quoted.replace("\r", "%0D").replace("\n", "%0A")
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{quoted}"\r\n\r\n{item}\r\n'
        )
    text = "".join(parts) + f"--{boundary}--\r\n"
    return text.encode("utf-8", "replace"), f"{MULTIPART}; boundary={boundary}"
