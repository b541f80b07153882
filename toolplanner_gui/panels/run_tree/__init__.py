"""Parts of the run tree panel."""
