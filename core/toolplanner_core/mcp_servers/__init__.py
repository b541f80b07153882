"""Servers of the Model Context Protocol: who they are, who may be started, how they are talked to.

server_spec.py       how a server is reached, and its secrets, which no workspace holds
config_files.py      the configuration files that people already have, each server for itself
config_forms.py      the forms that they have in many programs, as one
variables.py         variables in them: what a person gives, defaults, our environment
consent.py           which programs this person has allowed to be started
stdio_transport.py   a server's process: no shell, an empty folder, killed with all its children
http_transport.py    a server over streamable HTTP, through the safe client
messages.py          JSON-RPC as servers really write it, read leniently; for both transports
http_replies.py      replies over HTTP, made right before the SDK reads them
results.py           results as they really come, made to fit; tool_entries.py: each tool of a list
session.py           the session of the SDK over these
listing.py           all that a server offers: each list, page and tool stands alone
connection.py        one open session: calls, a new one where the server has forgotten it, its end
oauth.py             sign-in in the person's browser; tokens lie in the keychain
failures.py          what went wrong, as an error class and a sentence

A server's command travels in the operation of each of its tools, not in a setting: one workspace
holds tools of many servers, and a server whose command changes has changed documentation. It
never holds a key, and consent to start it is the person's, on this machine, for exactly this
command and its variables.
"""
