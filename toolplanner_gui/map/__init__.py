"""The map of a catalogue: `canvas.MapCanvas` is what the panels use, the rest is its parts."""
