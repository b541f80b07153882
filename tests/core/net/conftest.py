"""Servers on loopback for the tests of the network."""

from collections.abc import Iterator

import pytest
from fixtures.rough_site import HttpSite


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        yield made


@pytest.fixture
def other() -> Iterator[HttpSite]:
    with HttpSite() as made:
        yield made
