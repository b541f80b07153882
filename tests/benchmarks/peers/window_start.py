"""From the start of a desktop program until its window is on the screen, on the clock.

Arguments: the program and its arguments. A splash is no window: one is that could be worked in.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import psutil

SMALLEST = (600, 400)
LONGEST_S = 120.0
_GEOMETRY = re.compile(r"Geometry: (\d+)x(\d+)")


def is_shown() -> bool:
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", ".", "getwindowgeometry", "%@"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    sizes = [(int(width), int(height)) for width, height in _GEOMETRY.findall(found.stdout)]
    return any(width >= SMALLEST[0] and height >= SMALLEST[1] for width, height in sizes)


assert not is_shown(), "the screen has a window already"
began = time.perf_counter()
with subprocess.Popen(
    sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
) as program:
    try:
        while not is_shown():
            assert time.perf_counter() - began < LONGEST_S and program.poll() is None, "no window"
            time.sleep(0.01)
        took_s = time.perf_counter() - began
        processes = [psutil.Process(program.pid), *psutil.Process(program.pid).children(True)]
        used = [process.cpu_times() for process in processes]
        memory = sum(process.memory_info().rss for process in processes) / 2**20
    finally:
        os.killpg(program.pid, signal.SIGKILL)
print(json.dumps({
    "window shown, s": took_s, "of the processor, s": sum(each.user + each.system for each in used),
    "memory, MB": memory,
}))  # fmt: skip
