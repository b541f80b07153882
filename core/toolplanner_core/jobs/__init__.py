"""Long work: progress, cancelling, worker processes. Knows nothing of what is worked on."""
