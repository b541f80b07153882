"""Search over APIs and toolkits: by words and by meaning, for the search field, runs and planners.

The first hundred hits are put in order by a linear model (`reranking.py`) whose weights are data,
learned from query sets: a cross-encoder would cost 400 ms a search. A language model reads a
query once, sentence by sentence; clauses are the means of their tokens in it ("late chunking"): a
quarter of the cost, the same recall. Over the whole query at once, clauses are too much alike:
0.036 less Recall@10. A workspace may have learned weights of its own: they gain as much as a
trained encoder there, and lose elsewhere.

What a query wants done ("delete", "list", "send") is held against the verb of an API's name, its
HTTP method and its path (`asked_actions.py`), with vectors and without. Of 40 plain questions over
the documents of data/openapi and five small ones a right operation is among the first three for 34
by full text alone (31 without), 35 with `words` (30), 34 with `lsa` (29) and 37 with `minilm` (33).
With `words`, API-Bank's Recall@5 rose from 0.826 to 0.840; MetaTool, Seal-Tools (400 queries each),
RestBench and DRAFT stayed as they were: few of their queries say one action. Where a query for
several things was judged by the verb of one of them, Seal-Tools lost 0.006 of Recall@5 and DRAFT
0.026: so each sentence must say the same action.
"""
