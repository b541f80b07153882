"""Where the smoke test runs a program: here, or inside another root as a person there."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_TIMEOUT_S = 600.0


class Place:
    """A home of its own, a folder to work in, and the programs.

    Args:
        programs: the folder they are in; None: those on the PATH.
        root: another root, such as a chroot; None: this system.
        user: of that root.
        is_offline: run without any network.
    """

    def __init__(
        self, programs: Path | None, *, root: Path | None, user: str | None, is_offline: bool
    ) -> None:
        self._programs = programs.absolute() if programs else None
        self._root = root
        self._user = user
        self._is_offline = is_offline
        self.display: str | None = None
        self.home = Path(f"/home/{user}") if root else Path(tempfile.mkdtemp(prefix="smoke-home-"))
        self.work = self.home / "my work"
        self._before = set(self._files())
        self.outside(self.work).mkdir()
        self.outside(self.work).chmod(0o777)

    def command(self, program: str) -> str:
        """How a program is called there."""
        return str(self._programs / program) if self._programs else program

    def outside(self, path: Path) -> Path:
        """The same path as this script sees it."""
        return self._root / path.relative_to("/") if self._root else path

    def call(self, program: str, *arguments: object) -> str:
        """Run a program to its end; returns what it printed.

        Raises:
            AssertionError: it failed.
        """
        done = subprocess.run(
            self._command(program, arguments), capture_output=True, text=True, check=False,
            env=self._around(), timeout=_TIMEOUT_S, encoding="utf-8",
        )  # fmt: skip
        words = " ".join([program, *map(str, arguments)])
        is_fine = done.returncode == 0 and "Traceback" not in done.stderr
        assert is_fine, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Start a program and leave it running."""
        return subprocess.Popen(self._command(program, arguments), env=self._around())

    def start_piped(
        self, program: str, *arguments: object, is_online: bool = False
    ) -> subprocess.Popen[str]:
        """Start a program that is spoken to over its input and output.

        Args:
            is_online: with the network of this machine also where others have none.
        """
        command = self._command(program, arguments, is_online=is_online)
        return subprocess.Popen(
            command, env=self._around(), text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def new_files(self) -> list[str]:
        """What is in the home now and was not before, outside of the folder to work in."""
        work = self.work.relative_to(self.home).as_posix()
        found = sorted(set(self._files()) - self._before)
        return [name for name in found if not name.startswith(f"{work}/")]

    def clear(self) -> None:
        """Take away what was made here."""
        shutil.rmtree(self.outside(self.work if self._root else self.home), ignore_errors=True)

    def _command(
        self, program: str, arguments: tuple[object, ...], *, is_online: bool = False
    ) -> list[str]:
        command = [self.command(program), *map(str, arguments)]
        if self._root:
            inside = [f"{key}={value}" for key, value in self._environment().items()]
            who = f"--userspec={self._user}:{self._user}"
            command = ["chroot", who, str(self._root), "env", "-i", *inside, *command]
        is_alone = self._is_offline and not is_online
        return ["unshare", "-n", "--", *command] if is_alone else command

    def _environment(self) -> dict[str, str]:
        own = {"HOME": str(self.home), "LANG": "C.UTF-8"}
        if self.display:
            own["DISPLAY"] = self.display
        if self._root:
            return {**own, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        if sys.platform == "win32":
            local = self.home / "AppData"
            own |= {"USERPROFILE": str(self.home), "LOCALAPPDATA": str(local / "Local"),
                    "APPDATA": str(local / "Roaming")}  # fmt: skip
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "PYTHON", "QT_"))}
        return kept | own

    def _around(self) -> dict[str, str]:
        """For what is started here; inside a root `env` makes it anew."""
        return dict(os.environ) if self._root else self._environment()

    def _files(self) -> Iterator[str]:
        home = self.outside(self.home)
        for path in home.rglob("*"):
            if path.is_file():
                yield path.relative_to(home).as_posix()
