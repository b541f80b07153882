"""The ids of things, so that one kind is never passed for another, and the paths of nodes: the node
above, all around it, the nearest that is there."""

from collections.abc import Container, Iterator
from typing import NewType

ApiId = NewType("ApiId", str)
"""16 hex digits, permanent across imports and workspaces (see `sources/identity.py`)."""

ToolkitId = NewType("ToolkitId", int)
"""Permanent within one workspace; never used again after a merge or split."""

RegionId = NewType("RegionId", int)
"""Permanent within one workspace, as a `ToolkitId`."""

EditId = NewType("EditId", int)
"""Counts up within one workspace's history of edits; 0 is the point before the first."""

RunId = NewType("RunId", int)
"""Counts up within one workspace; what people call "run 42"."""

NodePath = NewType("NodePath", str)
"""Place of a node in a run, made of positions only: `plan.1/step.2/attempt.1/call.1`. The root is
``""``."""


ROOT = NodePath("")


def join(parent: NodePath, kind: str, number: int) -> NodePath:
    """Path of a child: made of positions only, so that it is the same in every run."""
    name = f"{kind}.{number}"
    return NodePath(f"{parent}/{name}" if parent else name)


def parent_of(path: NodePath) -> NodePath | None:
    """Path of the node above, None for the run itself."""
    return NodePath(path.rpartition("/")[0]) if path else None


def path_and_ancestors(path: NodePath) -> Iterator[NodePath]:
    """The node and all around it but the run itself, from the inside out."""
    while path:
        yield path
        path = NodePath(path.rpartition("/")[0])


def is_within(path: NodePath, around: NodePath) -> bool:
    """Whether it is this node, or one below it."""
    return path == around or path.startswith(f"{around}/")


def nearest_known(path: NodePath, known: Container[NodePath]) -> NodePath:
    """The node, or the nearest one around it that is known; else the run itself."""
    return next((place for place in path_and_ancestors(path) if place in known), ROOT)
