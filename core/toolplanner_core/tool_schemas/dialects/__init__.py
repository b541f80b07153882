"""Tools as the endpoints of vendors take them: one file for each."""
