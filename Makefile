PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNING := $(VENV)/.running
STAMP := $(VENV)/.installed
BENCH := $(BIN)/python -m lab.benchmarks
UV := $(shell command -v uv 2>/dev/null)
STORES := folder
SHARED := tests/stores tests/index tests/graphs
JOBS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) # some tests wait for servers
BY_FILE := --dist loadfile --no-loadscope-reorder # in the order of tests/conftest.py

# Tests start many processes; without bytecode each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.PHONY: install demo test test-all test-thorough test-shared test-again wheel-test lint bench attack docs pictures sessions notebooks dev clean

# Two stamps: what running needs, and the rest, which has all of the former. Bytecode is left to the
# first import, so that the demo waits for no module that it does not use.
ifneq ($(UV),)
CREATE := uv venv -q --seed --python $(PYTHON) $(VENV)
INSTALL := uv pip install -q --python $(BIN)/python -c constraints.txt -e
else
CREATE := $(PYTHON) -m venv $(VENV)
INSTALL := $(BIN)/python -m pip install -q --no-compile -c constraints.txt -e
endif

install: $(STAMP)

$(RUNNING): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(CREATE)
	$(INSTALL) .
	touch $(RUNNING)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(CREATE)
	$(INSTALL) '.[dev]'
	touch $(RUNNING) $(STAMP)

demo: $(RUNNING)
	$(BIN)/ragraphs demo $(VENV)/bridges

test: install
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

test-all: install
	$(BIN)/python -m pytest -n $(JOBS) $(BY_FILE) -m "not thorough"

test-thorough: install
	$(BIN)/python -m pytest -n $(JOBS) $(BY_FILE) -m thorough

test-shared: install
	$(BIN)/python -m pytest -n $(JOBS) $(BY_FILE) -m "not thorough" --stores shared --ignore tests/index/cluster $(SHARED)

test-again: install
	$(BIN)/python -m pytest -m "" --last-failed --last-failed-no-failures none --stores $(STORES)

wheel-test: install
	$(BIN)/python -m lab.release.wheel --python $(PYTHON)

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	mkdir -p $(VENV)/typed && ln -sfn ../.. $(VENV)/typed/ragraphs
	MYPYPATH=$(VENV)/typed $(BIN)/mypy
	MYPYPATH=$(VENV)/typed $(BIN)/mypy tests/support docs/scripts lab
	$(BIN)/python -m pytest -m slow tests/docs/test_types.py

bench: install
	$(BENCH).synthetic $(VENV)/bench
	$(BENCH).growth measure 300 --out $(VENV)/bench/growth.jsonl --folder $(VENV)/bench/growth-300
	$(BENCH).growth table $(VENV)/bench/growth.jsonl
	$(BENCH).community_growth 5000
	$(BENCH).indexing demo
	$(BENCH).latency hoprag $(VENV)/bench
	$(BENCH).latency tog2 $(VENV)/bench
	$(BENCH).latency deeprag $(VENV)/bench
	$(BENCH).throughput $(VENV)/bench --graph basic --questions 24
	$(BENCH).load $(VENV)/bench --clients 50 --seconds 10

attack: install
	$(BIN)/python -m lab.attack --out $(VENV)/attack.jsonl

docs: install
	$(BIN)/python docs/scripts/method_lists.py langgraph.json docs/methods/index.md docs/methods/router.md
	$(BIN)/python docs/scripts/drawings.py docs/images
	$(BIN)/python docs/scripts/settings_page.py docs/settings.md
	$(BIN)/python docs/scripts/outputs.py README.md README.ko.md docs/quickstart.md docs/quickstart.ko.md
	$(BIN)/python -m lab.release.licences docs/licences.md
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict --site-dir $(VENV)/site

pictures: install
	$(BIN)/python docs/scripts/pictures.py docs/images

sessions: install
	$(BIN)/python docs/scripts/sessions.py docs/commands.md

notebooks: install
	$(BIN)/python docs/scripts/notebooks.py examples

dev: install
	@echo "The page will be at http://127.0.0.1:2024/"
	$(BIN)/langgraph dev --no-browser --host 127.0.0.1 --port 2024 --n-jobs-per-worker 8

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
