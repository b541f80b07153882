"""How a run begins: its row in the list, and its first event with all needed to repeat it."""

import dataclasses
from typing import Any

import toolplanner_core
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.parts import RunParts
from toolplanner_core.runs.process import this_process
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.runs.stages.redaction import Redactor
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_adding import NewRun, create_run
from toolplanner_core.workspace.settings import get_setting


def create_row(
    workspace: Workspace, spec: RunSpec, parts: RunParts, started_us: int, redactor: Redactor
) -> RunId:
    """Enter the run in the list, without secrets, and wait until it is stored. Blocks."""
    return create_run(
        workspace,
        NewRun(
            query=redactor.text(spec.query),
            strategy=spec.strategy,
            model=spec.model,
            provider=parts.outside.provider_name,
            options={
                "options": dict(spec.options),
                "provider_options": redactor.value(dict(spec.provider_options)),
                "roles": dict(spec.roles),
                "limits": dataclasses.asdict(spec.limits),
                "seed": spec.seed,
                "faults": list(spec.faults),
            },
            status=Status.RUNNING,
            started_us=started_us,
            app_version=toolplanner_core.__version__,
            process=this_process(),
            parent_run=spec.fork.parent if spec.fork else None,
            fork_seq=spec.fork.seq if spec.fork else None,
        ),
    )


def first_event(workspace: Workspace, spec: RunSpec, parts: RunParts) -> Event:
    """The first own event of a run: of one that starts afresh, or of a fork."""
    known: dict[str, Any] = {
        "model": spec.model,
        "model_label": parts.outside.model.label,
        "provider": parts.outside.provider_name,
        "options": _options(spec, parts),
        "limits": dataclasses.asdict(spec.limits),
        "app_version": toolplanner_core.__version__,
    }
    fork = spec.fork
    if fork is not None:
        return ForkOrigin(
            parent_run=fork.parent,
            fork_seq=fork.seq,
            at=fork.at,
            reason=fork.reason,
            changes=fork.changes,
            **known,
        )
    return RunStarted(
        query=spec.query,
        strategy=spec.strategy,
        strategy_version=parts.strategy.version,
        seed=spec.seed,
        toolkits_version=int(get_setting(workspace, "toolkits_version", 0)),
        **known,
    )


def _options(spec: RunSpec, parts: RunParts) -> dict[str, Any]:
    return {
        "strategy": dataclasses.asdict(parts.options),
        "provider": dict(spec.provider_options),
        "roles": dict(spec.roles),
        "faults": list(spec.faults),
        "prompts": dict(parts.prompts),
    }
