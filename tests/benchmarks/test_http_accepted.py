"""Real documents against a server that we did not write: Prism validates each request it gets.

Each operation of each document of documents.zip and of TMDB's is called once with its required
arguments, made from its schema. Prism comes from npm at a fixed version, installed by this test
into a folder of its own: only with TOOLPLANNER_BENCH=1. Documents that Prism cannot load (parts of
other documents are missing there), or at whose requests it ends (it splits what is no text when a
header or path holds a list), say nothing about us and are listed. Target: of the others a median of
at least 95 % accepted, none below 80 % without a cause that is named here.
"""

import asyncio
import dataclasses
import gzip
import os
import shutil
import statistics
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from fixtures.http_world import HttpWorld
from fixtures.prism import install_prism, served
from fixtures.schema_examples import fitting

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.domain.operation import SchemeKind, SecurityScheme
from toolplanner_core.errors import UserError
from toolplanner_core.keys import ANY_SCHEME
from toolplanner_core.providers.http import HttpOptions
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.sources.import_preview import preview_source

LONG = os.environ.get("TOOLPLANNER_BENCH") == "1"
_REFUSED = (
    "UNPROCESSABLE_ENTITY", "UNAUTHORIZED", "NO_PATH_MATCHED", "NO_METHOD_MATCHED",
    "NO_SERVER_MATCHED", "INVALID_CONTENT_TYPE",
)  # fmt: skip
BELOW = {
    "inherited-required-properties.yaml": "Prism takes no body in 2.0 unless `consumes` is there",
}


@pytest.mark.skipif(not LONG, reason="installs a mock server from npm; set TOOLPLANNER_BENCH=1")
@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
@pytest.mark.timeout(3_600)
def test_operations_when_called_then_a_strict_server_accepts_them(
    shared_data: Path, tmp_path: Path
) -> None:
    prism = install_prism(tmp_path / "npm")
    shares: dict[str, float] = {}
    for document in documents(shared_data, tmp_path):
        apis = apis_of(document)
        if not apis:
            continue
        with served(prism, document) as (port, process):
            results = None if port is None else asyncio.run(called(apis, port, tmp_path))
            has_ended = process.poll() is not None
        if results is None or has_ended:
            print(f"{document.name}: Prism {'ends' if results else 'does not load it'}")
            continue
        refused = Counter(filter(None, map(why_refused, results)))
        shares[document.name] = 1 - refused.total() / len(apis)
        print(f"{document.name}: {shares[document.name]:.0%} of {len(apis)} {dict(refused)}")
    assert len(shares) >= 15
    assert statistics.median(shares.values()) >= 0.95
    assert {name for name, share in shares.items() if share < 0.8} <= BELOW.keys()


def documents(data: Path, folder: Path) -> list[Path]:
    with zipfile.ZipFile(data / "openapi" / "documents.zip") as archive:
        archive.extractall(folder / "documents")
        names = sorted(archive.namelist())
    tmdb = folder / "tmdb_oas.json"
    tmdb.write_bytes(gzip.decompress((data / "restbench" / "tmdb_oas.json.gz").read_bytes()))
    found = [folder / "documents" / name for name in names]
    return [path for path in [*found, tmdb] if path.suffix in (".json", ".yaml", ".yml")]


def apis_of(document: Path) -> list[Api]:
    try:
        return list(preview_source(document, limit=5_000).first)
    except UserError:  # a part of another document
        return []


async def called(apis: list[Api], port: int, folder: Path) -> list[RawResult]:
    origin = f"http://127.0.0.1:{port}"
    world = HttpWorld(folder / "keys.json", [origin])
    world.options = HttpOptions(per_second=0, base_url=origin)
    world.key(origin, ANY_SCHEME, "user:a-key")
    provider = world.provider()
    results: list[RawResult] = []
    for api in apis:
        assert api.operation is not None
        security = tuple(tuple(map(_without_token_server, each)) for each in api.operation.security)
        operation = dataclasses.replace(api.operation, security=security)
        arguments = fitting({**api.parameters, "type": "object"})
        reply = await provider.call(
            dataclasses.replace(api, operation=operation), arguments, CallLimits()
        )
        results.append(reply)
    await provider.close()
    return results


def _without_token_server(scheme: SecurityScheme) -> SecurityScheme:
    """Tokens come from servers that are not there: any token will do for Prism."""
    return dataclasses.replace(scheme, token_url="") if scheme.kind is SchemeKind.OAUTH2 else scheme


def why_refused(result: RawResult) -> str:
    """What Prism holds against a request, or what kept it from being sent; "" if accepted."""
    if result.status is None:
        return str(result.failure)
    _, mark, rest = result.body.partition("stoplight.io/prism/errors#")
    kind = rest.partition('"')[0] if mark else ""
    return kind if kind.startswith(_REFUSED) else ""
