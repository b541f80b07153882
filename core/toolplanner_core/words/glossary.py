"""The terms of the program, explained: a page of Help for each concept (`resources/help`), and one
sentence for each title of a column or value that a person reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from toolplanner_core.resources import resource_root


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A page of Help.

    Attributes:
        id: name of the file, and what pages link to.
        sentence: what it is, in one sentence of plain text.
        text: all of the page, Markdown; links name other concepts.
    """

    id: str
    title: str
    sentence: str
    text: str


@cache
def concept(concept_id: str) -> Concept:
    """A concept by its id.

    Raises:
        FileNotFoundError: there is none of this id.
    """
    text = (resource_root() / "help" / f"{concept_id}.md").read_text("utf-8")
    title, sentence, *_ = text.removeprefix("# ").split("\n\n")
    return Concept(id=concept_id, title=title, sentence=" ".join(sentence.split()), text=text)


def concepts() -> Sequence[Concept]:
    """All concepts, sorted by title."""
    found = (concept(path.stem) for path in (resource_root() / "help").glob("*.md"))
    return sorted(found, key=lambda each: each.title.casefold())


def explain_concept(concept_id: str) -> str:
    """What a word means, in one sentence, for a tooltip."""
    return concept(concept_id).sentence


TERMS: dict[str, str] = {
    "Acting model": "Which model was asked for arguments, next steps and the answer.",
    "After, with words": "After the training, with the search by words beside it.",
    "Agree": "Share of the trials that both judged of which they say the same; 95 % interval.",
    "Alternative": "What could be taken here instead.",
    "Asked for": "What an agent wanted to find, in its words, or the API that it called.",
    "And": "The judge with whom the one before is compared.",
    "Arm": "One of the ways to solve the queries that an experiment compares.",
    "Attempt": "One try to do a step with one API of its toolkit.",
    "Before, with words": "Before the training, with the search by words beside it.",
    "Breakpoints and faults": "Where runs hold, and which calls are made to fail.",
    "Called now": "The name of the toolkit; it stays until another is taken.",
    "Calls": "Each call of an API, how it went and how long it took.",
    "Candidates": "What could have been called here, with how well each fits.",
    "Chance": "How often it strikes, from 0 (never) to 1 (each time).",
    "Charts": "Figures of the toolkits as pictures: sizes, fits, numbers of toolkits.",
    "Client": "A program with an agent that uses the gateway, as it calls itself.",
    "Compare": "Two runs as one tree, with what differs between them.",
    "Compared": "Whether this place is the same in both runs.",
    "Condition": "What must be true of arguments or results at that place.",
    "Confidence": "How sure the placing of a new API in its toolkit is, from 0 to 100 %.",
    "Cost": "Dollars, by the prices that are known of the models.",
    "Counted": "What the strategy counts besides, such as fallbacks and replans.",
    "Decided": "What a person decided of it.",
    "Details": "What is known of the selected API or toolkit, to be read and edited.",
    "Differ": "Trials of which the two judges say the opposite.",
    "Event log": "Everything that happened in the run, in its order, as it is stored.",
    "Expected": "Whether the answer is what a case or a data set expects.",
    "Experiment": "The same queries, asked of several arms.",
    "Experiments": "Which experiments are beside this file, and how each stands.",
    "From hit number": "Strikes from this hit on; those before it pass.",
    "History": "Every edit of the toolkits; each can be undone or gone back to.",
    "Hits in all": "How often runs came to this place, all of them together.",
    "Inspector": "What is known of the selected step, call or question of a run.",
    "Evidence": "What the replies of the run say of its answer, by values and, where rules know the"
    " language, by needs.",
    "Ended": "How the run ended, whatever is said of its answer.",
    "Proposed": "What the rule would call the toolkit, now that its members are others.",
    "Said of it": "What people, expectations and judges say of the answer, each with who it is.",
    "Judge": "What a model said that was asked afterwards; with its votes.",
    "Judging model": "Which model judged answers, if it is another than the acting one.",
    "Kappa": "Cohen's kappa: agreement beyond chance; 1 = always, 0 = as by chance.",
    "Kind of node": "Which entries of the tree are meant: steps, calls, questions and so on.",
    "Label": "A word of yours to find the run by.",
    "Log of the experiment": "What happened while it ran, and trials that broke.",
    "Map": "Each API is a point; what is alike in meaning stands near.",
    "Last error": "What went wrong last of what it asked for.",
    "Members": "The APIs of the toolkit, the most central first.",
    "Model": "Which language model is asked, by the name that its service gives it.",
    "Model calls": "Requests to models; a question that is asked again counts again.",
    "Model for acting": "Asked for arguments and next steps; the model for all questions if empty.",
    "Model for judging": "Asked whether an answer is good; the model for all questions if empty.",
    "Model for planning": "Asked for plans; the model for all questions if empty.",
    "Most central": "The API that says best what the part is for.",
    "Node": "An entry of the tree of a run: a plan, a step, a call, a question.",
    "Order of searches": "Which weights put what a search finds in its order.",
    "Origin": "A server, as scheme, name and port: https://api.example.org.",
    "Outcome": "How it ended: usable, or why not.",
    "Own judge": "What the strategy's own judge said of the answer while the run went on.",
    "Person": "What a person said of the answer.",
    "Placed by meaning alone": "Those alike in meaning lie near, whatever toolkit they are in.",
    "Placed by the two main directions": "Along the two directions in which meanings differ most.",
    "Placed with its toolkit": "Those alike in meaning lie near, as do those that were in one"
    " toolkit, and one region, when the map was made: edits move no point.",
    "Planning model": "Which model was asked for plans, if it is another than the acting one.",
    "Queries": "What every arm is asked.",
    "Query": "What is asked, in words.",
    "Query that parts them": "A query that one of the two arms solved, and the other did not.",
    "Question": "What the program is not sure of and asks you.",
    "Results": "Figures of the experiment, each with its table and its 95 % intervals.",
    "Retry-After": "How long the made-up failure says to wait, in seconds.",
    "Scheme": "How the key is sent: as a bearer token, in a header, in the address.",
    "Score": "How well it fits, higher is better; comparable within one list only.",
    "Seed": "Number from which chance is drawn; the same query is tried once with each.",
    "Seeds": "How often each query is tried by each arm, each time with another seed.",
    "Seen": "How often this was seen in runs and files.",
    "Selected": "How many of its APIs are selected.",
    "Service": "The program at an address that answers as a language model.",
    "Serving": "Agents outside use the curated toolkits over the Model Context Protocol.",
    "Solved by": "Which of the two arms solved it.",
    "Staging tray": "Where a merge of toolkits is put together and looked at before it is made.",
    "Stands": "Whether the case passes with the toolkits as they are, and before the last edits.",
    "Status": "How the run ended.",
    "Step": "One part of a plan: what is to be found out or done, and with which toolkit.",
    "Steps": "Parts of a plan: what is to be found out or done, and with which toolkit.",
    "Stop when": "Holds the run at places that fit all that is said here.",
    "Stops when": "Where it holds runs.",
    "Strategies": "Ways of solving that are compared, each as an arm.",
    "Struck": "How often it made a call fail in the run begun last; each run begins anew.",
    "Tags": "Words of yours to choose demonstrations by.",
    "Template": "A table of a paper: its arms with the settings of their papers.",
    "Timeline": "Calls and questions of a run as bars, in time.",
    "Tokens": "Word pieces that models read and wrote.",
    "Totals": "What each of the two runs spent.",
    "Trials": "Each query by each arm with each seed, once.",
    "Typed answers": "How the model is made to answer in a form that can be checked.",
    "Weight": "How strongly one API leads to the next, of evidence and people's decisions.",
    "What happened": "What the experiment did, or why a trial is not as it was planned.",
    "Worth": "How likely you accept, times what that puts right: one more each time that doubles.",
    "Would": "What accepting the part would do.",
    "Your name": "Verdicts stand in tables under it.",
}
"""Those without a page of their own."""


def explain_term(word: str) -> str:
    """What a word means, in a sentence; "" for a plain one."""
    return _meanings().get(word.casefold(), "")


@cache
def _meanings() -> dict[str, str]:
    pages = {each.title.casefold(): each.sentence for each in concepts()}
    plurals = {f"{title}s": sentence for title, sentence in pages.items()}
    return {**plurals, **pages, **{word.casefold(): said for word, said in TERMS.items()}}
