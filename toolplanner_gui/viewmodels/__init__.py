"""Item models and view state over the core, without widgets."""
