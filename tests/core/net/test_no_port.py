"""The program opens no port, whatever it does: others cannot come in."""

import os
import subprocess
import sys
from pathlib import Path

from fixtures.command_line import toolplanner
from fixtures.ports import noting_ports, ports_noted

OPEN_ONE = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.close()"


def test_program_when_it_does_all_that_it_can_then_no_port_is_opened(tmp_path: Path) -> None:
    """Its self-test lays out, searches, runs, starts a server of tools and the sandbox."""
    done = toolplanner("self-test", **noting_ports(tmp_path / "noted"))
    assert (done.status, "a server of tools" in done.out) == (0, True), done.err
    assert ports_noted(tmp_path / "noted") == []


def test_port_when_a_process_of_a_process_opens_it_then_it_is_noted(tmp_path: Path) -> None:
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {OPEN_ONE!r}])"
    env = os.environ | noting_ports(tmp_path)
    subprocess.run([sys.executable, "-c", nested], env=env, check=True)
    assert ports_noted(tmp_path) == ["('127.0.0.1', 0)"]
