"""Short hashes of what is asked and called: they key the tape and find repeated requests.

Made of canonical JSON (sorted names, no spaces), so that the same request has the same fingerprint
in every run, whatever order its arguments came in.
"""

import hashlib
import json
from collections import Counter
from typing import Any

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plain_data import plain_mapping


def fingerprint(*parts: Any) -> str:
    """16 hex digits over JSON values."""
    text = json.dumps(
        parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=plain_mapping
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Occurrences:
    """Counts equal fingerprints on one path: 1, 2, 3 ..."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[NodePath, str]] = Counter()

    def next(self, path: NodePath, print_: str) -> int:
        """How often this fingerprint has now been seen on this path."""
        self._seen[path, print_] += 1
        return self._seen[path, print_]
