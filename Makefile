# SPDX-License-Identifier: Apache-2.0
# Each target does its own set-up. A machine needs make and Python 3.11 or newer, nothing else.
#   make PYTHON=/path/to/python3.12 test    names the interpreter
#   make test PYTEST_ARGS='-k parallel'     passes arguments on to pytest

VENV := .venv
BIN := $(VENV)/bin
BENCH_VENV := .venv-bench
BENCH := bench/run.py
PYTHONS = $(if $(PYTHON),$(PYTHON),python3.11 python3 python3.12 python3.13 python3.14)
comma := ,
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check

# $(call make-venv,FOLDER): keep a working environment, else make one with the first fit Python.
fit = -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
define make-venv
@set -e; \
if $(1)/bin/python $(fit); then exit 0; fi; \
rm -rf $(1); \
for python in $(PYTHONS); do \
  if $$python $(fit); then \
    echo "adkref: making $(1) with $$python ($$($$python --version))"; \
    $$python -m venv $(1) && exit 0; \
    rm -rf $(1); \
    echo "adkref: $$python cannot make a virtual environment (on Debian: apt-get install python3-venv)." >&2; \
    exit 1; \
  fi; \
done; \
echo "adkref: stopped, because Python 3.11 or newer is needed. Looked at:" >&2; \
for python in $(PYTHONS); do \
  if command -v $$python >/dev/null 2>&1; \
  then echo "  $$python: $$($$python --version 2>&1 | head -n 1)"; \
  else echo "  $$python: not found"; fi >&2; \
done; \
echo "Install a newer Python, or name one: make PYTHON=/path/to/python3.11 <target>" >&2; \
exit 1
endef

# $(call need,COMMAND,WORDS): stop here without a command that cannot be installed in the tree.
need = @command -v $(1) >/dev/null || \
  { echo "adkref: stopped, because $(2) is needed; there is no $(1) on the path." >&2; exit 1; }

# $(call install,FOLDER,REQUIREMENT): install the project in place, with extras.
define install
@echo "adkref: installing $(2) into $(1)"
@$(1)/bin/python $(PIP_INSTALL) -e '$(2)' || \
  { echo "adkref: stopped, because the installation failed; pip's own words stand above." >&2; exit 1; }
@touch $@
endef

.PHONY: help venv demo lint types test test-slow mutants bench docs clean port-python port-js port-java

help:
	@echo 'make demo       play the weather scenario and verify the corpora'
	@echo 'make test       lint, types, all quick tests, the corpora, each mutant is killed'
	@echo 'make lint       ruff and the import contract'
	@echo 'make types      mypy'
	@echo 'make mutants    every mutant is killed, and no rule loses one'
	@echo 'make test-slow  the tests that take more than a minute each'
	@echo 'make bench      adkref beside google-adk'
	@echo 'make docs       the documentation, in docs/_build/html'
	@echo 'make port-python, port-js, port-java'
	@echo '                install a real port and print the command of its driver'
	@echo 'make clean      remove all that the other targets made'

# The stamps: an environment is brought up to date only when the declared requirements change.
venv: $(VENV)/.installed

$(VENV)/.installed: setup.cfg setup.py
	$(call make-venv,$(VENV))
	$(call install,$(VENV),.[test$(comma)report])

$(VENV)/.installed-docs: $(VENV)/.installed
	$(call install,$(VENV),.[docs])

# google-adk brings some dozens of packages with bounds of their own, so it lives apart.
$(BENCH_VENV)/.installed: setup.cfg setup.py
	$(call make-venv,$(BENCH_VENV))
	$(call install,$(BENCH_VENV),.[bench])

demo: venv
	$(BIN)/adkref play weather/plain
	$(BIN)/adkref verify

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

types: venv
	$(BIN)/mypy adkref

test: venv lint types
	$(BIN)/python -m pytest -n auto -m 'not slow' --cov $(PYTEST_ARGS)
	$(BIN)/adkref verify --limit 30  # the longest case takes 5 s, on a busy machine more than 10
	$(BIN)/adkref mutants --kept --jobs 2 --limit 30 >$(VENV)/mutants.txt || { cat $(VENV)/mutants.txt; exit 1; }
	@tail -n 2 $(VENV)/mutants.txt

mutants: venv
	$(BIN)/adkref mutants --rules $(MUTANTS_ARGS)

test-slow: venv
	$(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python $(BENCH)
	$(BENCH_VENV)/bin/python bench/kit.py

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	@echo 'adkref: the documentation stands in docs/_build/html/index.html'

# Real ports of ADK, each installed by its own ordinary client into .ports/.
include conformance/ports/adk-python/port.mk
include conformance/ports/adk-js/port.mk
include conformance/ports/adk-java/port.mk

clean:
	rm -rf .ports $(VENV) $(BENCH_VENV) adkref.egg-info build dist docs/_build htmlcov
	rm -rf .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find adkref tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
