"""The offline planner: answers the typed questions by rules and embeddings, without a language
model.

`planner.py` is the door; `llm/offline_planner.py` registers it.
"""
