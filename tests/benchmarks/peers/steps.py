"""What every engine is given: steps that do nothing, and a prefix of 100 KB that questions share.

It runs in the environments of others: the standard library only.
"""

import json
import resource
import sys
from pathlib import Path

STEPS = 1_000
PREFIX = " ".join(f"toolkit {n} answers questions of kind {n * 7}" for n in range(2_200))[:100_000]


def folder() -> Path:
    """An empty folder for what is written: the first argument of the program."""
    return Path(sys.argv[1])


def stored_mb() -> float:
    """What lies in the folder, MB."""
    return sum(file.stat().st_size for file in folder().rglob("*") if file.is_file()) / 1e6


def say(**figures: float) -> None:
    """Print the figures, as the last line, with the most memory that the program had, MB."""
    figures["memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures))
