# Two commands do everything on a fresh machine: `make demo` and `make test`. Both need nothing but python3 (3.11 or newer) with venv;
# with a C compiler the kernels are compiled, without one their readable twins serve.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# How many processes share the tests.
WORKERS ?= 2
# With one hash seed, since all processes must name the tests alike.
PYTEST := PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal
# What runs on the kernels in use. Others hold each kernel against its twin whatever is in use: tests/kernels and the like.
ON_KERNELS := $(addprefix tests/,segmentation distance counts tagging normalization/test_normalizer.py \
	$(addprefix tokenization/test_,words.py detokenizer.py with_sklearn.py) \
	$(addprefix subword/test_,bpe.py wordpiece.py unigram.py dropout.py cases.py formats.py formats_peers.py) \
	$(addprefix cli/test_,segment.py normalize.py words_and_tokens.py tag.py tokenizer_commands.py))
KERNELS := $(wildcard $(addprefix textprep_ml/_kernels/*.,pyx pxd pxi h))

.PHONY: demo test test-twins test-browser lint kernels clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed  ## train on the labelled sample, evaluate against the rules, segment a text
	$(BIN)/textprep train configs/demo.toml
	@echo
	$(BIN)/textprep evaluate out/demo.json data/sample/dev.jsonl --baseline rules
	@echo
	printf 'Dr. Smith paid $$3.50 for the app. It is amazing!! Is it not?' | $(BIN)/textprep segment - --model out/demo.json

test: $(VENV)/.dev  ## run the test suite with the kernels in use
	$(PYTEST)

test-twins: $(VENV)/.dev  ## the tests of what runs on kernels, on their readable twins
	TEXTPREP_ML_KERNELS=python $(PYTEST) --ignore-glob='*/test_*kernel*.py' $(ON_KERNELS)

test-browser: $(VENV)/.dev  ## the tests of what is seen in a browser; they need a Chromium on the PATH
	$(BIN)/python -m pytest -q -m browser tests/browser

lint: $(VENV)/.dev  ## style, types, docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m numpydoc.hooks.validate_docstrings $$(git ls-files 'textprep_ml/*.py')

kernels: $(VENV)/.installed  ## compile the kernels anew, in place
	$(BIN)/python -m pip install --quiet --no-deps --editable .

# The package itself, in place.
$(VENV)/.installed: pyproject.toml $(KERNELS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# Its tools and the peers that the parity tests compare with; the package is there already and is not built again.
$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet 'textprep_ml[dev,docs,peers]'
	touch $@

clean:  ## remove what the build made
	rm -rf $(VENV) build dist *.egg-info out textprep_ml/_kernels/*.so textprep_ml/_kernels/*.c
