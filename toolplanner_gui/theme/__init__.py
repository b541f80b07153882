"""Colours, spaces, fonts and icons of the window; every other package reads them from here."""
