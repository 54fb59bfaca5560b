# SPDX-License-Identifier: BSD-3-Clause
# Short names for what is done often; cmake and ninja do the work. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

BUILD ?= build
FUZZ_BUILD ?= build-fuzz
FUZZ_RUNS ?= 1000000
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CONFIGURE = cmake -S . -G Ninja -Wno-dev --log-level=NOTICE
NINJA = ninja -j$(JOBS)
CTEST = ctest --output-on-failure --no-tests=error -j$(JOBS)

.PHONY: help build demo test build-tests test-sanitized test-long fuzz bench time-table page format install uninstall clean

help:
	@echo 'make build             build the tool: $(BUILD)/trill'
	@echo 'make demo              solve two problems with two methods each and write a report page'
	@echo 'make test              build and run all tests'
	@echo 'make test-sanitized    the unit tests under address and undefined-behaviour sanitizers'
	@echo 'make test-long         full grids of the papers, property studies, 1700 random kills'
	@echo 'make fuzz              feed the readers of files with mutated ones: FUZZ_RUNS=1000000'
	@echo 'make bench             time trill against other solvers: one table of ratios'
	@echo 'make time-table        where building and testing spend their time: docs/design/time.md'
	@echo 'make page              build the report page from web/: web/report.html'
	@echo 'make install PREFIX=/usr/local'
	@echo 'make uninstall PREFIX=/usr/local  remove exactly what was installed there'
	@echo 'make format            format the C++ sources'
	@echo 'make clean             remove everything that was built'
	@echo
	@echo 'Missing Debian packages are installed first, with sudo when not root.'
	@echo 'JOBS=4 sets the number of parallel jobs, BUILD=dir the build directory.'

# The tests stay out until `make test` asks for them, since they need more packages.
build:
	@tools/setup build
	@[ -f $(BUILD)/build.ninja ] || $(CONFIGURE) -B $(BUILD) -DTRILL_BUILD_TESTS=OFF
	@$(NINJA) -C $(BUILD) --quiet trill_tool | sed '/^ninja: no work to do/d'

demo: build
	@tools/demo $(BUILD)/trill $(BUILD)/demo

test: build-tests
	@$(CTEST) --test-dir $(BUILD) --timeout 300 -LE sanitized 2>&1 | tee $(BUILD)/test.log

build-tests:
	@tools/setup test
	@grep -qs TRILL_BUILD_TESTS:BOOL=ON $(BUILD)/CMakeCache.txt && [ -f $(BUILD)/build.ninja ] || \
	  $(CONFIGURE) -B $(BUILD) -DTRILL_BUILD_TESTS=ON
	@$(NINJA) -C $(BUILD)

# The unit tests cover every parser and every method.
test-sanitized: build-tests
	@$(NINJA) -C $(BUILD) trill_unit_tests_sanitized
	@$(CTEST) --test-dir $(BUILD) --timeout 1200 -L '^unit-sanitized$$' 2>&1 | tee $(BUILD)/test-sanitized.log

test-long: build-tests test-sanitized
	@$(NINJA) -C $(BUILD) trill_property_tests_sanitized
	@$(CTEST) --test-dir $(BUILD) --timeout 3600 -L '^property-sanitized$$' 2>&1 | tee $(BUILD)/test-long-sanitized.log
	@TRILL_LONG=1 TRILL_KILLS=28 $(CTEST) --test-dir $(BUILD) --timeout 3600 -L '^(papers|property|cli)$$' 2>&1 \
	  | tee $(BUILD)/test-long.log

fuzz:
	@tools/setup fuzz
	@tools/fuzz $(FUZZ_BUILD) $(FUZZ_RUNS)

bench:
	@tools/setup bench
	@grep -qs TRILL_BUILD_BENCH:BOOL=ON $(BUILD)/CMakeCache.txt && [ -f $(BUILD)/build.ninja ] || \
	  $(CONFIGURE) -B $(BUILD) -DTRILL_BUILD_BENCH=ON \
	  $$([ -f $(BUILD)/CMakeCache.txt ] || echo -DTRILL_BUILD_TESTS=OFF)
	@$(NINJA) -C $(BUILD) --quiet trill_bench | sed '/^ninja: no work to do/d'
	@tools/bench $(BUILD)/bench

# One job at a time, so that what a unit or a suite takes does not depend on its neighbours.
time-table:
	@tools/setup test
	@rm -rf $(BUILD)-time
	@$(CONFIGURE) -B $(BUILD)-time -DTRILL_BUILD_TESTS=ON
	@ninja -j1 -C $(BUILD)-time
	@ctest --test-dir $(BUILD)-time -j1 >$(BUILD)-time/test.log
	@sed -i '/^<!-- measured -->/q' docs/design/time.md
	@tools/time_table.mjs $(BUILD)-time $(BUILD)-time/test.log >>docs/design/time.md
	@rm -rf $(BUILD)-time

# The page is in the repository, so that building trill needs no Node.js.
page:
	@tools/setup page
	@tools/build_page $(BUILD)/web
	@cp $(BUILD)/web/dist/report.html web/report.html

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

install: build
	@$(NINJA) -C $(BUILD) --quiet trill_words | sed '/^ninja: no work to do/d'
	@cmake --install $(BUILD) --prefix '$(PREFIX)'

uninstall:
	@tools/uninstall '$(DESTDIR)$(PREFIX)'

clean:
	@rm -rf $(BUILD) $(FUZZ_BUILD) build-packages web/dist web/node_modules
