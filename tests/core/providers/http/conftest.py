"""A server on loopback that is allowed, keys of a test, and a provider that calls it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.http_world import HttpWorld
from fixtures.rough_site import HttpSite


@pytest.fixture
def site() -> Iterator[HttpSite]:
    with HttpSite() as made:
        yield made


@pytest.fixture
def other() -> Iterator[HttpSite]:
    with HttpSite() as made:
        yield made


@pytest.fixture
def world(site: HttpSite, other: HttpSite, tmp_path: Path) -> HttpWorld:
    return HttpWorld(tmp_path / "keys.json", [site.origin, other.origin])
