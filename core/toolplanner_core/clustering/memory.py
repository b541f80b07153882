"""Whether a clustering fits into the memory of the machine, asked before it starts: else the system
would end it after an hour, or another program in its place."""

from toolplanner_core.clustering.clustering import ClusteringPlugin, clusterings
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.free_memory import free_memory_bytes
from toolplanner_core.words.formatting import counted

_AT_LEAST = 20_000
"""Fewer APIs fit anywhere."""


def check_memory(plugin: ClusteringPlugin, n: int, *, free_bytes: int | None = None) -> None:
    """Make sure that n APIs can be grouped in the memory that is free.

    Args:
        free_bytes: None asks the machine.

    Raises:
        BadInput: they cannot; says how much is needed, how much is free and what needs less.
    """
    free = free_memory_bytes() if free_bytes is None else free_bytes
    need = n * plugin.bytes_per_api
    if n < _AT_LEAST or free is None or need <= free:
        return
    other = " or ".join(one.id for one in clusterings if n * one.bytes_per_api <= free)
    raise BadInput(
        f"It would need about {need / 1e9:.1f} GB of memory for {counted(n, 'API')},"
        f" and {free / 1e9:.1f} GB are free",
        where=f"Clustering {plugin.id}",
        why=f"It takes about {plugin.bytes_per_api / 1000:.0f} KB for each API",
        todo="Close other programs"
        + (f", or take {other}, which needs less" if other else "")
        + ", or work on fewer APIs",
    )
