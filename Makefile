# SPDX-License-Identifier: BSD-2-Clause
# Targets: `make help`. Everything that is made lies in build/.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

CORE    := $(sort $(shell find src -mindepth 2 -name '*.c'))
HEADERS := $(sort $(shell find src tests -name '*.h'))
STRICT  := -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror

# ---- the core: two compilers, each with the portable bit functions and with the processor's own ---------------
# gcc must not turn our loops into calls of memset or memcpy; clang leaves them alone when freestanding.

include src/flags.mk

CORE_FLAGS  := $(STRICT) -ffreestanding -O2 -g -Isrc
FLAGS_gcc   := -fno-tree-loop-distribute-patterns $(PROVISO_TUNE_gcc)
FLAGS_clang := $(PROVISO_TUNE_clang)
FLAVOURS    := gcc clang gcc-fast clang-fast
compiler     = $(firstword $(subst -, ,$1))
flavour_flags = $(FLAGS_$(call compiler,$1)) $(if $(findstring -fast,$1),$(PROVISO_FAST))

# The library is one file. Each file is compiled by itself too, so that none leans on what another includes.
define core_flavour
build/core/$1/libproviso.a: $(CORE) $(HEADERS) src/flags.mk
	@mkdir -p $$(@D)
	$(call compiler,$1) $(CORE_FLAGS) $(call flavour_flags,$1) -c src/proviso.c -o $$(@D)/proviso.o
	@rm -f $$@
	ar rcs $$@ $$(@D)/proviso.o
endef
$(foreach flavour,$(FLAVOURS),$(eval $(call core_flavour,$(flavour))))

build/parts/%.o: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	gcc $(CORE_FLAGS) -c $< -o $@

build/libproviso.a: build/core/gcc/libproviso.a
	@cp $< $@
build/libproviso-fast.a: build/core/gcc-fast/libproviso.a
	@cp $< $@

.PHONY: core
core: $(FLAVOURS:%=build/core/%/libproviso.a) $(CORE:src/%.c=build/parts/%.o) build/libproviso.a build/libproviso-fast.a

# ---- programs of the host: tests, differ, fuzzer, bench ----------------------------------------------------------

HOST_FLAGS := $(STRICT) -D_GNU_SOURCE -g -Isrc -Itests/lib
SANITIZE   := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
TEST_LIB   := tests/lib/check.c tests/lib/machine.c
UNITS      := $(basename $(notdir $(wildcard tests/unit/*.c)))

build/tests/%: tests/unit/%.c $(TEST_LIB) $(CORE) $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) $(SANITIZE) $< $(TEST_LIB) $(CORE) -o $@

# The two flavours of the bit functions in one program: the portable ones under other names.
build/tests/bits_flavours: tests/bits_flavours/main.c tests/bits_flavours/portable.c src/base/bits.c $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 tests/bits_flavours/main.c tests/bits_flavours/portable.c -o $@

build/tests/embedder: tests/embedder/main.c build/libproviso.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $< build/libproviso.a -o $@

TORTURE := $(wildcard tests/torture/*.c)

build/tests/torture: $(TORTURE) build/libproviso.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 -pthread $(filter %.c %.a,$^) -o $@

build/diff/generate: tests/diff/generate.c
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $< -o $@

build/diff/core: tests/diff/core.c tests/lib/json.c build/libproviso-fast.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c %.a,$^) -o $@

# The calls of the KVM persona: requests, and the core's answers to them.
build/diff/kvm: tests/diff/kvm.c build/libproviso-fast.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c %.a,$^) -o $@

# The core for the conformance runner: the KVM persona; and an implementation of one's own, as docs/conformance.md shows it.
build/conform/kvm: tests/conformance/kvm.c tests/lib/json.c build/libproviso-fast.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c %.a,$^) -o $@

build/conform/sample: tests/conformance/sample.c tests/lib/json.c tests/lib/quiet.c build/libproviso.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c %.a,$^) -o $@

# A reader of the vectors, on the library.
build/conform/consume: tests/vectors/examples/consume.c tests/lib/json.c tests/lib/quiet.c build/libproviso.a $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c %.a,$^) -o $@

# The differ's core once more, with the portable bit functions, and file by file.
build/diff/core-portable: tests/diff/core.c tests/lib/json.c $(CORE) $(HEADERS)
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $(filter %.c,$^) -o $@

.PHONY: oracle
oracle:
	@$(MAKE) -s -C spec/oracle

build/fuzz/target: tests/fuzz/target.c $(CORE) $(HEADERS)
	@mkdir -p $(@D)
	clang $(HOST_FLAGS) -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all $< $(CORE) -o $@

build/bench/fast: tests/bench/main.c build/libproviso-fast.a
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $^ -o $@

build/bench/portable: tests/bench/main.c build/libproviso.a
	@mkdir -p $(@D)
	gcc $(HOST_FLAGS) -O2 $^ -o $@

.PHONY: host
host: $(UNITS:%=build/tests/%) build/tests/bits_flavours build/tests/embedder build/tests/torture

# ---- what a person types -----------------------------------------------------------------------------------------

.PHONY: help run test prove prove-cached audit vectors diff report bench experiments fuzz torture mutate trace rules format clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{ printf "make %-14s %s\n", $$1, $$2 }'

run: ## boot the hypervisor in QEMU (same as harness/run; arguments in ARGS)
	@if [ -x harness/run ]; then exec harness/run $(ARGS); else echo "make run: this tree has no harness" >&2; exit 1; fi

test: ## all tests: builds, unit tests, known faults, core against oracle
	@tests/suite

prove: ## prove model and code from nothing (about 20 minutes on 2 cores)
	@proofs/prove $(ARGS)

prove-cached: ## the same, reusing what the provers said before about the same goals
	@proofs/prove --cached $(ARGS)

audit: ## what the proof rests on: counts axioms and admits, and tests itself
	@proofs/audit --self-test

vectors: ## make tests/vectors/v1 anew from the model
	@tests/vectors/generate && tests/vectors/check

diff: ## model and core agree with the preferred outcome of every vector, and a million requests are answered alike (SEED=, COUNT=)
	@tests/conform --backend model --preferred $(ARGS)
	@tests/conform --backend core --preferred $(ARGS)
	@tests/diff/run $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

report: ## build/report.html: one page of all results that are there, with plots; says which command makes what is missing
	@tests/report $(ARGS)

bench: ## instructions per hypercall, against the targets: the core alone, and the hypervisor in QEMU beside KVM
	@status=0; tests/bench/run $(ARGS) || status=1; harness/bench $(ARGS) || status=1; exit $$status

experiments: ## Linux with paravirtual flushes and IPIs against native ones, beside published figures (about 25 minutes; ARGS=--quick: 3)
	@harness/experiments $(ARGS)

fuzz: ## arbitrary calls under the sanitizers, for SECONDS (default one hour)
	@tests/fuzz/run $(or $(SECONDS),3600)

torture: ## threads as 2 to 12 pCPUs, random guests, preemption anywhere: SECONDS for each number (default one minute)
	@tests/torture/run --long $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

mutate: ## does the proof notice small faults? writes proofs/mutants.json (about 20 minutes)
	@proofs/mutate $(ARGS)

trace: ## rule by rule: where it stands in model, contract, code, test; fails on a gap
	@spec/trace

rules: ## docs/rules.md anew: every rule with the places where it stands
	@spec/rules-page

format: ## bring the C sources into shape (clang-format 14)
	@tests/format --write

clean: ## remove everything that was made
	rm -rf build
