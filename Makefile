# Two commands do everything on a fresh machine: `make demo` and `make test`. Both need python3 with venv; with a C compiler the kernels
# are compiled, without one the pure twins serve.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNELS := $(wildcard textprep_ml/_kernels/*.pyx textprep_ml/_kernels/*.pxd textprep_ml/_kernels/*.h)

.PHONY: demo test lint clean
.DELETE_ON_ERROR:

$(VENV)/.installed: pyproject.toml $(KERNELS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools wheel cython
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed  ## train on the labelled sample, evaluate against the rules, segment a text
	$(BIN)/textprep train configs/demo.toml
	$(BIN)/textprep evaluate out/demo.json data/sample/dev.jsonl --baseline rules
	printf 'Dr. Smith paid $$3.50 for the app. It is amazing!! Is it not?' | $(BIN)/textprep segment - --model out/demo.json

test: $(VENV)/.installed  ## run the test suite with the kernels in use, then the kernel tests with the pure twins
	$(BIN)/python -m pytest -q

lint: $(VENV)/.installed  ## style, types, docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m numpydoc.hooks.validate_docstrings $$(git ls-files 'textprep_ml/*.py')

clean:  ## remove what the build made
	rm -rf $(VENV) build dist *.egg-info out textprep_ml/_kernels/*.so textprep_ml/_kernels/*.c
