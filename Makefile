# Belay. `make up` runs it, `make test` proves it; CONTRIBUTING.md says the rest.

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name) 2>/dev/null)))
PY := .venv/bin/python
FRONTEND := webapp/frontend
OURS := sandbox learning webapp benchmarks tests
GENERATED := $(FRONTEND)/openapi.json $(FRONTEND)/src/api/schema.d.ts sandbox/contracts/schema.json
MAKEFLAGS += --no-print-directory

# Tools of the environment first; a Node is among them only where the system's is missing or old.
export PATH := $(CURDIR)/.venv/bin:$(PATH)

# What needs Django's settings but no server gets variables that lead nowhere.
NOWHERE := BELAY_EMBEDDED=1 SECRET_KEY=for-static-checks-only-no-server-is-asked S3_ACCESS_KEY=none S3_SECRET_KEY=nowhere-at-all \
	DATABASE_URL=postgresql://nobody@127.0.0.1:1/none VALKEY_URL=redis://127.0.0.1:1/0 S3_ENDPOINT_URL=http://127.0.0.1:1

.PHONY: help setup up down status test test-slow check generate bench pictures lock

help:
	@echo "make up         set up what is missing and start Belay      make down     stop everything"
	@echo "make test       all tests but the slow ones                 make test-slow  the slow ones"
	@echo "make check      style, types, layers, generated files       make generate   write the generated files"
	@echo "make bench B=NAME  one measurement (B=--list names them)    make pictures   the README's pictures"
	@echo "make status     what runs                                   make lock       requirements.lock anew"

setup:
	@test -n "$(PYTHON)" || { echo "No Python was found. Install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) webapp/embedded/bootstrap.py

up: setup
	@$(PY) -m webapp.embedded up

down:
	@test ! -x $(PY) || $(PY) -m webapp.embedded down

status:
	@$(PY) -m webapp.embedded status

test: setup
	cd $(FRONTEND) && npm run test
	$(PY) -m pytest -m "not slow"

test-slow: setup
	$(PY) -m pytest -m slow

check: setup
	ruff check .
	ruff format --check .
	$(NOWHERE) mypy $(OURS)
	lint-imports
	$(NOWHERE) $(PY) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	cd $(FRONTEND) && npm run check && npm run lint
	@$(MAKE) generate
	@git diff --exit-code --stat -- $(GENERATED) || { echo "Generated files have changed: commit them." >&2; exit 1; }

generate: setup
	$(NOWHERE) $(PY) manage.py export_openapi_schema --api webapp.api.api --indent 2 --sorted --output $(FRONTEND)/openapi.json
	cd $(FRONTEND) && npm run types
	$(PY) -m sandbox.contracts.schema > sandbox/contracts/schema.json

bench: setup
	$(PY) -m benchmarks $(B)

pictures: setup
	$(PY) -m tests.browser.pictures

# The direct dependencies stand in pyproject.toml; this writes down all that a clean environment makes of them.
# A build tag such as "+cpu" belongs to one index and is left out.
lock:
	rm -rf .belay/lock && $(PYTHON) -m venv .belay/lock
	.belay/lock/bin/pip install --disable-pip-version-check -q '.[dev]'
	{ echo "# Written by make lock from pyproject.toml."; .belay/lock/bin/pip freeze --exclude belay | sed 's/+cpu$$//'; } > requirements.lock
	rm -rf .belay/lock build belay.egg-info
