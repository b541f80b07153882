"""What an import would do to the APIs that a workspace has of the same catalogue, and of others."""

from dataclasses import dataclass, field

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.sources.changes import ApiChange, change_of
from toolplanner_core.sources.going import gone_of
from toolplanner_core.sources.identity import tool_key
from toolplanner_core.sources.reports import DETAILS_KEPT
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api, titles_of_others
from toolplanner_core.workspace.importing import known_apis


@dataclass(slots=True)
class Comparison:
    """The difference between what is read and what is there.

    Attributes:
        added: APIs that are not there.
        new: the titles of the first of those that no other catalogue has, either; none where
            nothing of the catalogue is there.
        unchanged: APIs that are there with the same documentation.
        changed: APIs that are there with another documentation.
        changes: of those what differs, the first ones.
        waiting: of those how many would wait for a person.
        gone: the catalogue's names of what is there and does not come again, the first ones.
        gone_titles: what people read those as.
        missing: how many those are.
        elsewhere: added ones whose tool and name another catalogue of the workspace has, the first
            ones; they would be there twice.
        twice: how many those are.
    """

    added: int = 0
    new: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    changed: int = 0
    changes: list[ApiChange] = field(default_factory=list[ApiChange])
    waiting: int = 0
    gone: list[str] = field(default_factory=list[str])
    gone_titles: list[str] = field(default_factory=list[str])
    missing: int = 0
    elsewhere: list[str] = field(default_factory=list[str])
    twice: int = 0


class Comparing:
    """Compares APIs as they are read with a workspace."""

    def __init__(self, workspace: Workspace, source: str) -> None:
        self._workspace = workspace
        self._known = known_apis(workspace, source)
        self._others = titles_of_others(workspace, source)
        self._seen: set[ApiId] = set()
        self._tools: set[tuple[str, str]] = set()
        self._found = Comparison()

    def take(self, api: Api) -> None:
        """Count one API that would come in."""
        found, known = self._found, self._known.get(api.id)
        if api.id in self._seen:
            return
        self._seen.add(api.id)
        self._tools.add((api.category, tool_key(api)))
        if known is None:
            found.added += 1
            if api.title.casefold() in self._others:
                found.twice += 1
                if len(found.elsewhere) < DETAILS_KEPT:
                    found.elsewhere.append(api.title)
            elif self._known and len(found.new) < DETAILS_KEPT:
                found.new.append(api.title)
        elif known.doc_hash == api.doc_hash:
            found.unchanged += 1
        else:
            was = get_api(self._workspace, api.id)
            change = change_of(was, api, counted_hash=known.counted_hash)
            found.changed += 1
            found.waiting += change.matters
            if len(found.changes) < DETAILS_KEPT:
                found.changes.append(change)

    def pass_over(self, api: Api) -> None:
        """An API that a person leaves out: it is not gone."""
        self._seen.add(api.id)

    def result(self, *, is_whole: bool) -> Comparison:
        """What was found, with what is gone."""
        ids = gone_of(self._known, self._seen, self._tools, is_whole=is_whole)
        named = [self._known[api] for api in ids[:DETAILS_KEPT]]
        self._found.missing = len(ids)
        self._found.gone = [one.key for one in named]
        self._found.gone_titles = [one.title for one in named]
        return self._found
