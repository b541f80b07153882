"""Runs: started, logged, folded into trees, held, replayed, forked, compared, exported."""
