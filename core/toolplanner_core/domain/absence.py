"""Whether a failed call says that what was asked for does not exist, which is no fault of the API.

"No translation of 'umbrella'" is a right answer to a question about something that is not there.
"Endpoint closed", or a bare 404 that names nothing, says that the API itself is not there.
"""

import re

from toolplanner_core.domain.failure import ErrorClass

_GONE = (405, 410)
_OF_ITSELF = re.compile(
    r"(?i)\b(?:api|endpoint|route|path|url|host|page|server|service|method|version|successor)\b"
    r"|\bcannot (?:get|post|put|delete)\b|\bno longer\b|\bdeprecated\b|\bdiscontinued\b|\bgone\b"
    r"|\b(?:removed|retired|closed)\b|\bshut down\b"
)
_NAMES_NOTHING = re.compile(r"(?i)\W*(?:error\W*)?(?:\d{3}\W*)?(?:resource )?(?:not ?found)?\W*")


def says_absent(error: str | None, *, status: int | None, message: str) -> bool:
    """Whether an outcome is about what was asked, not about the API.

    Args:
        error: its class; status: HTTP status, None if unknown.
        message: as `providers/classify.py` words it: the class, then what the API said.
    """
    if error == ErrorClass.EMPTY_RESULT:
        return True
    said = message.partition(": ")[2]
    is_bare = bool(_NAMES_NOTHING.fullmatch(said))
    if error != ErrorClass.NOT_FOUND or status in _GONE or is_bare:
        return False
    return not _OF_ITSELF.search(said)
