"""Which test tries to break which rule of design/security.md. Each of them must be there.

A rule that is added gets a line here, and a test that fails when the rule is broken.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]

RULES = {
    "http and https only": "core/net/test_addresses.py scheme_is_another",
    "private addresses are refused": "core/net/test_addresses.py not_of_the_open_internet",
    "a name is resolved once": "core/net/test_exchange.py looked_up_once",
    "rebinding": "core/net/test_exchange.py means_another_address_at_the_next_request",
    "five redirects": "core/net/test_exchange.py five_are_followed",
    "each redirect is checked": "core/net/test_exchange.py leads_to_a_private_address",
    "credentials stay at their origin": "core/net/test_exchange.py credentials_stay_behind",
    "documents by that client": "core/sources/openapi/test_documents.py into_the_local_network",
    "MCP by the same client": "core/mcp_servers/test_web.py name_that_means_this_machine",
    "caps after unpacking": "core/net/test_exchange.py unpacks_to_too_much",
    "bodies without an end": "core/net/test_exchange.py has_no_end",
    "total time": "core/net/test_exchange.py whole_is_limited",
    "JSON depth": "core/sources/test_archive.py json_when_too_deep",
    "no listening port": "core/net/test_no_port.py no_port_is_opened",
    "the gateway's port": "core/serving/test_http.py without_the_token_then_it_serves_nobody",
    "the gateway's token": "core/serving/test_http.py nobody_else_can_read_it",
    "the hub's token": "core/serving/test_hub.py without_its_token",
    "the hub's file": "core/serving/test_hub.py not_that_of_a_living_one",
    "no token in output": "core/serving/test_http.py each_is_a_run_that_ends",
    "nor in the source": "core/structure/test_dangerous_calls.py nothing_runs_foreign_text",
    "OAuth callback": "core/mcp_servers/test_signing_in.py state_is_not_ours",
    "keys in the keychain": "core/keys/test_keys.py only_its_name_in_the_file",
    "long keys are split": "core/keys/test_keys.py key_when_it_is_long",
    "a key belongs to its origin": "core/providers/http/test_security.py at_another_origin",
    "a redirect gets no key": "core/providers/http/test_security.py redirects_to_another_origin",
    "no key in the workspace": "core/runs/config/test_call_routing.py nowhere_in_the_file",
    "no key in crash reports": "gui/bridge/test_crashes.py only_places_and_kinds",
    "no key in the log": "gui/bridge/test_crashes.py carries_a_key",
    "no key on a command line": "core/mcp_servers/test_command_line.py no_command_line_holds_it",
    "no key of a configuration in the workspace": "core/sources/test_mcp.py not_in_the_workspace",
    "redaction: canaries": "core/runs/log/test_redaction.py canaries_when_in_six_places",
    "writing asks first": "core/runs/stages/test_policy.py person_is_asked",
    "a batch refuses what would ask": "core/runs/stages/test_policy.py nobody_is_there",
    "a change is done once": "core/strategies/test_done_once.py then_no_strategy_does_it_again",
    "a change in doubt needs a word": "core/runs/stages/test_idempotency.py only_a_person",
    "what is sent is seen first": "gui/panels/test_stop_page_approval.py read_before_a_yes",
    "a workspace brings no leave": "core/runs/stages/test_policy.py brings_rules_then",
    "risk is a person's": "core/runs/stages/test_risk_of_person.py another_person_opens_the_file",
    "tools cannot be widened": "core/strategies/test_never_widened.py no_strategy_reaches_it",
    "changed documentation blocks": "core/curation/looking/test_waiting.py it_is_not_called",
    "a changed MCP tool is blocked": "core/providers/test_mcp.py called_again_then_blocked",
    "hidden characters": "core/mcp_servers/test_reading.py hidden_characters_when_shown",
    "hidden characters of catalogues": "core/sources/test_mcp.py with_a_hidden_text",
    "plain text in the window": "gui/windows/test_hostile_texts.py shown_everywhere",
    "exported pages do nothing": "core/runs/export/test_export_html.py texts_are_hostile",
    "exported pages allow no script": "core/runs/export/test_export_html.py policy_allows",
    "formulas in CSV": "core/curation/sharing/exports/test_forms.py look_like_formulas",
    "consent to the exact command": "core/sources/test_mcp.py exact_command_is_told",
    "no shell for servers": "core/mcp_servers/test_connection.py shell_words_in_arguments",
    "empty folder, small environment": "core/mcp_servers/test_connection.py only_what_is_named",
    "dead servers, no orphans": "core/mcp_servers/test_connection.py misbehaves_when_opened",
    "dead servers within 2 s, no stall": "benchmarks/test_dead_servers.py typed_failure_soon",
    "Monty's pin": "core/sandbox/test_pin.py exactly_the_version_that_is_pinned",
    "Monty's program": "core/sandbox/test_pin.py what_its_package_brought",
    "Monty's conformance": "core/sandbox/test_monty.py only_json_passes",
    "escapes": "core/sandbox/test_escapes.py escape_when_tried",
    "time, memory, output": "core/sandbox/test_escapes.py bomb_when_it_goes_off",
    "no sandbox, no programs": "core/sandbox/test_monty.py missing_then_says_so",
    "no eval, pickle, shell": "core/structure/test_dangerous_calls.py nothing_runs_foreign_text",
    "no unsafe YAML": "core/sources/openapi/test_documents.py names_objects_of_programs",
    "YAML bombs": "core/sources/openapi/test_documents.py made_to_harm",
    "archives: names": "core/sources/test_archive.py climbs_out",
    "archives: links": "core/sources/test_archive.py member_when_it_is_a_link",
    "archives: bombs": "core/sources/test_archive.py bomb_when_walked",
    "references stay in the folder": "core/sources/openapi/test_documents.py out_of_the_folder",
    "pipes and devices": "core/sources/test_location.py pipe_or_device",
    "a foreign workspace is checked": "core/workspace/test_poisoned_workspace.py not_ours",
    "its schema is distrusted": "core/workspace/test_poisoned_workspace.py distrust_what",
    "JSON of another form in it": "core/workspace/test_wrong_shapes.py another_form",
    "a newer schema is refused": "core/workspace/test_workspace.py file_is_newer",
    "an older one is copied aside": "core/workspace/test_workspace.py copies_it_and_migrates",
    "kill: acknowledged writes": "core/workspace/test_workspace.py every_acknowledged_write",
    "kill: a call in doubt": "core/runs/engine/test_runner.py call_in_doubt",
    "bad input: the rest goes on": "core/sources/test_table.py the_rest_goes_in",
    "gateway: rebinding, pages, tokens": "core/serving/test_http.py page_or_without_the_token",
    "gateway: canaries": "core/serving/test_secrets.py no_agent_reads_them",
    "gateway: a yes is a yes": "core/serving/test_approvals.py back_without_a_yes",
    "gateway: a yes is for one call": "core/serving/test_approvals.py forged_altered_or_used",
    "gateway: only what is served": "core/serving/test_who_is_served.py no_form_of_its_name",
    "gateway: results of others": "core/serving/test_http.py another_client_asks_for_the_rest",
    "gateway: changed documents": "core/serving/test_changed_documentation.py imported_again",
    "gateway: changed MCP lists": "core/serving/test_changed_documentation.py list_has_changed",
    "gateway: orders in documentation": "core/serving/test_poisoned_texts.py words_of_the_search",
    "gateway: stdout is the protocol's": "core/serving/test_stdio.py very_many_calls",
    "bad input: nothing stored changes": "core/sources/openapi/test_documents.py nothing_is_stored",
}  # fmt: skip
"""Rule: file below tests/, and part of the name of its test."""


def names_in(file: Path) -> list[str]:
    return [
        node.name
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name[:5] == "test_"
    ]


@pytest.mark.parametrize("rule", RULES)
def test_rule_when_looked_up_then_its_test_is_there(rule: str) -> None:
    file, part = RULES[rule].split(" ")
    names = names_in(TESTS / file)
    assert len([name for name in names if part in name]) >= 1, f"{part} is none of {names}"
