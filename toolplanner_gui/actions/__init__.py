"""The entries of the menus as data; the command palette will read the same."""
