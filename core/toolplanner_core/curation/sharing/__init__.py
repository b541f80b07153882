"""Curated toolkits for others: decisions to be made elsewhere, exports for agents."""
