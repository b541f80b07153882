"""The gateway: agents outside use the curated APIs over the Model Context Protocol.

profile.py    what is served, and what may be called
catalogue.py  names of tools and their APIs; what is served is asked anew at each call
tool_list.py  the tools that an agent sees; tools.py: what each of them does
tool_arguments.py, reply_words.py  what an agent gives to them, and reads beside data
results.py    values as texts: cut between elements, the rest page by page
session.py    what one client asks for, as a run of the strategy "served"
pending_calls.py, held_calls.py, tickets.py  a call that goes on, or waits for a person's yes
gateway.py    all of it on the loop of the window: over HTTP, and as the hub of its workspace
hub.py        which process serves a workspace; private_files.py: files for this person only
session_watcher.py, served_lines.py  how a window hears of sessions, and what they asked for
run_replies.py  the replies of a stored run, given again
client_config.py  what programs with agents are told; snippets/ has one file for each
faces/        how it comes in and goes out: stdio.py, the streams of this process, whose client is
              handed to the hub; streams.py, clients over such streams; streamable HTTP on loopback
guard.py      who may ask over HTTP: the token, and no page in a browser

Source: design/gateway.md.
"""
