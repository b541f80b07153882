"""How the file of a workspace is called; known without loading what opens it."""

SUFFIX = ".toolplanner"
