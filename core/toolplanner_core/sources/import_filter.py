"""What a person leaves out of an import: whole files, categories, risks, or what lacks words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.sources.source import FileGroup, LeftOut, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFilter:
    """What does not come in although it could.

    Attributes:
        files: as `FileGroup.file` names them.
        words: only APIs that have each of these words in name, tool, category or description.
    """

    files: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    risks: frozenset[Risk] = frozenset()
    words: str = ""

    def __bool__(self) -> bool:
        return bool(self.files or self.categories or self.risks or self.words.strip())

    def of(self, api: Api, file: str = "") -> bool:
        """Whether an API of a file is left out."""
        return (
            file in self.files
            or api.category in self.categories
            or api.risk in self.risks
            or not self._has_words(api)
        )

    def _has_words(self, api: Api) -> bool:
        words = self.words.casefold().split()
        if not words:
            return True
        text = f"{api.tool} {api.name} {api.category} {api.description}".casefold()
        return all(word in text for word in words)

    def applied(self, records: Iterable[Record]) -> Iterator[Record | LeftOut]:
        """The records, with `LeftOut` in the place of each API that is left out.

        Which file a record is of is known at the file's end: records of one file are held back
        until then if files are left out.
        """
        held: list[Record] = []
        for record in records:
            if self.files and not isinstance(record, FileGroup):
                held.append(record)
                continue
            file = record.file if isinstance(record, FileGroup) else ""
            for each in (*held, record):
                yield self._judged(each, file)
            held.clear()
        for each in held:
            yield self._judged(each, "")

    def _judged(self, record: Record, file: str) -> Record | LeftOut:
        if isinstance(record, Api) and self.of(record, file):
            return LeftOut(api=record)
        return record
