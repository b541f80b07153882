"""Print the tree of a run."""

from toolplanner_core.cli.terminal import print_line
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.reading import load_tree
from toolplanner_core.runs.render import render_tree
from toolplanner_core.workspace import Workspace


def print_tree(workspace: Workspace, run: RunId) -> None:
    """Print the tree of a run on stdout, one node a line."""
    for line in render_tree(load_tree(workspace, run)):
        print_line(line)
    print_line()
