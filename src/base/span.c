#include "base/span.h"

#include <stdint.h>

#include "base/mem.h"

char *span_copy(struct span text)
{
	char *copy = text.n == SIZE_MAX ? NULL : mem_alloc(text.n + 1);

	if (!copy)
		return NULL;
	if (text.n)
		memcpy(copy, text.at, text.n);
	copy[text.n] = '\0';
	return copy;
}
