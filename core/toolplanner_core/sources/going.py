"""Which APIs of a source did not come again with an import of it: the same for the import and for
the look at what it would do.

The same source is what has the same name, which is a part of every id. A location may hold a part
of it only: a folder with some of the files, one document of many. So what is gone is told of tools
of which something came; of a whole catalogue also of tools of which nothing did, unless most of the
catalogue is missing: then it was a part of it, too.
"""

from collections.abc import Collection, Mapping

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.workspace.importing import KnownApi

_MOST = 0.5


def gone_of(
    known: Mapping[ApiId, KnownApi],
    seen: Collection[ApiId],
    tools: Collection[tuple[str, str]],
    *,
    is_whole: bool,
) -> list[ApiId]:
    """Ids of what was there and did not come again.

    Args:
        known: what the source has brought before.
        seen: ids of all that came, what a person left out included.
        tools: categories and, within them, the catalogue's own names of tools of which something
            came: a tool of the same name in another category is another one.
        is_whole: as in `SourcePlugin`.
    """
    came = sum(api in seen for api in known)
    is_all = is_whole and came >= _MOST * len(known)
    return [
        api
        for api, one in known.items()
        if api not in seen and (is_all or (one.category, one.tool) in tools)
    ]
