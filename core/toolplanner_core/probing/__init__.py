"""What probing finds out of APIs: how they reply, and a program that shows how they are called.

    schemas.py            replies as schemas, compared with the documentation
    protocol.py           what is known of one API, as it is stored
    stored_protocols.py   the protocols of a workspace: listed, compared, accepted, rejected

They are learned by the strategy `probe` and used by `atc`. Source: Shi et al., arXiv 2405.16533,
section 4; design/strategies.md section 6.
"""
