#include "model/lanes.h"

#include "base/mem.h"

void lanes_clear(struct lanes *l)
{
	mem_free(l->ends);
	*l = (struct lanes){0};
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void set_end(struct lanes *l, size_t lane, int64_t end)
{
	size_t i = l->cap + lane;

	l->ends[i] = end;
	for (i /= 2; i; i /= 2)
		l->ends[i] = least(l->ends[2 * i], l->ends[2 * i + 1]);
}

static bool grow(struct lanes *l)
{
	size_t cap = l->cap ? 2 * l->cap : 16;
	int64_t *ends = mem_array(cap, 2 * sizeof(*ends));

	if (!ends)
		return false;
	for (size_t i = 0; i < cap; i++)
		ends[cap + i] = i < l->n ? l->ends[l->cap + i] : INT64_MAX;
	for (size_t i = cap - 1; i; i--)
		ends[i] = least(ends[2 * i], ends[2 * i + 1]);
	mem_free(l->ends);
	l->ends = ends;
	l->cap = cap;
	return true;
}

uint32_t lanes_add(struct lanes *l, int64_t end)
{
	if (l->n == LANES_NONE || (l->n == l->cap && !grow(l)))
		return LANES_NONE;
	set_end(l, l->n, end);
	return (uint32_t)l->n++;
}

uint32_t lanes_take(struct lanes *l, int64_t before, int64_t end)
{
	size_t i = 1;

	/* Places without a lane never end, so they are never found. */
	if (!l->cap || l->ends[1] >= before)
		return lanes_add(l, end);
	while (i < l->cap)
		i = 2 * i + (l->ends[2 * i] >= before);
	set_end(l, i - l->cap, end);
	return (uint32_t)(i - l->cap);
}
