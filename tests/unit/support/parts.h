/* How many parts work is split into from now on, however little it is. */
#ifndef TFPROF_TESTS_PARTS_H
#define TFPROF_TESTS_PARTS_H

#include <stdio.h>
#include <stdlib.h>

static inline void use_parts(size_t n)
{
	char text[8];

	snprintf(text, sizeof(text), "%zu", n);
	setenv("TFPROF_TEST_PARTS", text, 1);
}

#endif
