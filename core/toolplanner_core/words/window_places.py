"""Where in the window something is done, as messages name it, and how in the terminal.

A message is read in both: it names the place in the window, and the terminal says its command there
(`cli/terminal.py`).
"""

PROVIDERS_DIALOG = "Run > Providers and keys"
SOURCES = f"{PROVIDERS_DIALOG} > Sources"
SERVERS = f"{PROVIDERS_DIALOG} > Servers"
SERVE_MADE_UP = "allow made-up replies under What is served"
KEYS = f"{PROVIDERS_DIALOG} > Keys"
PREFERENCES = "Edit > Preferences"
PASTED = "paste its text into Import tools"
LEAVE = f"{PROVIDERS_DIALOG} > Leave"
SEE_TOOLKITS = "See the toolkits there are in the panel Toolkits"
SEE_REGIONS = "See the regions there are with Toolkits > Region"
SEE_CASES = "See the cases there are in the panel Cases"
SEE_RUNS = "See the runs there are in the panel Runs"
SEE_NODES = "See its nodes in the panel Run"
SEE_DEMONSTRATIONS = "See those there are in the panel Demonstrations"
SEE_EDITS = "See the edits there are with Edit > History of edits"
SEE_PROPOSALS = "See the open ones with Toolkits > Proposals"
SEE_QUESTIONS = "Go on with the next question of the review"
SEE_MEMORIES = "Leave the version out for the newest"
FIND_API = "Look for it in the panel Toolkits"
IMPORT_APIS = "Import some with File > Import tools"
MAKE_WORKSPACE = "Make one with File > New workspace"
MAKE_VECTORS = "Have vectors made with Toolkits > Prepare"
MAKE_VECTORS_ANEW = "Have vectors made anew with Toolkits > Cluster everything anew"
MAKE_MINILM = "Choose the embedder minilm in Toolkits > Prepare"
MAKE_TOOLKITS = "Have toolkits made with Toolkits > Prepare"
MAKE_LAYOUT = "Have places on the map made with Toolkits > Prepare"
TRAIN = "Train one with Toolkits > Train a retriever"
PROBE = "Probe it with Toolkits > Probe"
WRITE_DECISIONS = "Write such a file with Toolkits > Export > Decisions"
KEEP_DEMONSTRATIONS = "Keep solved runs as demonstrations with the menu of a run"
SET_PRICE = f"Set a price of your own with {PREFERENCES}"

COMMANDS = {
    SOURCES: "toolplanner routes set",
    SERVERS: "toolplanner origins allow",
    SERVE_MADE_UP: "give --allow-made-up",
    KEYS: "toolplanner keys set",
    LEAVE: "toolplanner approvals list (mcp consents)",
    PASTED: "pipe it into: toolplanner import WORKSPACE -",
    "allow them when you import": "allow them: toolplanner import ... --yes-start",
    SEE_TOOLKITS: "List the toolkits there are with: toolplanner toolkits list",
    SEE_REGIONS: "List the regions there are with: toolplanner regions list",
    SEE_CASES: "List them with: toolplanner cases list",
    SEE_RUNS: "List them with: toolplanner runs list",
    SEE_NODES: "See its nodes with: toolplanner runs show --json",
    SEE_DEMONSTRATIONS: "List them with: toolplanner demos list",
    SEE_EDITS: "List them with: toolplanner history list",
    SEE_PROPOSALS: "List them with: toolplanner review list",
    SEE_QUESTIONS: "List the questions with: toolplanner review list",
    SEE_MEMORIES: "List them with: toolplanner memory list WORKSPACE",
    FIND_API: "Find it with: toolplanner search",
    IMPORT_APIS: "Import some with: toolplanner import",
    MAKE_WORKSPACE: "Make one with: toolplanner new",
    MAKE_VECTORS: "Make them with: toolplanner embed",
    MAKE_VECTORS_ANEW: "Make them anew with: toolplanner embed WORKSPACE --embedder NAME",
    MAKE_MINILM: "Get it with: toolplanner embed WORKSPACE --embedder minilm",
    MAKE_TOOLKITS: "Make them with: toolplanner cluster",
    MAKE_LAYOUT: "Make one with: toolplanner layout",
    TRAIN: "Train one with: toolplanner train start",
    PROBE: 'Probe it with: toolplanner run WORKSPACE "ID" --strategy probe',
    WRITE_DECISIONS: "Write one with: toolplanner toolkits export --format decisions",
    KEEP_DEMONSTRATIONS: "Save solved runs as demonstrations with: toolplanner demos add",
    SET_PRICE: 'Set the workspace\'s own price with "toolplanner prices set"',
}


def replace_places_by_commands(text: str) -> str:
    """A message with commands in the place of places."""
    for place, command in COMMANDS.items():
        text = text.replace(place, command)
    return text
