"""The review queue: the questions of `curation/questions/kinds/` over a workspace, and their
answers.

`gathering.py` reads the evidence; `queue.py` keeps it, follows edits and orders the questions;
`proposing.py` says which edit an answer makes, `answer_effects.py` what it would change,
`answering.py` and `batch.py` make it; `agreement.py` learns from the answers.
"""
