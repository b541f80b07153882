"""Entry point of the `toolplanner` command and of `python -m toolplanner_core.cli`."""

import multiprocessing
import sys

from toolplanner_core.cli.app import run_command_line


def main() -> None:
    """Run the command line and end the process with its exit code."""
    multiprocessing.freeze_support()
    sys.exit(run_command_line())


if __name__ == "__main__":
    main()
