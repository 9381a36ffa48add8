# make demo    set up and run the main job          make peers   cross tests against other programs
# make test    set up and run the tests             make bench   speed, as ratios to peers in one run
# make slow    proofs that take long; SHARE=0.1 a tenth  make lint    style and types, as a machine can check
# make mutants changes one thing in a law at a time, and sees that a test fails (WHERE="elements/joints --share 0.2")
# make browser pages and the viewer in Chromium, which is installed if it can be
# make docs    the documentation site, into site/    make validation  docs/validation.md from the cross tests
# make dist    wheel and source distribution, into dist/
# make lanes   tests of native code with vectors of another length than the processor's; LANES=1, 2, 4 or 8
PYTHON ?= python3
VENV   ?= .venv
RUN     = $(VENV)/bin/python
PIP     = $(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SHARE  ?= 1
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
export PYTHONDONTWRITEBYTECODE =  # written, or every child process compiles all modules again: half a second each

# What evaluates batches in native code, for `make lanes`; LANES are 8, or 4 where registers hold 8. WHAT=tests: all.
WHAT   ?= tests/engine $(patsubst %,tests/analysis/test_%.py,simulate other_coordinates motions_that_fail maps modes \
	initial_pose states branches chains)
LANES  ?= $(shell $(RUN) -c 'from poinsot.engine.build.native import host_target; print(4 if host_target().lanes == 8 else 8)')

.PHONY: demo test browser lanes slow peers bench lint mutants docs gallery validation dist clean

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Poinsot needs Python 3.11 or newer; set PYTHON=")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(RUN)
	@echo "setting up $(VENV)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.core
	@$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/.peers: $(VENV)/.test
	@$(PIP) --editable '.[test,peers]'
	@$(RUN) -c 'import openseespy.opensees' >/dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq libblas3 liblapack3) \
	  >/dev/null 2>&1 || echo 'OpenSees needs the system libraries libblas3 and liblapack3; its tests are left out'
	@touch $@

$(VENV)/.report: $(VENV)/.core
	@$(PIP) --editable '.[report]'
	@touch $@

demo: $(VENV)/.report
	@$(RUN) examples/demo.py

test: $(VENV)/.test
	@$(RUN) -m pytest -n $(JOBS)

browser: $(VENV)/.test
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null 2>&1 \
	  || echo 'Chromium cannot be installed here; its tests are left out'
	@$(RUN) -m pytest -m browser tests/browser

lanes: $(VENV)/.test
	@POINSOT_LANES=$(LANES) $(RUN) -m pytest -n $(JOBS) $(WHAT)

slow: $(VENV)/.test
	@POINSOT_SHARE=$(SHARE) $(RUN) -m pytest -n $(JOBS) -m 'slow and not peers and not browser' --durations=30 --durations-min=20

peers: $(VENV)/.peers
	@$(RUN) -m pytest -n $(JOBS) -m peers

bench: $(VENV)/.peers
	@$(RUN) -m benchmarks

$(VENV)/.lint: $(VENV)/.test
	@($(PIP) --editable '.[test,lint]' && $(RUN) -m pyright --version) >/dev/null 2>&1 \
	  || echo 'pyright cannot be had here; types are not checked'
	@touch $@

lint: $(VENV)/.lint
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@if $(RUN) -m pyright --version >/dev/null 2>&1; then $(RUN) -m pyright --project pyproject.toml --pythonpath $(RUN); fi

mutants: $(VENV)/.test
	@$(RUN) -m tests.mutants $(WHERE)

$(VENV)/.docs: $(VENV)/.core
	@$(PIP) --editable '.[docs,estimate]'
	@touch $@

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict  # with --quiet warnings are not counted
	@echo "open site/index.html; with search: $(RUN) -m http.server --directory site --bind 127.0.0.1"

# Pictures of the gallery, by its scripts.
gallery: $(VENV)/.test
	@cd docs/images/gallery && for script in ../../../examples/*.py; do \
	  case $$script in *demo.py) ;; *) echo $$script; $(abspath $(RUN)) $$script >/dev/null || exit 1 ;; esac; done

# What agrees with what: the cross tests write it down, the page is made of it.
validation: $(VENV)/.peers
	@rm -f build/agreement.jsonl
	@POINSOT_AGREEMENT=$(CURDIR)/build/agreement.jsonl $(RUN) -m pytest -n $(JOBS) -m 'peers or not slow' \
	  tests/peers tests/generated tests/papers
	@$(RUN) -m docs.generate.validation build/agreement.jsonl

dist: | $(RUN)
	@$(PIP) hatchling
	@$(RUN) -m hatchling build --clean

clean:
	@rm -rf $(VENV) build site dist .pytest_cache .hypothesis .ruff_cache
