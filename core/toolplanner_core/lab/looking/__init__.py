"""What a person sees of an experiment: the list of experiments, the matrix of shares, pairs, costs,
failures, resilience, and the trials. Without a screen; the window's layout Lab shows it.

Everything is made of folded facts and verdicts that are read once (`reading.py`); no figure reads
the log of a run.
"""
