"""Where in the window something is done, as messages name it, and how in the terminal.

A message is read in both: it names the place in the window, and the terminal says its command there
(`cli/terminal.py`).
"""

PROVIDERS_DIALOG = "Run > Providers and keys"
SOURCES = f"{PROVIDERS_DIALOG} > Sources"
SERVERS = f"{PROVIDERS_DIALOG} > Servers"
KEYS = f"{PROVIDERS_DIALOG} > Keys"
PREFERENCES = "Edit > Preferences"
PASTED = "paste its text into Import tools"
LEAVE = f"{PROVIDERS_DIALOG} > Leave"

COMMANDS = {
    SOURCES: "toolplanner routes set",
    SERVERS: "toolplanner origins allow",
    KEYS: "toolplanner keys set",
    LEAVE: "toolplanner approvals list (mcp consents)",
    PASTED: "pipe it into: toolplanner import WORKSPACE -",
    "allow them when you import": "allow them: toolplanner import ... --yes-start",
}


def for_terminal(text: str) -> str:
    """A message with commands in the place of places."""
    for place, command in COMMANDS.items():
        text = text.replace(place, command)
    return text
