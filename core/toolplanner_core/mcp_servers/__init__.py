"""Servers of the Model Context Protocol: who they are, who may be started, how they are talked to.

spec.py         how a server is reached, as configuration files and operations say it
reading.py      the configuration files that people already have
consent.py      which programs this person has allowed to be started
starting.py     a server's process: no shell, an empty folder, killed with all its children
web.py          a server over streamable HTTP, through the safe client
    connection.py   one open session: what it offers, calls, how it ends
signing_in.py   OAuth in the person's browser; tokens lie in the keychain
    coming_back.py  the one port, to which the browser comes back
listing.py      all that a server offers, page by page
secrets.py      keys of servers, which no workspace holds
    failures.py     what went wrong, as an error class and a sentence
"""
