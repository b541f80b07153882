"""How long the window of one installed program takes to appear, compared with another's (Linux).

    python packaging/compare_starts.py build/frozen/toolplanner .venv/bin [--rounds 7]

The two start in turns, so that what else the machine does touches both; the first round only fills
caches. Each start is a person's of before: the same home for all rounds of a program.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from smoke_place import Place
from smoke_screen import Screen

_FULL_PICTURE_ROWS = 100
_MOST = 1.3
"""Times the second program's median that the first one may take."""


def main() -> None:
    """Measure and print; exit status 1 when the first takes too long."""
    parser = argparse.ArgumentParser(description="Compare how fast two programs start.")
    parser.add_argument("programs", type=Path, nargs=2)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    places = [Place(p, root=None, user=None, is_offline=False) for p in arguments.programs]
    seconds: list[list[float]] = [[], []]
    with tempfile.TemporaryDirectory() as folder, Screen(Path(folder), None) as screen:
        for place in places:
            place.display = screen.name
        for _ in range(arguments.rounds + 1):
            for place, found in zip(places, seconds, strict=True):
                found.append(_start(place, screen))
    for place in places:
        place.clear()
    medians = [statistics.median(found[1:]) for found in seconds]
    for path, median, found in zip(arguments.programs, medians, seconds, strict=True):
        each = " ".join(f"{value:.2f}" for value in found[1:])
        sys.stdout.write(f"{median:6.2f} s  {path}: {each}\n")
    ratio = medians[0] / medians[1]
    sys.stdout.write(f"{ratio:6.2f} times\n")
    sys.exit(0 if ratio <= _MOST else 1)


def _start(place: Place, screen: Screen) -> float:
    """Seconds until there is a window with something in it; it is closed again."""
    before_s = time.monotonic()
    window = place.start("toolplanner-gui")
    try:
        screen.wait_for_rows(_FULL_PICTURE_ROWS)
        took_s = time.monotonic() - before_s
    finally:
        window.terminate()
        window.wait(60)
    screen.wait_until_still()
    return took_s


if __name__ == "__main__":
    main()
