"""Who says whether a trial solved its query: one file each, over the facts of its run."""
