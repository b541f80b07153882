"""A quick stand-in for the layout that takes ten seconds, for tests of what happens around it."""

from dataclasses import replace

import pytest

from toolplanner_core.layout.layout import layouts


@pytest.fixture
def quick_umap(monkeypatch: pytest.MonkeyPatch) -> None:
    """UMAP in all but its arithmetic: it places by the two main directions."""
    pca = layouts.get("pca")
    quick = replace(layouts.get("umap"), fit=pca.fit, uses_regions=pca.uses_regions)
    monkeypatch.setitem(layouts.plugins, "umap", quick)
