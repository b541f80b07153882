"""Embedding Atlas: from a file with vectors to the page that its server gives, UMAP between.

Arguments: a folder, n.
"""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false

import json
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pandas
from vectors import made_up_vectors

folder, n = Path(sys.argv[1]), int(sys.argv[2])
file = folder / "vectors.parquet"
texts = [f"API number {number}" for number in range(n)]
pandas.DataFrame({"text": texts, "vector": list(made_up_vectors(n))}).to_parquet(file)
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = [str(Path(sys.executable).with_name("embedding-atlas")), str(file), "--text", "text",
           "--vector", "vector", "--host", "127.0.0.1", "--port", str(port)]  # fmt: skip
began = time.perf_counter()
with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                assert page.status == 200
                break
        except OSError:
            assert server.poll() is None, "it ended"
            time.sleep(0.1)
    took_s = time.perf_counter() - began
    server.terminate()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "vectors to a map, s": took_s, "of the processor, s": used.ru_utime + used.ru_stime,
    "memory, MB": used.ru_maxrss / 1024,
}))  # fmt: skip
