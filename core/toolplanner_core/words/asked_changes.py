"""Whether an English query asks for a change of the world: "Save a note", "and delete the draft".

Only verbs that cannot be meant otherwise where they stand: at the beginning of a part, before what
is to be changed. "Save-A-Lot near me", "Send me the list" and "Change 5 EUR into USD" ask for none,
nor does what an API that only reads may do as well: "Create a QR code".
"""

import re

_VERBS = (
    "save delete remove erase cancel revoke rename update edit modify submit upload publish send"
    " buy register subscribe invite schedule insert"
)
_LEAD_IN = (
    r"(?:(?:please|kindly|i|we|you|want|wish|need|would|could|can|will|like|to|i'd|we'd|then|also)"
    r"\s+)*"
)
_OBJECT = (
    r"(?:a|an|the|my|our|your|his|her|their|its|this|that|these|those|all|each|every|it|them|both"
    r"|new|another|one)\b"
)
_PART = re.compile(r"(?<=[.!?;])\s+|\n+|,?\s+(?:and|then)\s+|,\s+")
_ASKS = re.compile(rf"{_LEAD_IN}(?P<verb>{'|'.join(_VERBS.split())})\s+{_OBJECT}")


def asked_change(query: str) -> str:
    """The verb of what is to be changed, "" where a query asks for nothing of the kind."""
    for part in _PART.split(query.strip().lower()):
        found = _ASKS.match(part)
        if found is not None:
            return found["verb"]
    return ""
