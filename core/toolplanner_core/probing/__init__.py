"""What probing finds out of APIs: how they reply, and a program that shows how they are called.

    inferring.py   a reply as a schema
    comparing.py   a schema against the documentation
    protocol.py    what is known of one API, as it is remembered
    keeping.py     the protocols of a workspace: listed, accepted, rejected
    beside.py      a protocol beside the documentation, for people

They are learned by the strategy `probe` and used by `atc`. Source: Shi et al., arXiv 2405.16533,
section 4; design/strategies.md section 6.
"""
