# The front door: everything a newcomer needs is one of these words.
#
#   make          build build/tfprof and build/libtfprof.so
#   make demo     install what is missing, build, profile the bundled sample
#   make check    all tests, those against TensorFlow in a virtual environment
#   make bench    measure against the original (make bench-quick: two minutes)
#   make install  to PREFIX (default /usr/local)
#   make clean    remove what was built
#
# Meson and Ninja do the building; this file only calls them.

BUILD ?= build
PREFIX ?= /usr/local
CACHE ?= $(HOME)/.cache/tfprof
SAMPLE := examples/resnet/profile
export TFPROF_CACHE := $(CACHE)

.PHONY: all deps demo check bench bench-quick install format clean

all: deps
	@test -d $(BUILD) || meson setup $(BUILD) --prefix=$(PREFIX) -Dbench=true $(if $(CI),--werror)
	@ninja -C $(BUILD)

# Debian packages that are missing, nothing if none are.
deps:
	@tools/install-deps build

demo: all
	@tools/demo $(BUILD)/tfprof $(SAMPLE)

check: all
	@tools/install-deps check
	@tools/check $(BUILD)

bench: all
	@tools/install-deps bench
	@bench/run --json $(BUILD)/bench.json

bench-quick: all
	@tools/install-deps bench
	@bench/run --quick

install: all
	meson install -C $(BUILD)

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf $(BUILD) build-clang build-asan build-tsan build-python
