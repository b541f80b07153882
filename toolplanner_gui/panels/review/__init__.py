"""Parts of the review panel."""
