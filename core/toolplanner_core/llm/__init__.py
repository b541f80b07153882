"""Who answers questions: the offline planner, OpenAI-compatible endpoints, scripted examples.

Models get a `ModelRequest` with the typed question beside its messages: the offline planner
answers the same typed questions as language models and goes through the same parsers, without
reading prompts. Endpoints that cannot call functions get the same dialogue by JSON schema, then
in words; which of the three works is found out once per endpoint and model and remembered
(`capabilities.py`). A prompt that is too long is cut at the endpoint (`fitting.py`): lists stand
best first, so their ends go, never the query or the rules; the log keeps the whole prompt. Calls
in a conversation get ids of our own: endpoints name them by chance, so that equal conversations
would differ in fingerprints, and some accept only nine letters and digits.
"""
