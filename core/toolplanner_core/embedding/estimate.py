"""How long an embedder will take for the texts of a workspace that it has not encoded yet.

From what it took in this workspace before; else from its usual speed, scaled by how this machine
did with another one. Asked before a choice: `prepare` in the window, `toolplanner embedders list`.
"""

from collections.abc import Mapping

from toolplanner_core.embedding.embedder import embedders, parse_spec
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import change_setting, get_setting
from toolplanner_core.workspace.vectors import count_without_vector

_SETTING = "texts_per_s"
_LEAST_S = 2.0
"""A shorter piece of work is mostly the start of its process."""


def seconds_to_embed(workspace: Workspace, spec: str) -> float:
    """Estimate, 0 where every text has a vector.

    Raises:
        NotFound: there is no such embedder.
    """
    kind = parse_spec(spec).kind
    measured: Mapping[str, float] = get_setting(workspace, _SETTING, {})
    usual = float(embedders.get(kind).texts_per_s)
    there = embedders.plugins
    known = [own / there[one].texts_per_s for one, own in measured.items() if one in there]
    rate = measured.get(kind, usual * (sum(known) / len(known) if known else 1.0))
    return count_without_vector(workspace, spec) / rate


def remember_speed(workspace: Workspace, kind: str, texts: int, seconds: float) -> None:
    """Keep how fast an embedder was here, if it had enough to do."""
    if seconds >= _LEAST_S:

        def put(kept: Mapping[str, float] | None) -> Mapping[str, float]:
            return {**(kept or {}), kind: texts / seconds}

        change_setting(workspace, _SETTING, put)
