"""What is known of a node of a run, as lines of text: `toolplanner runs show RUN --node PATH`."""

from collections.abc import Iterator

from toolplanner_core.runs.telling.conversation import Conversation, Spoken
from toolplanner_core.runs.telling.node_report import NodeReport
from toolplanner_core.runs.telling.section import Section, pretty, pretty_text


def report_lines(report: NodeReport) -> Iterator[str]:
    """A report, all texts whole."""
    yield report.title
    yield report.facts
    if report.cause_text:
        yield f"↰ {report.cause_text}"
    for conversation in report.conversations:
        yield from _conversation(conversation)
    if report.arguments:
        rows = [
            f"{a.name}: {a.value}" + f"  ({a.origin})" * bool(a.origin) for a in report.arguments
        ]
        yield from _section(Section(title="Arguments", text="\n".join(rows)))
    for section in (*report.result, *report.why):
        yield from _section(section)
    if report.candidates:
        rows = [
            f"{c.score:.3f}  {c.title}  {c.became}  {c.parts}".rstrip() for c in report.candidates
        ]
        yield from _section(Section(title="Candidates", text="\n".join(rows)))
    for section in report.edits:
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield ""
    yield f"{section.title}:"
    yield from _indented(section.text, 2)


def _conversation(told: Conversation) -> Iterator[str]:
    yield ""
    yield f"{told.title}:"
    if told.n_before:
        yield f"  … {told.n_before} before, of earlier turns"
    for each in told.spoken[told.n_before :]:
        yield from _spoken(each)


def _spoken(spoken: Spoken) -> Iterator[str]:
    aside = f" ({spoken.aside})" if spoken.aside else ""
    yield f"  {spoken.role}{aside}"
    yield from _indented(pretty_text(spoken.text), 4)
    for card in spoken.cards:
        given = card.arguments
        yield f"    → {card.title}"
        yield from _indented(given if isinstance(given, str) else pretty(given), 6)
        if card.result is not None:
            yield "    ←"
            yield from _indented(pretty_text(card.result), 6)


def _indented(text: str, by: int) -> Iterator[str]:
    for line in text.splitlines():
        yield f"{' ' * by}{line}"
