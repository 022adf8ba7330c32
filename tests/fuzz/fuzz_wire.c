/* Any bytes as a message: the reader stays inside them, stops, and tells where;
 * telling what kind of file they are stays inside them too. What the reader
 * takes, the writer writes again to the same meaning. */
#include <string.h>

#include "fuzz.h"

#include "load/recognize.h"
#include "proto/wire.h"
#include "proto/wire_write.h"

static void check_inside(struct span part, struct span whole)
{
	check(part.at >= whole.at && part.n <= whole.n &&
		(size_t)(part.at - whole.at) <= whole.n - part.n);
}

/* Writes a field unchanged; groups are omitted. */
static void put_again(struct buf *b, const struct wire_field *f)
{
	switch (f->tag & 7) {
	case WIRE_T_VARINT: wire_put_int(b, f->tag >> 3, (int64_t)f->value); break;
	case WIRE_T_LEN: {
		size_t open = wire_open(b, f->tag >> 3);

		buf_span(b, f->bytes);
		wire_close(b, open);
		break;
	}
	case WIRE_T_I64:
	case WIRE_T_I32:
		wire_put_varint(b, f->tag);
		buf_put(b, &f->value, (f->tag & 7) == WIRE_T_I64 ? 8 : 4);
		break;
	}
}

static void check_same(struct span once, struct span again)
{
	struct wire_reader a = wire_reader(once), b = wire_reader(again);
	struct wire_field f, g;

	while (wire_next(&a, &f)) {
		if ((f.tag & 7) == WIRE_T_START)
			continue;
		check(wire_next(&b, &g) && f.tag == g.tag);
		if ((f.tag & 7) == WIRE_T_LEN)
			check(span_equal(f.bytes, g.bytes));
		else
			check(f.value == g.value);
	}
	check(!wire_next(&b, &g) && !b.bad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span whole = {(const char *)data, size};
	struct wire_reader r = wire_reader(whole);
	struct wire_field f;
	struct buf again = {0};
	const char *at = r.at, *bad;
	uint64_t value;

	while (wire_next(&r, &f)) {
		check(r.at > at && r.at <= r.end);
		at = r.at;
		if ((f.tag & 7) == WIRE_T_LEN || (f.tag & 7) == WIRE_T_START) {
			struct wire_reader packed = wire_reader(f.bytes);

			check_inside(f.bytes, whole);
			while (wire_packed_next(&packed, &value))
				;
			check(!packed.bad ||
				(packed.bad >= f.bytes.at && packed.bad < f.bytes.at + f.bytes.n));
		}
		put_again(&again, &f);
	}
	check(r.at == r.end);
	check(!r.bad || (r.bad >= whole.at && r.bad <= whole.at + whole.n));
	check(wire_check(whole, &bad) == !r.bad && bad == r.bad);
	check(!again.failed);
	check_same(whole, buf_get(&again));
	buf_clear(&again);
	check(recognize(whole).name != NULL);
	return 0;
}
