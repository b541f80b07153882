"""How a run is configured: its spec, saved presets, and which provider executes its calls."""
