"""ToolPlanner: from a workspace with vectors to a stored map, by `toolplanner layout`.

Arguments: a folder, n.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fixtures.catalogues import TOPICS, add_apis, made_up_apis
from vectors import DIMENSIONS, made_up_vectors

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.toolkits import CuratedToolkit, add_curated_toolkits
from toolplanner_core.workspace.vectors import (
    EmbedderState,
    put_embedder_state,
    store_vectors,
    texts_without_vector,
)

file, n = Path(sys.argv[1]) / "vectors.toolplanner", int(sys.argv[2])
with Workspace.create(file) as made:
    add_apis(made, made_up_apis(n // len(TOPICS)))
    state = EmbedderState(id="minilm", kind="minilm", dim=DIMENSIONS, state=None)
    put_embedder_state(made, state)
    hashes = [text.text_hash for text in texts_without_vector(made, "minilm")]
    store_vectors(made, "minilm", hashes, made_up_vectors(len(hashes)))
    set_setting(made, "active_embedder", "minilm")
    rowids = all_rowids(made)
    toolkits = [
        CuratedToolkit(name=f"Toolkit {first}", description="", members=rowids[first : first + 9])
        for first in range(0, len(rowids), 9)
    ]
    add_curated_toolkits(made, toolkits)
command = [sys.executable, "-m", "toolplanner_core.cli", "layout", str(file)]
began = time.perf_counter()
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
took_s = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "vectors to a map, s": took_s, "of the processor, s": used.ru_utime + used.ru_stime,
    "memory, MB": used.ru_maxrss / 1024,
}))  # fmt: skip
