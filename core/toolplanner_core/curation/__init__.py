"""Toolkits made, named and placed on the map: what turns a catalogue into something to work with.

`prepare` is the whole way; `cluster` and `lay_out` are its parts; `load_map` gives the window what
it draws.
"""
