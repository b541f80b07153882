"""Experiments that need no model and no call: what a catalogue and its retrievers can reach."""
