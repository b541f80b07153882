"""The program is killed without a chance to tidy up: its servers end with it."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from fixtures.mcp_world import RawServer, is_alive, until
from fixtures.processes import python

CLIENT = Path(__file__).parents[2] / "fixtures" / "killed_mcp_client.py"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
@pytest.mark.parametrize("manners", [(), ("stubborn",)], ids=["polite", "stubborn"])
def test_program_when_killed_then_its_servers_end(tmp_path, manners):
    server = RawServer(tmp_path, *manners)
    place = tmp_path / "temporary"
    place.mkdir()
    env = os.environ | {"TMPDIR": str(place)}
    with python(CLIENT, server.spec.command, *server.spec.args, env=env) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "open\n"
        (start,) = server.diary("started")
        assert is_alive(start["pid"])
        client.kill()
        asyncio.run(until(lambda: not is_alive(start["pid"])))
    (left,) = place.iterdir()
    with python(CLIENT, server.spec.command, *server.spec.args, env=env) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "open\n"
        (own,) = place.iterdir()
        assert own != left, "the next program removes what a killed one could not"
