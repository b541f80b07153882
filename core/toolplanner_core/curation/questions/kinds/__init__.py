"""What a person should look at next: candidates for merges, splits, moves and more.

Pure functions from `Evidence` to `Candidate`s; nothing here knows storage. Start at `finding.py`.
"""
