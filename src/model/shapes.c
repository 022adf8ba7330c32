#include "model/shapes.h"

struct probe {
	const struct shapes *shapes;
	const int64_t *dims;
	size_t n;
};

static bool same_dims(const void *context, uint32_t id)
{
	const struct probe *p = context;
	const struct shape *shape = &p->shapes->at.at[id];

	return shape->n == p->n &&
		(!p->n || memcmp(shape->dims, p->dims, p->n * sizeof(*p->dims)) == 0);
}

static void count_elements(struct shape *shape)
{
	int64_t product = 1;

	if (shape->n == 0)
		return;
	for (uint32_t i = 0; i < shape->n; i++) {
		if (shape->dims[i] < 0)
			return;
		if (shape->dims[i] == 0)
			product = 0;
	}
	for (uint32_t i = 0; product && i < shape->n; i++)
		if (__builtin_mul_overflow(product, shape->dims[i], &product)) {
			product = INT64_MAX;
			shape->saturated = true;
			break;
		}
	shape->elements = product;
}

uint32_t shapes_add_hashed(struct shapes *s, const int64_t *dims, size_t n, uint64_t hash)
{
	struct probe probe = {s, dims, n};
	uint32_t id = hash_find(&s->index, hash, same_dims, &probe);
	struct shape shape = {0};
	int64_t *copy;

	if (id != NONE)
		return id;
	if (n > UINT32_MAX / sizeof(*dims) || s->at.n >= NONE - 1)
		return NONE;
	copy = arena_array(&s->arena, n, sizeof(*dims));
	if (!copy)
		return NONE;
	if (n)
		memcpy(copy, dims, n * sizeof(*dims));
	shape.dims = copy;
	shape.n = (uint32_t)n;
	count_elements(&shape);
	id = (uint32_t)s->at.n;
	if (!vec_reserve(&s->at, 1) || !hash_add(&s->index, hash, id))
		return NONE;
	s->at.at[s->at.n++] = shape;
	return id;
}

uint32_t shapes_add(struct shapes *s, const int64_t *dims, size_t n)
{
	return shapes_add_hashed(s, dims, n, shapes_hash(dims, n));
}

bool shapes_init(struct shapes *s)
{
	int64_t none = 0;

	*s = (struct shapes){0};
	return shapes_add(s, &none, 0) == 0;
}

void shapes_clear(struct shapes *s)
{
	vec_clear(&s->at);
	hash_clear(&s->index);
	arena_clear(&s->arena);
}

void shape_put(struct buf *b, const struct shape *shape)
{
	for (uint32_t i = 0; i < shape->n; i++) {
		if (i)
			buf_char(b, 'x');
		buf_int(b, shape->dims[i]);
	}
}
