"""Parts of the map panel."""
