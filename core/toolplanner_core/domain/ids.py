"""Names for identifiers, so that one kind is never passed for another."""

from typing import NewType

ApiId = NewType("ApiId", str)
"""16 hex digits, permanent across imports and workspaces (see `sources/identity.py`)."""

ToolkitId = NewType("ToolkitId", int)
"""Permanent within one workspace; never used again after a merge or split."""

EditId = NewType("EditId", int)
"""Counts up within one workspace's history of edits; 0 is the point before the first."""

RunId = NewType("RunId", int)
"""Counts up within one workspace; what people call "run 42"."""

NodePath = NewType("NodePath", str)
"""Place of a node in a run, made of positions only: `plan.1/step.2/attempt.1/call.1`. The root is
``""``."""
