"""Programs that ran in the sandbox."""

from dataclasses import fields

from toolplanner_core.domain.program import ProgramEnd, ProgramOutcome
from toolplanner_core.runs.events.event import Event, event_type
from toolplanner_core.runs.events.saying import joined_words, text_words


@event_type("program.ended", "Program ended", is_taped=True)
class ProgramEnded(Event):
    """How it ended; see `domain.program.ProgramEnd`. Run again from the tape it ends the same, but
    where a limit stopped it: that is taken from the tape."""

    how: ProgramOutcome
    printed: str
    error: str
    message: str
    line: int | None
    trace: str

    @classmethod
    def of(cls, end: ProgramEnd) -> "ProgramEnded":
        """The event of an end."""
        return cls(**{each.name: getattr(end, each.name) for each in fields(end)})

    @property
    def end(self) -> ProgramEnd:
        """The end it tells of."""
        return ProgramEnd(**self.to_body())

    def said(self) -> str:
        place = f"{self.how} at line {self.line}" if self.line else self.how
        said = f"{self.error}: {text_words(self.message)}" if self.error else self.printed
        return joined_words(place.capitalize(), text_words(said))
