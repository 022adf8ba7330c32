#include "formats/hdf5.h"

#include "base/buf.h"
#include "proto/fields.h"

enum {
	MESSAGE_DATASPACE = 0x01,
	MESSAGE_DATATYPE = 0x03,
	MESSAGE_ATTRIBUTE = 0x0c,
	MESSAGE_CONTINUATION = 0x10,
	MESSAGE_SYMBOL_TABLE = 0x11,
	CLASS_INTEGER = 0,
	CLASS_FLOAT = 1,
	CLASS_STRING = 3,
	CLASS_OPAQUE = 5,
	CLASS_ENUM = 8,
	CLASS_VARIABLE = 9,
};

struct pending {
	uint64_t header;
	struct span path;
};

struct walker {
	struct hdf5_file *file;
	struct span bytes;
	VEC(struct pending) stack;
	size_t budget;      /* headers, blocks and nodes still to be visited */
	size_t heap_budget; /* likewise, objects of heaps */
	const char *problem;
	uint64_t at; /* where */
};

static bool fail(struct walker *w, const char *problem, uint64_t at)
{
	if (!w->problem) {
		w->problem = problem;
		w->at = at;
	}
	return false;
}

/* n bytes at an address, or NULL. */
static const unsigned char *get(struct walker *w, uint64_t at, uint64_t n)
{
	if (at > w->bytes.n || n > w->bytes.n - at) {
		fail(w, "cut short, or an address beyond its end", at);
		return NULL;
	}
	return (const unsigned char *)w->bytes.at + at;
}

static uint64_t number(const unsigned char *p, int n)
{
	uint64_t value = 0;

	while (n-- > 0)
		value = value << 8 | p[n];
	return value;
}

static bool spend(struct walker *w, uint64_t at)
{
	return w->budget-- > 1 || fail(w, "more objects than it has room for", at);
}

/* ---- types and values ----------------------------------------------------------- */

static int dtype_of(const unsigned char *p, size_t n)
{
	uint32_t size;

	if (n < 8)
		return 0;
	size = (uint32_t)number(p + 4, 4);
	switch (p[0] & 15) {
	case CLASS_INTEGER:
		if (p[1] & 8)
			return size == 1    ? DT_INT8
				: size == 2 ? DT_INT16
				: size == 4 ? DT_INT32
					    : DT_INT64;
		return size == 1    ? DT_UINT8
			: size == 2 ? DT_UINT16
			: size == 4 ? DT_UINT32
				    : DT_UINT64;
	case CLASS_FLOAT:
		if (size == 2)
			return n >= 14 && p[13] == 8 ? DT_BFLOAT16 : DT_HALF;
		return size == 4 ? DT_FLOAT : size == 8 ? DT_DOUBLE : 0;
	case CLASS_OPAQUE: return size == 2 ? DT_BFLOAT16 : 0;
	case CLASS_ENUM: return size == 1 ? DT_BOOL : 0;
	default: return 0;
	}
}

static void read_space(struct hdf5_object *o, const unsigned char *p, size_t n)
{
	int version = n ? p[0] : 0, rank = n > 1 ? p[1] : 0;
	size_t at = version == 1 ? 8 : 4;

	o->rank = rank > HDF5_MAX_RANK || at + 8 * (size_t)rank > n ? -1 : rank;
	for (int i = 0; i < o->rank; i++) {
		uint64_t size = number(p + at + 8 * (size_t)i, 8);

		o->dims[i] = size > INT64_MAX ? INT64_MAX : (int64_t)size;
	}
}

/* A text in the global heap: its object of this index. */
static struct span read_heap(struct walker *w, uint64_t heap, uint32_t index, uint32_t length)
{
	const unsigned char *p = get(w, heap, 16);
	uint64_t at = 16, size;
	struct span none = {"", 0};

	if (!p || memcmp(p, "GCOL", 4) != 0)
		return none;
	size = number(p + 8, 8);
	while (at + 16 <= size) {
		const unsigned char *item = get(w, heap + at, 16);
		uint64_t n;

		if (!item || !number(item, 2) || !w->heap_budget--)
			return none;
		n = number(item + 8, 8);
		if (number(item, 2) == index) {
			const unsigned char *text = get(w, heap + at + 16, length);

			return text && n >= length ? (struct span){(const char *)text, length}
						   : none;
		}
		if (n > size)
			return none;
		at += 16 + (n + 7) / 8 * 8;
	}
	return none;
}

static struct span without_zeros(struct span text)
{
	while (text.n && !text.at[text.n - 1])
		text.n--;
	return text;
}

/* The text an attribute holds; empty if it is none. */
static struct span text_of(struct walker *w, const unsigned char *type, size_t type_n,
	const unsigned char *data, size_t n)
{
	struct span none = {"", 0};
	uint32_t size;

	if (type_n < 8)
		return none;
	size = (uint32_t)number(type + 4, 4);
	if ((type[0] & 15) == CLASS_STRING && size <= n)
		return without_zeros((struct span){(const char *)data, size});
	if ((type[0] & 15) == CLASS_VARIABLE && n >= 16)
		return read_heap(w, number(data + 4, 8), (uint32_t)number(data + 12, 4),
			(uint32_t)number(data, 4));
	return none;
}

static size_t padded(size_t n, int version)
{
	return version == 1 ? (n + 7) / 8 * 8 : n;
}

static void read_attribute(struct walker *w, struct hdf5_object *o, const unsigned char *p,
	size_t n)
{
	int version = n ? p[0] : 0;
	size_t name_n, type_n, space_n, at = version == 3 ? 9 : 8, type, data;
	struct span name, text;

	if (n < 9 || version < 1 || version > 3)
		return;
	name_n = (size_t)number(p + 2, 2);
	type_n = (size_t)number(p + 4, 2);
	space_n = (size_t)number(p + 6, 2);
	type = at + padded(name_n, version);
	data = type + padded(type_n, version) + padded(space_n, version);
	if (data > n)
		return;
	name = without_zeros((struct span){(const char *)p + at, name_n});
	if (span_equal(name, SPAN("name")) || !o->path.n) {
		text = text_of(w, p + type, type_n, p + data, n - data);
		if (span_equal(name, SPAN("name")))
			o->name = text;
		if (!o->path.n && span_equal(name, SPAN("model_config")))
			w->file->model_config = text;
		if (!o->path.n && span_equal(name, SPAN("keras_version")))
			w->file->keras_version = text;
	}
}

/* ---- groups --------------------------------------------------------------------- */

static struct span join(struct walker *w, struct span path, struct span name)
{
	struct buf b = {0};
	struct span joined;

	buf_span(&b, path);
	if (path.n)
		buf_char(&b, '/');
	buf_span(&b, name);
	joined = arena_copy(&w->file->arena, buf_get(&b));
	if (b.failed || !joined.at)
		fail(w, NULL, 0);
	buf_clear(&b);
	return joined;
}

static bool push_entries(struct walker *w, uint64_t node, uint64_t names, uint64_t names_n,
	struct span path)
{
	const unsigned char *p = get(w, node, 8);
	uint64_t n;

	if (!p || memcmp(p, "SNOD", 4) != 0)
		return fail(w, "no symbol table node", node);
	n = number(p + 6, 2);
	p = get(w, node + 8, n * 40);
	for (uint64_t i = 0; p && i < n; i++) {
		uint64_t offset = number(p + i * 40, 8);
		const unsigned char *name = offset < names_n ? get(w, names + offset, 1) : NULL;
		const unsigned char *end = name && names_n - offset <= w->bytes.n - (names + offset)
			? memchr(name, 0, names_n - offset)
			: NULL;
		struct pending next = {.header = number(p + i * 40 + 8, 8)};

		if (!end || path.n + (size_t)(end - name) > HDF5_MAX_PATH)
			return fail(w, "no name of an object", node);
		next.path = join(w, path, (struct span){(const char *)name, (size_t)(end - name)});
		if (w->problem || !next.path.at || !vec_push(&w->stack, next))
			return fail(w, w->problem, node);
	}
	return p != NULL;
}

/* The B-tree of a group, whose leaves are symbol table nodes. */
static bool read_group(struct walker *w, uint64_t tree, uint64_t heap, struct span path)
{
	const unsigned char *h = get(w, heap, 32);
	uint64_t names, names_n;
	VEC(uint64_t) nodes = {0};
	bool ok = h && memcmp(h, "HEAP", 4) == 0;

	if (!ok)
		return fail(w, "no heap of names", heap);
	names_n = number(h + 8, 8);
	names = number(h + 24, 8);
	ok = vec_push(&nodes, tree);
	while (ok && nodes.n) {
		uint64_t at = nodes.at[--nodes.n], n;
		const unsigned char *p = get(w, at, 24);

		ok = p && spend(w, at);
		if (ok && memcmp(p, "SNOD", 4) == 0) {
			ok = push_entries(w, at, names, names_n, path);
			continue;
		}
		if (!ok || memcmp(p, "TREE", 4) != 0 || p[4] != 0) {
			ok = fail(w, "no node of a group", at);
			break;
		}
		n = number(p + 6, 2);
		p = get(w, at + 24, n * 16 + 8);
		ok = p != NULL;
		for (uint64_t i = n; ok && i-- > 0;)
			ok = vec_push(&nodes, number(p + i * 16 + 8, 8));
	}
	vec_clear(&nodes);
	return ok;
}

/* ---- object headers ------------------------------------------------------------- */
struct block {
	uint64_t at, n;
};

static bool read_message(struct walker *w, struct hdf5_object *o, int type, const unsigned char *p,
	size_t n, struct block *more, size_t *n_more)
{
	switch (type) {
	case MESSAGE_DATASPACE:
		o->is_dataset = true;
		read_space(o, p, n);
		break;
	case MESSAGE_DATATYPE: o->dtype = dtype_of(p, n); break;
	case MESSAGE_ATTRIBUTE: read_attribute(w, o, p, n); break;
	case MESSAGE_CONTINUATION:
		if (n >= 16 && *n_more < 64)
			more[(*n_more)++] = (struct block){number(p, 8), number(p + 8, 8)};
		break;
	case MESSAGE_SYMBOL_TABLE:
		return n < 16 || read_group(w, number(p, 8), number(p + 8, 8), o->path);
	}
	return true;
}

static bool read_header(struct walker *w, struct pending next)
{
	struct hdf5_object o = {.path = next.path};
	const unsigned char *p = get(w, next.header, 16);
	struct block blocks[64];
	size_t n_blocks = 1;

	if (!p)
		return false;
	if (p[0] != 1)
		return fail(w, "an object header of a version that Keras does not write",
			next.header);
	blocks[0] = (struct block){next.header + 16, number(p + 8, 4)};
	for (size_t i = 0; i < n_blocks; i++) {
		uint64_t at = 0;

		if (!spend(w, blocks[i].at))
			return false;
		while (at + 8 <= blocks[i].n) {
			const unsigned char *m = get(w, blocks[i].at + at, 8);
			uint64_t n = m ? number(m + 2, 2) : 0;
			const unsigned char *data = m ? get(w, blocks[i].at + at + 8, n) : NULL;

			if (!data || n > blocks[i].n - at - 8)
				return fail(w, "a message beyond its block", blocks[i].at + at);
			if (!read_message(w, &o, (int)number(m, 2), data, (size_t)n, blocks,
				    &n_blocks))
				return false;
			at += 8 + n;
		}
	}
	return vec_push(&w->file->objects, o) || fail(w, NULL, 0);
}

enum tfprof_status hdf5_read(struct hdf5_file *f, struct span bytes, struct tfprof_error *err)
{
	struct walker w = {.file = f,
		.bytes = bytes,
		.budget = bytes.n / 16 + 16,
		.heap_budget = bytes.n + 100000};
	struct pending root = {.path = {"", 0}};
	const unsigned char *p = get(&w, 0, 96);
	bool ok = p != NULL;

	*f = (struct hdf5_file){0};
	if (p && (memcmp(p, "\x89HDF\r\n\x1a\n", 8) != 0 || p[8] != 0 || p[13] != 8 || p[14] != 8))
		ok = fail(&w, "an HDF5 superblock of a version that Keras does not write", 8);
	if (ok) {
		root.header = number(p + 64, 8);
		ok = vec_push(&w.stack, root);
	}
	while (ok && w.stack.n) {
		struct pending next = w.stack.at[--w.stack.n];

		ok = spend(&w, next.header) && read_header(&w, next);
	}
	vec_clear(&w.stack);
	if (ok)
		return TFPROF_OK;
	if (!w.problem)
		return error_no_memory(err);
	return error_set(err, TFPROF_FORMAT, "%s (byte %llu of %zu)", w.problem,
		(unsigned long long)w.at, bytes.n);
}

void hdf5_clear(struct hdf5_file *f)
{
	vec_clear(&f->objects);
	arena_clear(&f->arena);
}
