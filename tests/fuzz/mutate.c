/* Changes messages so that they stay messages: somewhere in the tree of fields one is changed,
 * doubled or left out, and the lengths around it are corrected. Random bytes alone break
 * some length nearly always, and reach little more than the check for that.
 *
 * HEAD bytes before the message are choices of the target. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire_write.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MAX_DEPTH = 12 };

struct random {
	uint64_t state;
};

static size_t pick(struct random *r, size_t n)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)(r->state >> 33) % n : 0;
}

/* The i-th field: its bytes with tag and length. */
static struct span nth_field(struct span message, size_t i, struct wire_field *f)
{
	struct wire_reader r = wire_reader(message);
	const char *begin = r.at;

	while (wire_next(&r, f)) {
		if (!i--)
			return (struct span){begin, (size_t)(r.at - begin)};
		begin = r.at;
	}
	return (struct span){0};
}

static size_t count_fields(struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	size_t n = 0;

	while (wire_next(&r, &f))
		n++;
	return r.bad ? 0 : n;
}

static void put_mutated(struct buf *b, struct span bytes, size_t more)
{
	if (!(bytes.n + more))
		return;
	if (!buf_reserve(b, bytes.n + more))
		abort();
	if (bytes.n)
		memcpy(b->at + b->n, bytes.at, bytes.n);
	b->n += LLVMFuzzerMutate((uint8_t *)b->at + b->n, bytes.n, bytes.n + more);
}

static void put_number(struct buf *b, const struct wire_field *f, struct random *r)
{
	static const uint64_t numbers[] = {0, 1, 2, 127, 128, 1 << 20, UINT32_MAX, INT64_MAX,
		(uint64_t)INT64_MIN, UINT64_MAX};
	size_t i = pick(r, 16);
	uint64_t value = i < 10 ? numbers[i] : f->value + pick(r, 9) - 4;

	wire_put_varint(b, f->tag);
	wire_put_varint(b, value);
}

/* The field, changed; what is long becomes another message or other bytes. */
static void put_changed(struct buf *b, struct span whole, const struct wire_field *f,
	struct random *r, size_t more)
{
	if ((f->tag & 7) == WIRE_T_VARINT) {
		put_number(b, f, r);
	} else if ((f->tag & 7) == WIRE_T_LEN) {
		size_t open = wire_open(b, f->tag >> 3);

		put_mutated(b, f->bytes, more);
		wire_close(b, open);
	} else {
		put_mutated(b, whole, 0);
	}
}

/* From the message inwards, then outwards: `around` has what encloses the field. */
static void put_message(struct buf *b, struct span message, struct random *r, size_t more)
{
	struct {
		struct span message, field;
		size_t open;
	} around[MAX_DEPTH];
	struct wire_field f;
	size_t depth = 0;

	for (;;) {
		size_t n = count_fields(message);
		struct span field = nth_field(message, pick(r, n), &f);

		if (!n) {
			put_mutated(b, message, more);
			break;
		}
		buf_put(b, message.at, (size_t)(field.at - message.at));
		around[depth].message = message;
		around[depth].field = field;
		if ((f.tag & 7) == WIRE_T_LEN && f.bytes.n && count_fields(f.bytes) && pick(r, 8) &&
			depth + 1 < MAX_DEPTH) {
			around[depth++].open = wire_open(b, f.tag >> 3);
			message = f.bytes;
			continue;
		}
		switch (pick(r, 6)) {
		case 0: break;
		case 1:
			buf_span(b, field);
			buf_span(b, field);
			break;
		default: put_changed(b, field, &f, r, more);
		}
		buf_put(b, field.at + field.n,
			(size_t)(message.at + message.n - field.at - field.n));
		break;
	}
	while (depth--) {
		struct span in = around[depth].message, field = around[depth].field;

		wire_close(b, around[depth].open);
		buf_put(b, field.at + field.n, (size_t)(in.at + in.n - field.at - field.n));
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct random r = {seed};
	struct buf b = {0};

	if (size <= HEAD || pick(&r, 8) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	if (pick(&r, 8) == 0) {
		LLVMFuzzerMutate(data, HEAD, HEAD);
		return size;
	}
	put_message(&b, (struct span){(const char *)data + HEAD, size - HEAD}, &r,
		max_size > size ? (max_size - size) % 4096 : 0);
	if (!b.failed && b.n <= max_size - HEAD) {
		if (b.n)
			memcpy(data + HEAD, b.at, b.n);
		size = b.n + HEAD;
	}
	buf_clear(&b);
	return size;
}
