"""OpenAPI documents made for one test."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def read_document(read, tmp_path: Path) -> Callable[..., Any]:
    """Reads one document: its operations by path and method, with what else there is."""

    def read_one(paths: dict[str, Any], *, name: str = "api.json", **fields: Any) -> Any:
        document = {"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": paths}
        document |= {"servers": [{"url": "https://shop.example"}], **fields}
        if "swagger" in fields:
            del document["openapi"], document["servers"]
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return read("openapi", path)

    return read_one


@pytest.fixture
def read_one(read_document) -> Callable[..., Any]:
    """The API of a document with one operation."""

    def read_api(method: str, path: str, operation: dict[str, Any], **fields: Any) -> Any:
        records = read_document({path: {method: operation}}, **fields)
        assert not records.rejected
        (api,) = records.apis
        return api

    return read_api
