# One-word tasks. Every task sees to its own environment: see tools/run.py.
# PYTHON=...: the interpreter to start from. T=...: tests or paths. B=...: a pattern of benchmarks.
# PROCESSES=...: processes that share the suite, a file's tests in one of them (tests/conftest.py has
# the default); 0 runs it in one.
PYTHON ?= python3
RUN = $(PYTHON) tools/run.py
PYTEST = -m pytest $(PYTEST_ARGS)
PROCESSES ?= $(if $(T),0,auto)
SHARED = $(PYTEST) -n $(PROCESSES) --dist loadfile
TSAN = tests/emu/driver tests/emu/diff tests/emu/planted tests/cuda tests/hostile/test_first_uses_by_threads.py tests/hostile/test_thread_mix.py tests/test_tiny.py
SANITIZED = $(RUN) test tools/sanitized.py $(if $(JOBS),--jobs $(JOBS)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(LIMIT),--limit $(LIMIT)) $(if $(RESUME),--resume) $(if $(KERNELS),--kernels $(KERNELS)) $(if $(PYTEST_ARGS),--pytest='$(PYTEST_ARGS)')

help:    ## this list
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t22

build:   ## the extension and the emulated device, in place
	$(RUN) -

demo:    ## the tour: examples/tour.py on whatever device there is
	$(RUN) demo examples/tour.py

test:    ## the whole suite on the default device
	$(RUN) test $(SHARED) $(or $(T),tests)

tiny:    ## the three-second smoke test
	$(RUN) test $(PYTEST) -q tests/test_tiny.py

emu:     ## the whole suite on the emulated device
	GPUNP_DEVICE=emulated $(RUN) test $(SHARED) $(or $(T),tests)

gpu:     ## the whole suite on the real GPU, its own tests included (JOBS=8 SECONDS=480: in processes, with reports at once)
	GPUNP_DEVICE=cuda $(if $(JOBS),$(SANITIZED),$(RUN) test $(PYTEST)) $(or $(T),tests)

one:     ## tests whose name matches T, with a line for each launch
	GPUNP_DEBUG=2 $(RUN) test $(PYTEST) -s -k "$(T)" tests

asan:    ## the suite under the address and undefined-behaviour sanitizers (T=tests JOBS=48 SECONDS=480 RESUME=1 KERNELS=list)
	GPUNP_DEVICE=emulated GPUNP_SANITIZE=address,undefined $(SANITIZED) $(or $(T),tests)

tsan:    ## the emulated device, its C programs too, under the thread sanitizer with eight workers (the same options; T=tests for all)
	GPUNP_DEVICE=emulated GPUNP_SANITIZE=thread $(SANITIZED) $(or $(T),$(TSAN))

matrix:  ## a part of the suite with the oldest and newest Python, NumPy, SciPy and NVRTC
	$(PYTHON) tools/matrix.py

fuzz:    ## the PTX front end under sanitizers with changed texts (RUNS=10000000)
	$(RUN) test tests/emu/fuzz/fuzz.py $(RUNS)

hostile: ## hostile calls under sanitizers, watched (RUNS=1000000 SEED=1 JOBS=2 LIMIT=seconds)
	GPUNP_DEVICE=emulated GPUNP_SANITIZE=address,undefined $(RUN) test tests/hostile/many_calls.py $(RUNS) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) $(if $(LIMIT),--seconds $(LIMIT))

diff:    ## replay everything that was measured on an H200 on the emulated device
	$(RUN) test tests/emu/diff/golden.py check gpunp/libgpunp_emu.so

lint:    ## ruff, clang-format, and the rules that are tests
	$(RUN) test,dev tools/lint.py
	$(RUN) test,dev $(PYTEST) -q tests/meta

fmt:     ## format everything
	$(RUN) dev tools/lint.py --fix

types:   ## mypy over the package
	$(RUN) dev -m mypy gpunp

kernels: ## compile every kernel: milliseconds, registers, bytes
	$(RUN) test tools/kernels.py

bench:   ## the benchmark table (B=pattern, SCALE=0.001 for a quick one)
	$(RUN) - benchmarks/run.py $(if $(B),--only "$(B)") $(if $(SCALE),--scale $(SCALE))

record:  ## the whole benchmark on a GPU: benchmarks/results/, docs/performance.md, the README
	GPUNP_DEVICE=cuda $(RUN) - benchmarks/run.py --record

record-parts: ## the same on all GPUs of a machine, each with a part of the rows
	GPUNP_DEVICE=cuda $(RUN) - benchmarks/parts.py --record

figures: ## docs/performance.md and the README's figures from the newest of benchmarks/results/
	$(PYTHON) benchmarks/report.py

wheel:   ## a wheel for this Python and the source distribution, in dist/
	$(RUN) wheel tools/distributions.py

kernels-wheel: ## the wheel of gpunp-kernels: machine code of all kernels (ARCH=sm_90,... ONLY=pattern: a part)
	$(RUN) wheel tools/distributions.py --kernels $(if $(ARCH),--arch $(ARCH)) $(if $(ONLY),--only "$(ONLY)")

sdist:   ## the source distribution alone
	$(RUN) wheel tools/distributions.py --sdist

doctor:  ## driver, devices, libraries, caches, environment
	$(RUN) - -m gpunp

sz:      ## lines per folder against its budget
	@$(PYTHON) tools/size.py

docs:    ## docs/reference/ from docstrings and tables
	$(RUN) - tools/reference.py

site:    ## the site with tutorial, notebooks, reference and gallery: build/site/html
	$(RUN) docs tools/website.py

stubs:   ## gpunp/**/*.pyi from signatures, docstrings, tables and tools/stubs.txt; docs/migration.md
	$(RUN) - tools/stubs.py
	$(RUN) - tools/migration.py

clean:   ## what the build left
	rm -rf build dist *.egg-info gpunp/*.so .pytest_cache .ruff_cache .mypy_cache .hypothesis

.PHONY: matrix help build demo test tiny emu diff gpu one asan tsan fuzz hostile lint fmt types kernels bench record record-parts figures doctor sz wheel kernels-wheel sdist docs site stubs clean
