"""What would be called and asked, before it happens: plans, probing, health checks, one call."""
