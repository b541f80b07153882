"""The table of figures that all benchmarks of a session write together."""

from collections.abc import Generator

import pytest
from benchmarks.figures import Figures


@pytest.fixture(scope="session")
def figures() -> Generator[Figures]:
    """The table of this session."""
    taken = Figures()
    yield taken
    taken.write()
