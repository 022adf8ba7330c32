# Everything a newcomer needs:
#
#   make          build build/tfprof and build/libtfprof.so
#   make demo     install missing packages, build, profile the bundled sample
#   make check    run all tests, some against TensorFlow in a virtual environment
#   make validate run what takes longer: 2,000 random profiles, known models, fuzzing, benchmarks
#                 (SECTIONS="fuzz speed": only these; see tools/validate)
#   make fuzz     fuzz every target for TIME=60 seconds of CPU time
#                 (TARGETS="text wire": only these; see tests/fuzz)
#   make bench    benchmark against TensorFlow's profiler (make bench-quick: two minutes)
#   make install  install to PREFIX (at first /usr/local), or below DESTDIR
#   make wheel    build a wheel for Python 3.9 and later, in dist
#   make deb      build a Debian package, in dist
#   make format   format the C code
#   make clean    remove build directories
#
# Meson and Ninja do the work; this file only calls them.

BUILD ?= build
CACHE ?= $(HOME)/.cache/tfprof
SAMPLE := examples/resnet/profile
export TFPROF_CACHE := $(CACHE)

.PHONY: all deps demo check validate fuzz bench bench-quick install wheel deb format clean

# PREFIX can be given to `make` or to `make install`; later calls keep it.
prefix_option = $(if $(PREFIX),--prefix="$$(realpath -m -- '$(PREFIX)')")

all: deps
	@test -d $(BUILD) || meson setup $(BUILD) $(prefix_option) -Dbench=true $(if $(CI),--werror)
	@ninja -C $(BUILD)

# Installs missing Debian packages, if any.
deps:
	@tools/install-deps build

demo: all
	@tools/demo $(BUILD)/tfprof $(SAMPLE)

check: all
	@tools/install-deps check
	@tools/check $(BUILD)

validate: all
	@tools/install-deps check
	@tools/install-deps bench
	@BUILD=$(BUILD) tools/validate $(SECTIONS)

fuzz:
	@tools/install-deps check
	@FUZZ_SECONDS=$(or $(TIME),60) FUZZ_TARGETS="$(TARGETS)" tools/validate fuzz

bench: all
	@tools/install-deps bench
	@bench/run --json $(BUILD)/bench.json

bench-quick: all
	@tools/install-deps bench
	@bench/run --quick

install: all
	@$(if $(PREFIX),meson configure $(BUILD) $(prefix_option))
	meson install -C $(BUILD)

wheel: deps
	@tools/install-deps wheel
	@tools/wheel

deb: deps
	@tools/install-deps deb
	@tools/deb

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(BUILD) build-clang build-asan build-tsan build-fuzz build-python build-deb
