"""What a server asks of its callers, as alternatives.

Source: OpenAPI 2.0 and 3.1.1: Security Scheme Object, Security Requirement Object.
"""

from typing import Any

from toolplanner_core.domain.operation import SchemeKind, SecurityScheme, Within
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_line
from toolplanner_core.sources.openapi.parts import Notes, as_list, as_object, as_text
from toolplanner_core.sources.openapi.references import References

_WITHIN = {"query": Within.QUERY, "header": Within.HEADER, "cookie": Within.COOKIE}
_FLOWS = ("clientCredentials", "password", "authorizationCode", "implicit", "deviceAuthorization")


def security_of(
    requirements: Any, schemes: dict[str, Any], base: str, references: References, notes: Notes
) -> tuple[tuple[SecurityScheme, ...], ...]:
    """The alternatives that a list of requirements stands for; of each, everything is asked."""
    alternatives: list[tuple[SecurityScheme, ...]] = []
    for requirement in as_list(requirements):
        asked: list[SecurityScheme] = []
        for name, scopes in as_object(requirement).items():
            try:
                raw = as_object(references.follow(schemes.get(name), base).value)
            except BadInput:
                raw = {}
            if not raw:
                notes.add(f"the security scheme {name[:100]!r} is not declared")
            asked.append(_scheme(clean_line(name), raw, as_list(scopes)))
        alternatives.append(tuple(asked))
    return tuple(dict.fromkeys(alternatives))


def _scheme(name: str, raw: dict[str, Any], scopes: list[Any]) -> SecurityScheme:
    kind = as_text(raw.get("type"))
    scheme = as_text(raw.get("scheme")).lower()
    if kind == "apiKey" and raw.get("in") in _WITHIN:
        return SecurityScheme(
            name=name,
            kind=SchemeKind.KEY,
            within=_WITHIN[raw["in"]],
            parameter=clean_line(raw.get("name")),
        )
    if kind == "basic" or (kind == "http" and scheme == "basic"):
        return SecurityScheme(name=name, kind=SchemeKind.BASIC)
    if kind == "http" and scheme in ("bearer", ""):
        return SecurityScheme(name=name, kind=SchemeKind.BEARER)
    if kind == "oauth2":
        return SecurityScheme(
            name=name,
            kind=SchemeKind.OAUTH2,
            token_url=_token_url(raw),
            scopes=tuple(clean_line(scope) for scope in scopes),
        )
    if kind == "openIdConnect":
        return SecurityScheme(name=name, kind=SchemeKind.OPENID)
    if kind == "mutualTLS":
        return SecurityScheme(name=name, kind=SchemeKind.CERTIFICATE)
    # Other schemes of HTTP: whoever has the header's whole text can store it as a key.
    return SecurityScheme(
        name=name, kind=SchemeKind.KEY, within=Within.HEADER, parameter="Authorization"
    )


def _token_url(raw: dict[str, Any]) -> str:
    flows = as_object(raw.get("flows"))
    listed = [as_object(flows.get(flow)).get("tokenUrl") for flow in _FLOWS]
    return next((url for each in (*listed, raw.get("tokenUrl")) if (url := clean_line(each))), "")
