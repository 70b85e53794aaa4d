# Everything a person or a CI machine runs. `make help` lists it.

PYTHON ?= python3
VENV := .venv
PIP_INSTALL := --disable-pip-version-check -qq install --no-deps --no-compile
PIP := $(VENV)/bin/python -m pip $(PIP_INSTALL)
COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes \
  --no-emit-index-url --no-emit-package tuneplane --no-header --no-annotate --group build

# What is imported is compiled once, not by each of the many processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo install dev-install test test-packages check format bench lock clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

demo: install ## start the server with its own database and a real training job that reports to it
	$(VENV)/bin/tuneplane-server demo

install: $(VENV)/.installed ## make .venv with what the server needs; does nothing when nothing changed

dev-install: $(VENV)/.installed-dev ## add what tests and checks need to .venv

# Tests wait about as long as they compute, for browsers and processes, so there is one worker more than there are cores.
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
PYTEST = $(VENV)/bin/python -m pytest -q -n $(WORKERS) --maxprocesses=4 --dist loadfile --no-loadscope-reorder \
  --durations=10 --durations-min=1

test: dev-install ## run every test but those of test-packages; browser tests where Chromium is
	$(PYTEST) -m "not packages" $(ARGS)

test-packages: dev-install ## try importers and hooks on the real packages they serve, each in an environment of its own
	$(PYTEST) -m packages $(ARGS)

check: dev-install ## format, lint, types and import rules; runs nothing of ours
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: dev-install ## rewrite the code as `make check` wants it
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

bench: dev-install ## measure against the budgets, as ratios to a floor taken in the same run
	PYTHONPATH=sdk/examples $(VENV)/bin/python -m tests.bench $(ARGS)

lock: $(VENV)/bin/python ## pin the dependencies again (UPGRADE=1 takes newer releases)
	$(PIP) uv
	$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file requirements.lock pyproject.toml
	$(COMPILE) $(if $(UPGRADE),--upgrade) --constraint requirements.lock --output-file requirements-dev.lock \
	  pyproject.toml requirements-dev.in

clean: ## remove .venv and everything built
	rm -rf $(VENV) build dist sdk/build sdk/dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The pip that comes with Python is half as fast with hashes, so the pinned one is put in first.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv --without-pip $(VENV)
	@sed -n '/^pip==/,/[^\]$$/p' requirements.lock > $(VENV)/pip.lock
	@$(PYTHON) -m pip --python $(VENV)/bin/python $(PIP_INSTALL) --requirement $(VENV)/pip.lock 2>/dev/null || \
	  { $(VENV)/bin/python -m ensurepip && $(VENV)/bin/python -m pip $(PIP_INSTALL) --requirement $(VENV)/pip.lock; } || \
	  { rm -rf $(VENV); echo "pip could not be installed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

# pip takes no hashes for a folder of ours, so the two distributions are added after what they need,
# with the pinned build backend. The locks are complete, hence --no-deps.
$(VENV)/.installed: requirements.lock pyproject.toml sdk/pyproject.toml | $(VENV)/bin/python
	@echo "installing what the server needs (about 20 s the first time)"
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) --no-build-isolation --editable sdk --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@echo "installing what tests and checks need"
	@$(PIP) --require-hashes --requirement requirements-dev.lock
	@touch $@
