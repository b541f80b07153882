"""The order of a search's first APIs that a workspace has learned for its own catalogue.

How much an API's name, its tool or a clause says differs from catalogue to catalogue. So a
workspace may keep weights of its own (`training/ordering.py` learns them); without any, those of
`reranking.py` count. Only numbers are read: a workspace from elsewhere can bring nothing else.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.retrieval.reranking import FEATURES
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting, set_setting

_SETTING = "search_order"


def own_order(workspace: Workspace) -> NDArray[np.float32] | None:
    """(features,) weights of this workspace; None when it has none that can be used."""
    stored: dict[str, Any] = get_setting(workspace, _SETTING, {}) or {}
    values = [stored.get(name) for name in FEATURES]
    found = [value for value in values if isinstance(value, int | float) and math.isfinite(value)]
    if len(found) < len(FEATURES):
        return None
    return np.array(found, dtype=np.float32)


def keep_order(workspace: Workspace, weights: Mapping[str, float]) -> None:
    """Have all searches of this workspace use these weights, by feature."""
    set_setting(workspace, _SETTING, dict(weights))


def forget_order(workspace: Workspace) -> None:
    """Go back to the usual order."""
    set_setting(workspace, _SETTING, {})
