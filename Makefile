# Two commands for people: `make demo` and `make test`. Both start from a fresh clone with nothing installed by hand.
# Windows: the same steps as commands stand in README.md.

PYTHON ?= python3
VENV := .venv
BARE := .venv-noqt
PIP := -m pip install --disable-pip-version-check -q -c constraints.txt
export PIP_NO_WARN_SCRIPT_LOCATION = 1

# tests/core runs without Qt and torch; of it only these know a difference and run with them, too.
WITH_QT_OR_TORCH := tests/gui tests/e2e tests/core/embedding tests/core/llm \
	tests/core/retrieval tests/core/structure

.PHONY: demo test check check-window check-library check-types check-speed \
	format clean

## Install the program and open it on the demo workspace; without a display run the demo cases in the terminal.
demo: $(VENV)/app.stamp
	$(VENV)/bin/python packaging/system_packages.py --for window
	$(VENV)/bin/python packaging/demo.py

## Install everything and run all that CI runs.
test: $(VENV)/dev.stamp $(BARE)/dev.stamp
	$(MAKE) check

check:
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/lint-imports
	$(MAKE) -j2 check-window check-library check-types
	$(MAKE) check-speed

# Two at a time: the tests wait a lot for processes that they start.
check-window:
	QT_QPA_PLATFORM=offscreen $(VENV)/bin/python -m pytest $(WITH_QT_OR_TORCH) -q --durations=15

check-library:
	$(BARE)/bin/python -m pytest tests/core -q --durations=10 -p no:pytest-qt -W ignore::pytest.PytestConfigWarning

## Alone, so that nothing else takes the time that is measured.
check-speed:
	QT_QPA_PLATFORM=offscreen $(VENV)/bin/python -m pytest tests/benchmarks -q --durations=15

check-types:
	$(VENV)/bin/pyright

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
	$(VENV)/bin/python $(PIP) -e ".[gui]"
	touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(VENV)/bin/python $(PIP) -e ".[gui,sbert,dev]"
	touch $@ $(VENV)/app.stamp

# The same library without Qt and without torch: what a script on a server has.
$(BARE)/dev.stamp: pyproject.toml constraints.txt | $(BARE)/bin/python
	$(BARE)/bin/python $(PIP) -e ".[dev]"
	touch $@
