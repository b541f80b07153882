"""What the replies of the demo's examples are made of: one query, what serves it, and the words."""
