"""Whether a run's answer is one: evidence from its calls, an oracle, a model's verdict."""
