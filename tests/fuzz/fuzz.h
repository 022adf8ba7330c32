/* What fuzz targets share. */
#ifndef TFPROF_TESTS_FUZZ_H
#define TFPROF_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check(bool truth)
{
	if (!truth)
		abort();
}

#endif
