"""What this person allowed and refused, on this machine: one JSON file beside the settings.

Not in the workspace: a workspace that somebody sends must not bring leave to change anything.
"""

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.approval import Approval
from toolplanner_core.domain.plain_data import from_plain, without_defaults
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.settings import settings_path
from toolplanner_core.words.window_places import LEAVE

_LOCK = threading.Lock()


def approvals_path() -> Path:
    """The file."""
    return settings_path().with_name("approvals.json")


def load_approvals() -> list[Approval]:
    """The rules in the order in which they were given; none where there is no file yet.

    Raises:
        BadInput: the file is not what this program wrote; nothing is allowed then.
    """
    path = approvals_path()
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        return [from_plain(Approval, item) for item in data]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            "What was allowed and refused cannot be read",
            where=str(path),
            why=f"{type(error).__name__}: {error}",
            todo="Mend or delete the file; until then every call that may change something asks",
        ) from error


def add_approval(approval: Approval) -> None:
    """Remember a rule; an older one about the same calls goes.

    Raises:
        BadInput: it names nothing, or as `load_approvals`; the file stays as it is.
    """
    if not approval.value:
        raise BadInput(f"A rule must name its {approval.scope}", where=approval.title)
    with _LOCK:
        kept = [rule for rule in load_approvals() if _about(rule) != _about(approval)]
        _write([*kept, approval])


def remove_approval_at(number: int) -> Approval:
    """Forget a rule by its place in the list, from 1; returns it.

    Raises:
        NotFound: there is no such rule.
        BadInput: as `load_approvals`.
    """
    rules = load_approvals()
    if not 1 <= number <= len(rules):
        raise NotFound(f"There is no rule {number}", todo=f"See them in {LEAVE}")
    remove_approval(rules[number - 1])
    return rules[number - 1]


def remove_approval(rule: Approval) -> None:
    """Forget a rule; one that is not there any more is forgotten already.

    Raises:
        BadInput: as `load_approvals`.
    """
    with _LOCK:
        _write([each for each in load_approvals() if each != rule])


def approval_for(api: Api, arguments: Mapping[str, Any]) -> Approval | None:
    """The rule that decides about a call, None = ask. A refusal goes before any leave.

    Raises:
        BadInput: as `load_approvals`.
    """
    fitting = [rule for rule in load_approvals() if rule.covers(api, arguments)]
    return min(fitting, key=lambda rule: rule.allows, default=None)


def _about(rule: Approval) -> tuple[Any, ...]:
    return rule.scope, rule.value, sorted(rule.arguments.items())


def _write(rules: list[Approval]) -> None:
    path = approvals_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    rows = [cast("dict[str, Any]", without_defaults(rule)) for rule in rules]
    beside.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    beside.chmod(0o600)
    beside.replace(path)
