"""How OpenTelemetry calls what a run has: the GenAI semantic conventions, one table per version.

The conventions are still in development and rename things, so no name stands anywhere else, and an
export says which table it used. Names that the conventions have no word for begin with
"toolplanner.". Source: OpenTelemetry semantic conventions for generative AI, span names, attributes
and the event `gen_ai.client.inference.operation.details`; the operation `plan` is the one proposed
in the GenAI repository (research/debugging.md, C.4).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GenAiNames:
    """One version of the names. Fields ending in `_op` are values of `operation`."""

    version: str
    operation: str = "gen_ai.operation.name"
    run_op: str = "invoke_workflow"
    plan_op: str = "plan"
    chat_op: str = "chat"
    tool_op: str = "execute_tool"
    workflow: str = "gen_ai.workflow.name"
    conversation: str = "gen_ai.conversation.id"
    provider: str = "gen_ai.provider.name"
    request_model: str = "gen_ai.request.model"
    temperature: str = "gen_ai.request.temperature"
    seed: str = "gen_ai.request.seed"
    input_tokens: str = "gen_ai.usage.input_tokens"
    output_tokens: str = "gen_ai.usage.output_tokens"
    tool_name: str = "gen_ai.tool.name"
    tool_type: str = "gen_ai.tool.type"
    tool_call_id: str = "gen_ai.tool.call.id"
    tool_arguments: str = "gen_ai.tool.call.arguments"
    tool_result: str = "gen_ai.tool.call.result"
    tool_definitions: str = "gen_ai.tool.definitions"
    input_messages: str = "gen_ai.input.messages"
    output_messages: str = "gen_ai.output.messages"
    content_event: str = "gen_ai.client.inference.operation.details"
    error_type: str = "error.type"
    status_code: str = "http.response.status_code"


TABLES: dict[str, GenAiNames] = {
    "2026-05": GenAiNames(version="2026-05"),
    # Before the operations for workflows and plans: an agent did both.
    "1.37": GenAiNames(
        version="1.37", run_op="invoke_agent", plan_op="invoke_agent", workflow="gen_ai.agent.name"
    ),
}
"""By version; the first is the default."""

DEFAULT_VERSION = next(iter(TABLES))

OWN = "toolplanner."
"""Prefix of our own names."""
