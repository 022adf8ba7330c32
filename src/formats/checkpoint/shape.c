#include "formats/checkpoint/shape.h"

#include "base/sort.h"
#include "proto/tensor_shape.h"

/* Number of times a field occurs. */
static size_t count_fields(struct decoder *d, struct span message, uint32_t tag)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	size_t n = 0;

	while (decoder_find(d, &r, tag, &f))
		n++;
	return n;
}

/* Multiplies the dimensions; false on overflow. With a dimension of 0 the product is
 * 0, whatever the others. */
static bool count_elements(struct tensor_shape *shape)
{
	uint64_t n = 1;
	bool fits = true, empty = false;

	for (uint32_t i = 0; i < shape->rank; i++) {
		empty |= shape->dims[i] == 0;
		fits &= !__builtin_mul_overflow(n, (uint64_t)shape->dims[i], &n);
	}
	shape->n_elements = empty ? 0 : n;
	return (fits && n <= INT64_MAX) || empty;
}

struct tensor_shape shape_read(struct decoder *d, struct span message, struct arena *arena)
{
	size_t n = count_fields(d, message, WIRE_LEN(TENSOR_SHAPE_DIM));
	int64_t *sizes = n <= UINT32_MAX ? arena_array(arena, n, sizeof(*sizes)) : NULL;
	struct tensor_shape shape = {.dims = sizes};
	struct tensor_dims dims = tensor_dims(message);
	struct tensor_dim dim;
	bool ok = true;

	if (!decoder_alloc(d, sizes))
		return shape;
	while (tensor_dims_next(d, &dims, &dim)) {
		ok &= dim.size >= 0;
		sizes[shape.rank++] = dim.size;
	}
	if (!ok || dims.unknown_rank || !count_elements(&shape))
		decoder_fail(d, message.at);
	return shape;
}

static struct extent read_extent(struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct extent e = {0, -1};

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_VARINT(TENSOR_SLICE_EXTENT_START): e.start = (int64_t)f.value; break;
		case WIRE_VARINT(TENSOR_SLICE_EXTENT_LENGTH): e.length = (int64_t)f.value; break;
		}
	return e;
}

static bool extent_fits(const struct extent *e, int64_t dim)
{
	if (e->start < 0 || e->length < -1)
		return false;
	return e->length < 0 ? e->start == 0 : e->start <= dim && e->length <= dim - e->start;
}

struct extent *shape_read_slice(struct decoder *d, struct span message, struct arena *arena,
	const struct tensor_shape *shape)
{
	struct wire_reader r = wire_reader(message);
	struct extent *slice = arena_array(arena, shape->rank, sizeof(*slice));
	struct wire_field f;
	uint32_t i = 0;

	if (count_fields(d, message, WIRE_LEN(TENSOR_SLICE_EXTENT)) != shape->rank)
		decoder_fail(d, message.at);
	if (!decoder_alloc(d, slice) || d->failed)
		return NULL;
	while (decoder_find(d, &r, WIRE_LEN(TENSOR_SLICE_EXTENT), &f)) {
		slice[i] = read_extent(d, f.bytes);
		if (!extent_fits(&slice[i], shape->dims[i]))
			decoder_fail(d, f.bytes.at);
		i++;
	}
	return slice;
}

void shape_resolve(const struct tensor_shape *shape, struct extent *slice)
{
	for (uint32_t i = 0; i < shape->rank; i++)
		if (slice[i].length < 0)
			slice[i].length = shape->dims[i];
}

/* Keys are encoded so that their byte order is the order of their values: a number is
 * its length followed by its bytes, most significant first. */
static void put_number(struct buf *key, uint64_t value)
{
	unsigned n = value ? (71 - (unsigned)__builtin_clzll(value)) / 8 : 0;

	buf_char(key, (char)n);
	while (n)
		buf_char(key, (char)(value >> 8 * --n));
}

/* A string ends in 0 1, so 0 and 255 in it are escaped. */
static void put_string(struct buf *key, struct span text)
{
	for (size_t i = 0; i < text.n; i++) {
		buf_char(key, text.at[i]);
		if (text.at[i] == '\0')
			buf_char(key, '\xff');
		else if (text.at[i] == '\xff')
			buf_char(key, '\0');
	}
	buf_put(key, "\0\1", 2);
}

/* A signed number of n bytes starts with n one bits, or n zero bits if negative; then
 * the opposite bit, then as many bits of the value as fit. */
static void put_signed(struct buf *key, int64_t value)
{
	uint64_t magnitude = value < 0 ? ~(uint64_t)value : (uint64_t)value;
	unsigned bits = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
	unsigned n = bits / 7 + 1;
	unsigned char bytes[10], header[2];

	for (unsigned i = 0; i < n; i++) {
		unsigned shift = 8 * (n - 1 - i);

		bytes[i] = (unsigned char)(shift < 64 ? value >> shift : value >> 63);
	}
	header[0] = n < 8 ? (unsigned char)(0xff00 >> n) : 0xff;
	header[1] = n > 8 ? (unsigned char)(0xff00 >> (n - 8)) : 0;
	bytes[0] ^= header[0];
	if (n > 1)
		bytes[1] ^= header[1];
	buf_put(key, bytes, n);
}

void shape_slice_key(struct buf *key, struct span name, uint32_t rank, const struct extent *slice)
{
	put_number(key, 0);
	put_string(key, name);
	put_number(key, rank);
	for (uint32_t i = 0; i < rank; i++) {
		put_signed(key, slice[i].start);
		put_signed(key, slice[i].length);
	}
}

void box_init(struct box *box, const struct tensor_shape *shape, const struct extent *extents)
{
	uint32_t inner = shape->rank;

	*box = (struct box){shape, extents, 0, 1, 1};
	/* A run spans the trailing whole dimensions and the one before them. */
	while (inner && extents[inner - 1].length == shape->dims[inner - 1])
		inner--;
	box->outer = inner ? inner - 1 : 0;
	for (uint32_t i = 0; i < shape->rank; i++) {
		uint64_t *product = i < box->outer ? &box->n_runs : &box->run_length;

		*product *= (uint64_t)extents[i].length;
	}
}

uint64_t box_run_start(const struct box *box, uint64_t run)
{
	uint64_t start = 0, stride = 1;

	for (uint32_t i = box->shape->rank; i--;) {
		uint64_t at = (uint64_t)box->extents[i].start;

		if (i < box->outer) {
			at += run % (uint64_t)box->extents[i].length;
			run /= (uint64_t)box->extents[i].length;
		}
		start += at * stride;
		stride *= (uint64_t)box->shape->dims[i];
	}
	return start;
}

uint64_t box_find_run(const struct box *box, uint64_t element)
{
	uint64_t low = 0;

	sort_search(low, box->n_runs, i, box_run_start(box, i) + box->run_length <= element);
	return low;
}
