"""What a media type says of a body: JSON by any of its names, JSON lines, patches.

Asked where documents are read and where requests are written and replies are read.

Source: RFC 6839 (+json), RFC 6902 (JSON Patch), RFC 7396 (JSON Merge Patch), RFC 7464 (sequences).
"""

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
"""A list of changes; every other patch in JSON is an object with the fields that change."""
_JSON_NAMES = frozenset(
    ("application/json", "text/json", "application/x-json", "text/x-json", "application/*+json")
)
_LINES_NAMES = frozenset(
    (
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/json-lines",
        "application/json-seq", "application/stream+json", "application/x-json-stream",
        "text/x-ndjson", "text/ndjson", "text/jsonl",
    )
)  # fmt: skip


def bare(media_type: str) -> str:
    """A media type in small letters without its parameters, such as a charset."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Whether a body of this type is one JSON value."""
    kind = bare(media_type)
    return (kind in _JSON_NAMES or kind.endswith("+json")) and not is_json_lines(kind)


def is_json_lines(media_type: str) -> bool:
    """Whether a body of this type is a row of JSON values, one a line."""
    return bare(media_type) in _LINES_NAMES
