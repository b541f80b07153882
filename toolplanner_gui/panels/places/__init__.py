"""Which panels there are: their names, and where each stands in which layout, a file each.

Apart from the panels, so that a layout can be arranged without loading those that nobody sees: a
panel is loaded when it is made. Found by the registry in `panels/panel.py`.
"""
