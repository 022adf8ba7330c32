# Meson and Ninja do the work; this file only calls them. A comment after ## is a line of `make help`.

BUILD ?= build
CACHE ?= $(HOME)/.cache/tfprof
SAMPLE := examples/resnet/profile
export TFPROF_CACHE := $(CACHE)

.PHONY: all help deps demo test check validate fuzz mutate bench bench-quick install wheel deb format clean

# PREFIX can be given to `make` or to `make install`; later calls keep it.
prefix_option = $(if $(PREFIX),--prefix="$$(realpath -m -- '$(PREFIX)')")

all: deps ## build build/tfprof and build/libtfprof.so (also: make)
	@test -d $(BUILD) || meson setup $(BUILD) $(prefix_option) -Dbench=true $(if $(CI),--werror)
	@ninja -C $(BUILD)

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 13

# Installs missing Debian packages, if any.
deps:
	@tools/install-deps build

demo: all ## install missing packages, build, profile the bundled sample
	@tools/demo $(BUILD)/tfprof $(SAMPLE)

test: all ## run the tests that need no TensorFlow, in less than two minutes
	@tools/test $(BUILD)

check: all ## run all tests, some against TensorFlow in a virtual environment
	@tools/install-deps check
	@tools/check $(BUILD)

validate: all ## run what takes longer: 2,000 random profiles, known models, fuzzing, benchmarks (SECTIONS="fuzz speed": only these)
	@tools/install-deps check
	@tools/install-deps bench
	@BUILD=$(BUILD) tools/validate $(SECTIONS)

fuzz: ## fuzz every target for TIME=60 seconds of CPU time (TARGETS="text wire": only these)
	@tools/install-deps check
	@FUZZ_SECONDS=$(or $(TIME),60) FUZZ_TARGETS="$(TARGETS)" tools/validate fuzz

mutate: ## change single tokens of the code, COUNT=300 of them, and list what no test notices (FILES="src/a.c": only there)
	@tools/install-deps check
	@tools/mutate --count $(or $(COUNT),300) $(FILES)

bench: all ## benchmark against TensorFlow's profiler
	@tools/install-deps bench
	@bench/run --json $(BUILD)/bench.json

bench-quick: all ## the same in two minutes
	@tools/install-deps bench
	@bench/run --quick

install: all ## install to PREFIX (at first /usr/local), or below DESTDIR
	@$(if $(PREFIX),meson configure $(BUILD) $(prefix_option))
	meson install -C $(BUILD)

wheel: deps ## build a wheel for Python 3.9 and later, in dist
	@tools/install-deps wheel
	@tools/wheel

deb: deps ## build a Debian package, in dist
	@tools/install-deps deb
	@tools/deb

format: ## format the C code
	clang-format -i $$(git ls-files '*.c' '*.h')

clean: ## remove build directories
	rm -rf $(BUILD) build-clang build-asan build-tsan build-fuzz build-python build-deb build-cov
