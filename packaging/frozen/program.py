"""The frozen program begins here, under either of its names."""

import multiprocessing
import sys
from pathlib import Path

if __name__ == "__main__":
    # First of all: a worker is this program again, and it needs nothing of what follows.
    multiprocessing.freeze_support()
    if Path(sys.argv[0]).stem == "toolplanner-gui":
        from toolplanner_gui.__main__ import main
    else:
        from toolplanner_core.cli.__main__ import main
    sys.exit(main())
