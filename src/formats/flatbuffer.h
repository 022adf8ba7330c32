/* Reads FlatBuffers in place. Everything is checked: what is absent, or beyond the end, is
 * 0 or empty, so that a reader needs no other checks.
 *
 *     table: at `at`, the distance back to its vtable; that has an offset for each slot
 */
#ifndef TFPROF_FORMATS_FLATBUFFER_H
#define TFPROF_FORMATS_FLATBUFFER_H

#include <stdint.h>

#include "base/span.h"

struct fb_table {
	struct span bytes; /* the whole file */
	uint32_t at;       /* 0: absent */
};

struct fb_vector {
	struct span bytes;
	uint32_t first, n; /* where its items are, and how many */
};

static inline uint64_t fb_number(struct span bytes, uint64_t at, int size)
{
	uint64_t value = 0;

	if (at > bytes.n || (uint64_t)size > bytes.n - at)
		return 0;
	for (int i = size; i-- > 0;)
		value = value << 8 | (unsigned char)bytes.at[at + (uint64_t)i];
	return value;
}

static inline struct fb_table fb_root(struct span bytes)
{
	return (struct fb_table){bytes, (uint32_t)fb_number(bytes, 0, 4)};
}

/* Where the field of a slot is; 0 if the table does not have it. */
static inline uint32_t fb_field(struct fb_table t, unsigned slot)
{
	int64_t vtable = (int64_t)t.at - (int32_t)fb_number(t.bytes, t.at, 4);
	uint64_t size, offset;

	if (!t.at || vtable < 0 || (uint64_t)vtable > t.bytes.n)
		return 0;
	size = fb_number(t.bytes, (uint64_t)vtable, 2);
	if (4 + 2 * slot + 2 > size)
		return 0;
	offset = fb_number(t.bytes, (uint64_t)vtable + 4 + 2 * slot, 2);
	return offset && t.at + offset < t.bytes.n ? (uint32_t)(t.at + offset) : 0;
}

static inline int64_t fb_int(struct fb_table t, unsigned slot, int size, int64_t otherwise)
{
	uint32_t at = fb_field(t, slot);
	uint64_t value = fb_number(t.bytes, at, size);

	if (!at)
		return otherwise;
	return size == 1 ? (int8_t)value : size == 4 ? (int32_t)value : (int64_t)value;
}

static inline struct fb_table fb_get(struct fb_table t, unsigned slot)
{
	uint32_t at = fb_field(t, slot);
	uint64_t to = at ? at + fb_number(t.bytes, at, 4) : 0;

	return (struct fb_table){t.bytes, to < t.bytes.n ? (uint32_t)to : 0};
}

static inline struct fb_vector fb_vector(struct fb_table t, unsigned slot, uint32_t item_size)
{
	struct fb_table to = fb_get(t, slot);
	uint64_t n = fb_number(t.bytes, to.at, 4);

	if (!to.at || n > (t.bytes.n - to.at - 4) / item_size)
		return (struct fb_vector){t.bytes, 0, 0};
	return (struct fb_vector){t.bytes, to.at + 4, (uint32_t)n};
}

static inline struct fb_table fb_item(struct fb_vector v, uint32_t i)
{
	uint64_t at = v.first + 4 * (uint64_t)i, to = at + fb_number(v.bytes, at, 4);

	return (struct fb_table){v.bytes, i < v.n && to < v.bytes.n ? (uint32_t)to : 0};
}

static inline int32_t fb_int32(struct fb_vector v, uint32_t i)
{
	return i < v.n ? (int32_t)fb_number(v.bytes, v.first + 4 * (uint64_t)i, 4) : 0;
}

static inline struct span fb_bytes(struct fb_table t, unsigned slot)
{
	struct fb_vector v = fb_vector(t, slot, 1);

	return v.n ? (struct span){v.bytes.at + v.first, v.n} : (struct span){"", 0};
}

#endif
