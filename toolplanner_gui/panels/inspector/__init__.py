"""Pages of the inspector: what a node did, and what can be decided at a stop."""
