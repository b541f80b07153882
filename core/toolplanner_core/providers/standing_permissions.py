"""All leave that a person has given for good, on this machine: what may change something, what may
be started, reached or loaded. One list, from which each can be taken back.
"""

from collections.abc import Callable
from dataclasses import dataclass

from toolplanner_core import approvals
from toolplanner_core import risk_overrides as risks
from toolplanner_core.domain.approval import Approval, ApprovalScope
from toolplanner_core.mcp_servers import consent

_FOR = {
    ApprovalScope.API: "calls of this API",
    ApprovalScope.TOOL: "calls of this tool",
    ApprovalScope.ORIGIN: "calls to this server",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingPermission:
    """One thing that was allowed, or refused, for good.

    Attributes:
        what: for people, such as "allow writing: PetStore · addPet".
        about: whom it is for.
        since: day, ISO; "" = nobody noted it.
        take_back: makes it asked for again.
    """

    what: str
    about: str
    since: str
    take_back: Callable[[], object]


def standing_permissions() -> list[StandingPermission]:
    """All of it: rules in the order in which they were given, then what may be started.

    Raises:
        BadInput: the file of rules cannot be read.
    """
    rules = [_of_rule(rule) for rule in approvals.load_approvals()]
    days = consent.consent_days()
    started = [
        StandingPermission(
            what=f"start or reach: {words}",
            about="a server or package, exactly as it stands here",
            since=days.get(key, ""),
            take_back=lambda key=key: consent.revoke(key),
        )
        for key, words in consent.consents().items()
    ]
    said = [
        StandingPermission(
            what=f"risk of {each.in_words}",
            about="calls of this API",
            since=each.given,
            take_back=lambda api=each.api: risks.remove_risk_override(api),
        )
        for each in risks.risk_overrides().values()
    ]
    return [*rules, *said, *started]


def _of_rule(rule: Approval) -> StandingPermission:
    about = _FOR[rule.scope]
    if rule.doc_hash:
        about += ", as it is documented now"
    return StandingPermission(
        what=rule.in_words,
        about=about,
        since=rule.given,
        take_back=lambda: approvals.remove_approval(rule),
    )
