"""What is said of the places of a search: APIs, each once, as its last call ended."""

from toolplanner_core.domain.ids import NodePath, parent_of
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.panels.map_trails import plan_trails

OK, FAILED, PRUNED = NodeState.OK, NodeState.FAILED, NodeState.PRUNED


def tree_of(*rows: tuple[str, str, NodeState, str]) -> dict[NodePath, Node]:
    """Nodes by path, kind, state and API, in the order in which they began."""
    run = Node(path=NodePath(""), parent=None, kind="run", title="q", state=OK)
    found = {run.path: run}
    for seq, (name, kind, state, api) in enumerate(rows, 1):
        path = NodePath(name)
        data = {"api": api} if api else {}
        found[path] = Node(
            path=path,
            parent=parent_of(path),
            kind=kind,
            title=api,
            state=state,
            opened_seq=seq,
            data=data,
        )
    return found


def test_words_when_apis_are_pooled_and_then_followed_in_branches_then_each_counts_once() -> None:
    nodes = tree_of(
        ("found_api.1", "found_api", OK, "a"),
        ("found_api.2", "found_api", OK, "b"),
        ("found_api.3", "found_api", OK, "c"),
        ("branch.1", "branch", PRUNED, "a"),
        ("branch.1/call.1", "call", FAILED, "a"),
        ("branch.1/branch.1", "branch", PRUNED, ""),
        ("branch.2", "branch", OK, "b"),
        ("branch.2/call.1", "call", OK, "b"),
    )
    picture = plan_trails(nodes, lambda _key: (0.0, 0.0))
    assert picture.words == "Run · 3 APIs: 1 ok, 1 failed, 1 not called"
    tokens = {stop.key: stop.token for stop in picture.trails[0].stops}
    assert tokens["found_api.1"] == "failed", "its call failed elsewhere"
    assert tokens["found_api.2"] == "ok"


def test_words_when_an_api_is_called_again_then_its_last_call_counts() -> None:
    nodes = tree_of(
        ("probed.1", "probed", FAILED, "a"),
        ("probed.1/probe.1", "probe", FAILED, ""),
        ("probed.1/probe.1/line.1", "line", FAILED, "a"),
        ("probed.1/probe.1/line.1/call.1", "call", FAILED, "a"),
        ("probed.2", "probed", OK, "a"),
        ("probed.2/probe.1", "probe", OK, ""),
        ("probed.2/probe.1/line.1", "line", OK, "a"),
        ("probed.2/probe.1/line.1/call.1", "call", OK, "a"),
    )
    assert plan_trails(nodes, lambda _key: (0.0, 0.0)).words == "Run · 1 API: 1 ok"
    assert plan_trails({}, lambda _key: (0.0, 0.0)) == ([], "")
