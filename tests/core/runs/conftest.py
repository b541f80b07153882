"""Time that tests of runs let jump."""

import pytest
from fixtures.jumping_time import JumpingTime


@pytest.fixture
def jumping_time(monkeypatch: pytest.MonkeyPatch) -> JumpingTime:
    """Time of the run; an hour of it passes when the test says so."""
    return JumpingTime(monkeypatch)
