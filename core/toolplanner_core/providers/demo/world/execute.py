"""Run one call of the demo world: validate, misbehave where the vendor does, compute, reply.

Called by the provider plug-in `providers/demo/provider.py`. Nothing here raises for a bad call: the
outcome is always an HTTP-like reply, and nothing sleeps: the latency is told in a header.
"""

import json
from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.providers.demo.world.endpoint import FUNCTIONS, Endpoint, fill
from toolplanner_core.providers.demo.world.world import Refusal, World

ORIGIN = "demo"

BEHAVIOURS = {
    "ok": "answers",
    "needs_key": "401 until the vendor is unlocked",
    "not_subscribed": "403 until the vendor is unlocked",
    "quota": "429 after `calls` calls of one provider instance",
    "deprecated": "410, names its `successor`",
    "server_error": "`status` (500) with an error body",
    "html_error": "503 with an HTML page",
    "timeout": "no reply within the limit",
    "network": "the connection is refused",
    "broken_json": "200 with JSON that breaks off",
    "envelope": "200 with an error envelope",
    "empty": "200 with an empty list of results",
}
"""What a vendor may do, by the name used in the data; tests hold that each is met."""


def execute(
    endpoint: Endpoint,
    arguments: Mapping[str, Any],
    world: World,
    *,
    calls_before: int = 0,
    is_unlocked: bool = False,
    timeout_s: float = 30.0,
) -> RawResult:
    """The reply to one call.

    Args:
        calls_before: calls of this endpoint by the same provider instance, for quotas.
        is_unlocked: the vendor's key or subscription is there.
        timeout_s: the limit that a call which never ends reports.
    """
    latency_ms = round(25 + 300 * world.chance("latency", endpoint.api.key))
    refusal = _refuse(endpoint, calls_before, is_unlocked=is_unlocked, timeout_s=timeout_s)
    if refusal is not None:
        return refusal
    try:
        _validate(endpoint, arguments)
        canonical = dict(endpoint.fixed)
        canonical |= {
            endpoint.aliases[name]: value
            for name, value in arguments.items()
            if name in endpoint.aliases and value is not None
        }
        found = FUNCTIONS[endpoint.function](world, canonical)
        if found.get("count") == 0 and "$each" not in json.dumps(endpoint.reply):
            # A reply about one thing cannot say "none" in its own shape.
            raise Refusal(404, "not_found", "Nothing was found")
        value = fill(endpoint.reply, found)
    except Refusal as problem:
        return _problem(endpoint, problem, latency_ms)
    return _reply(200, value, latency_ms)


def _refuse(
    endpoint: Endpoint, calls_before: int, *, is_unlocked: bool, timeout_s: float
) -> RawResult | None:
    """What the vendor's behaviour replies instead of an answer, None when it answers."""
    behaviour = endpoint.behaviour
    tool = endpoint.api.tool
    message = str(behaviour.get("message", ""))
    match behaviour["kind"]:
        case "needs_key" if not is_unlocked:
            link = f"https://{endpoint.vendor.replace('_', '-')}.example/keys"
            return _reply(401, {"message": f"Invalid API key. Go to {link} for more info."})
        case "not_subscribed" if not is_unlocked:
            return _reply(403, {"message": "You are not subscribed to this API."})
        case "quota" if calls_before >= int(behaviour.get("calls", 3)):
            text = message or f"You have exceeded the DAILY quota for Requests on your {tool} plan"
            return _reply(429, {"message": text}, headers={"Retry-After": "3600"})
        case "deprecated":
            error = {
                "code": "gone",
                "message": message or "This version has been retired.",
                "successor": behaviour["successor"],
            }
            return _reply(410, {"error": error})
        case "server_error":
            text = message or "Internal server error"
            return _reply(int(behaviour.get("status", 500)), {"error": text})
        case "html_error":
            page = "<html><head><title>503 Service Temporarily Unavailable</title></head></html>"
            return RawResult(status=503, body=page, content_type="text/html", origin=ORIGIN)
        case "timeout":
            return RawResult(
                status=None,
                body="",
                failure=ErrorClass.TIMEOUT,
                message=f"{tool} did not answer within {timeout_s:g} s",
                origin=ORIGIN,
            )
        case "network":
            return RawResult(
                status=None,
                body="",
                failure=ErrorClass.NETWORK,
                message=f"{tool} refused the connection",
                origin=ORIGIN,
            )
        case "broken_json":
            return RawResult(status=200, body='{"status": "ok", "data": [{"', origin=ORIGIN)
        case "envelope":
            error = {"code": int(behaviour.get("code", 503)), "message": message or "try later"}
            return _reply(200, {"success": False, "error": error})
        case "empty":
            return _reply(200, {"count": 0, "results": []})
        case _:
            return None


def _validate(endpoint: Endpoint, arguments: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import best_match

    validator = Draft202012Validator(
        dict(endpoint.api.parameters), format_checker=FormatChecker(formats=("date", "ipv4"))
    )
    error = best_match(validator.iter_errors(dict(arguments)))
    if error is None:
        return
    place = str(error.absolute_path[0]) if error.absolute_path else ""
    if error.validator == "required":
        missing = [n for n in endpoint.api.parameters["required"] if n not in arguments]
        message = f"The parameter {missing[0]} is required"
        raise Refusal(400, "missing_parameter", message, field=missing[0])
    code = "wrong_format" if error.validator in ("type", "format") else "invalid_parameter"
    raise Refusal(422, code, error.message[:200], field=place)


def _problem(endpoint: Endpoint, problem: Refusal, latency_ms: int) -> RawResult:
    """The problem in the vendor's words: vendors differ in the shape of their errors too."""
    own_name = {canonical: name for name, canonical in endpoint.aliases.items()}
    field = own_name.get(problem.field, problem.field)
    said = f"{field}: {problem.message}" if field else problem.message
    shapes: tuple[dict[str, Any], ...] = (
        {"error": {"code": problem.code, "field": field, "message": problem.message}},
        {"errors": [{"field": field, "code": problem.code, "detail": problem.message}]},
        {"type": problem.code, "title": problem.message, "param": field},
        {"status": "error", "code": problem.code, "message": said},
    )
    shape = shapes[sum(map(ord, endpoint.vendor)) % len(shapes)]
    return _reply(problem.status, shape, latency_ms)


def _reply(
    status: int, value: Any, latency_ms: int = 40, *, headers: Mapping[str, str] | None = None
) -> RawResult:
    return RawResult(
        status=status,
        body=json.dumps(value, ensure_ascii=False),
        headers={"X-Response-Time": f"{latency_ms} ms", **(headers or {})},
        origin=ORIGIN,
    )
