# `make demo` and `make test` do their own set-up; they need Python 3.11 or newer, make, gcc and git.
# PYTHON chooses the interpreter, CORES how many processor cores to use.

PYTHON ?= python3
CORES  ?= all
VENV   := .venv
BIN    := $(VENV)/bin
OLDEST := $(shell sed -n 's/^requires-python = ">=\([0-9.]*\)".*/\1/p' pyproject.toml)
NEW    := import sys; sys.exit(sys.version_info < tuple(map(int, "$(OLDEST)".split("."))))
USABLE := { $(BIN)/python -c '$(NEW)' && $(BIN)/python -m pip --version; } >/dev/null 2>&1

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint clean

help: ## Say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.installed ## Install the package and its pinned dependencies into .venv

demo: $(VENV)/.installed ## Reproduce the study on generated text, on this machine, in minutes
	$(BIN)/snakemake --cores $(CORES) --config scale=demo

lint: $(VENV)/.installed-test ## Check style, types and the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy --strict src
	$(BIN)/snakemake --lint

test: $(VENV)/.installed-test ## Check everything, the linters beside the tests
	@make --no-print-directory lint > $(VENV)/lint.log 2>&1 & linters=$$!; $(BIN)/pytest -n auto; tests=$$?; \
	wait $$linters || { cat $(VENV)/lint.log; exit 1; }; exit $$tests

clean: ## Remove the environment and caches; results stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache

# A stamp is younger than pyproject.toml as long as what is installed is what it asks for. An environment without pip, or
# whose Python is too old or gone, is made again.
ifneq ($(shell $(USABLE) && echo usable),usable)
.PHONY: $(VENV)/.installed
endif
$(VENV)/.installed: pyproject.toml
	@$(USABLE) || $(PYTHON) -c '$(NEW)' 2>/dev/null || { echo "seqpre needs Python $(OLDEST) or newer; \
	`$(PYTHON) --version 2>&1`: name a newer one, make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(USABLE) || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing the package and its dependencies into $(VENV), PyTorch above all; some minutes pass without another line"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	@echo "Installing what linters and tests need into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@
