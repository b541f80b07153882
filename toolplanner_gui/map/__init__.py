"""The map of a catalogue: `canvas.MapCanvas` is what the panels use, the rest is its parts.

It lies in Qt's own graphics view, charts in pyqtgraph: the points are one image of ours, the
camera, gestures, labels and marks, too, so that of pyqtgraph's view box nothing was left in use,
and loading it for the map was a tenth of opening 16,000 APIs. Colours were generated once with
glasbey and stand as constants: glasbey needs matplotlib at run time.
"""
