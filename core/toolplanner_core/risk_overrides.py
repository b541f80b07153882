"""What this person says of the risk of APIs, instead of what was guessed or documented.

On this machine, beside the settings: a workspace that somebody sends must not lower what asks for
leave. To lower a risk counts for the API as it was documented then; to raise it, for ever.

Source: design/security.md, "Approval".
"""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.plain_data import from_plain, without_defaults
from toolplanner_core.settings import settings_path

_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskOverride:
    """What a person said of one API.

    Attributes:
        api: its id; title: for people.
        risk: what holds instead of `documented`.
        doc_hash: of the documentation that it was said of.
        given: day, ISO.
    """

    api: str
    title: str
    risk: Risk
    documented: Risk
    doc_hash: str
    given: str = ""

    @property
    def in_words(self) -> str:
        """One line for people: "Shop · search: read, documented as write"."""
        return f"{self.title}: {self.risk}, documented as {self.documented}"


def risk_overrides() -> Mapping[str, RiskOverride]:
    """All of it by API; a file that cannot be read says nothing."""
    path = _file()
    try:
        stamp = path.stat()
    except OSError:
        return {}
    key = (str(path), stamp.st_mtime_ns, stamp.st_size, stamp.st_ino)
    if _kept.get("key") != key:
        _kept["key"], _kept["said"] = key, _read(path)
    return cast("Mapping[str, RiskOverride]", _kept["said"])


_kept: dict[str, Any] = {}
"""The file as it was read last: catalogues ask for it at every reading."""


def with_risk_override(api: Api) -> Api:
    """The API with the risk that this person gave it."""
    risk = risk_of(api.id, api.risk, api.doc_hash)
    return api if risk is api.risk else replace(api, risk=risk)


def risk_of(
    api: ApiId,
    documented: Risk,
    doc_hash: str,
    overrides: Mapping[str, RiskOverride] | None = None,
) -> Risk:
    """What holds of an API that is documented so.

    Args:
        overrides: as `risk_overrides` has just said, for whoever asks of many APIs at once.
    """
    said = (risk_overrides() if overrides is None else overrides).get(api)
    if said is None or (said.risk.level < documented.level and said.doc_hash != doc_hash):
        return documented
    return said.risk


def override_risk(api: Api, risk: Risk | None) -> RiskOverride | None:
    """Let another risk hold from now on; None takes back what was said.

    Args:
        api: with its documented risk or the said one.

    Returns:
        What holds now beside the documentation.

    Raises:
        OSError: the file cannot be written.
    """
    with _LOCK:
        said = dict(_read(_file()))
        before = said.pop(api.id, None)
        documented = before.documented if before is not None else api.risk
        made = None
        if risk is not None and risk is not documented:
            made = said[api.id] = RiskOverride(
                api=api.id,
                title=api.title,
                risk=risk,
                documented=documented,
                doc_hash=api.doc_hash,
                given=datetime.now(UTC).date().isoformat(),
            )
        _write(said)
    return made


def remove_risk_override(api: str) -> None:
    """Take back what was said of an API."""
    with _LOCK:
        _write({key: each for key, each in _read(_file()).items() if key != api})


def _read(path: Path) -> dict[str, RiskOverride]:
    try:
        rows: Any = json.loads(path.read_text(encoding="utf-8"))
        return {each.api: each for each in (from_plain(RiskOverride, row) for row in rows)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(said: Mapping[str, RiskOverride]) -> None:
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    rows = [cast("dict[str, Any]", without_defaults(each)) for each in said.values()]
    beside.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    beside.replace(path)


def _file() -> Path:
    return settings_path().with_name("risks.json")
