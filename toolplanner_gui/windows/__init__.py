"""The main window, its bars and pages, and the dialogs."""
