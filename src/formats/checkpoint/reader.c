#include "formats/checkpoint/part_reader.h"

enum tfprof_status checkpoint_reader_open(struct checkpoint_reader *r,
	const struct checkpoint *ckpt, const struct checkpoint_tensor *tensor, bool whole,
	struct tfprof_error *err)
{
	const struct part *parts = ckpt->parts.at + tensor->first_part;
	uint64_t n = 0;

	*r = (struct checkpoint_reader){
		.ckpt = ckpt,
		.tensor = tensor,
		.type = dtype_get(tensor->dtype),
		.whole = whole,
		.cursor_file = SIZE_MAX,
	};
	if (r->type->kind == DTYPE_OPAQUE || (ckpt->is_v1 && !saved_slices_field(tensor->dtype)))
		return error_set(err, TFPROF_UNSUPPORTED,
			"%.400s: tensor '%.*s': its type, %s (%u), cannot be shown", ckpt->path,
			ERROR_SPAN(tensor->name), r->type->name, tensor->dtype);
	for (size_t i = 0; i < tensor->n_parts; i++)
		if (__builtin_add_overflow(n, parts[i].n_elements, &n))
			n = UINT64_MAX;
	if (n != tensor->shape.n_elements)
		return checkpoint_tensor_error(err, TFPROF_FORMAT, ckpt->path, tensor->name,
			"its slices do not cover its shape");
	r->parts = arena_zero(&r->arena, tensor->n_parts, sizeof(*r->parts));
	if (!r->parts) {
		arena_clear(&r->arena);
		return error_no_memory(err);
	}
	for (size_t i = 0; i < tensor->n_parts; i++) {
		r->parts[i].part = &parts[i];
		box_init(&r->parts[i].box, &tensor->shape, parts[i].extents);
	}
	return TFPROF_OK;
}

void checkpoint_reader_close(struct checkpoint_reader *r)
{
	table_end(&r->cursor);
	mem_free(r->values);
	arena_clear(&r->arena);
}

/* The range of the tensor to read, and which of its elements have been read. */
struct range {
	uint64_t first, n;
	uint64_t n_filled;
	unsigned char *filled; /* a bit per element; NULL if there is only one part */
};

/* False if an element has already been read. */
static bool mark(struct range *range, uint64_t at, uint64_t n)
{
	range->n_filled += n;
	if (!range->filled)
		return true;
	for (; n; at++, n--) {
		unsigned char bit = (unsigned char)(1 << (at & 7));

		if (range->filled[at / 8] & bit)
			return false;
		range->filled[at / 8] |= bit;
	}
	return true;
}

static bool overlaps(const struct part_reader *p, const struct range *range)
{
	uint64_t run;

	if (!p->part->n_elements)
		return false;
	run = box_find_run(&p->box, range->first);
	return run < p->box.n_runs && box_run_start(&p->box, run) < range->first + range->n;
}

static enum tfprof_status fill(struct checkpoint_reader *r, struct part_reader *p,
	struct range *range, struct tfprof_error *err)
{
	uint64_t end = range->first + range->n, length = p->box.run_length;
	enum tfprof_status status;

	for (uint64_t run = box_find_run(&p->box, range->first); run < p->box.n_runs; run++) {
		uint64_t start = box_run_start(&p->box, run), from, to;

		if (start >= end)
			break;
		from = start > range->first ? start : range->first;
		to = start + length < end ? start + length : end;
		if (!mark(range, from - range->first, to - from))
			return checkpoint_tensor_error(err, TFPROF_FORMAT, r->ckpt->path,
				r->tensor->name, "its slices overlap");
		status = part_reader_read(p, r, run * length + (from - start), to - from, r->values,
			(size_t)(from - range->first), err);
		if (status != TFPROF_OK)
			return status;
	}
	return TFPROF_OK;
}

/* Allocates the values. Parts are prepared by now, which bounds the size by that of
 * the file. */
static enum tfprof_status reserve(struct checkpoint_reader *r, struct range *range,
	struct tfprof_error *err)
{
	size_t size;

	if (__builtin_mul_overflow(range->n, dtype_value_size(r->type->kind), &size))
		return error_no_memory(err);
	if (!mem_grow(&r->values, &r->values_cap, 0, size, 1))
		return error_no_memory(err);
	if (r->tensor->n_parts > 1) {
		range->filled = mem_zero((size_t)(range->n / 8 + 1));
		if (!range->filled)
			return error_no_memory(err);
	}
	return TFPROF_OK;
}

enum tfprof_status checkpoint_read(struct checkpoint_reader *r, uint64_t first, uint64_t count,
	struct checkpoint_values *values, struct tfprof_error *err)
{
	uint64_t n = r->tensor->shape.n_elements;
	struct range range = {.first = first < n ? first : n};
	size_t n_parts = r->tensor->n_parts;
	enum tfprof_status status = TFPROF_OK;

	range.n = count < n - range.first ? count : n - range.first;
	/* A tensor without elements still has a checksum. */
	for (size_t i = 0; status == TFPROF_OK && i < n_parts; i++)
		if (n == 0 || overlaps(&r->parts[i], &range))
			status = part_reader_prepare(&r->parts[i], r, err);
	if (status == TFPROF_OK)
		status = reserve(r, &range, err);
	for (size_t i = 0; status == TFPROF_OK && i < n_parts; i++)
		if (overlaps(&r->parts[i], &range))
			status = fill(r, &r->parts[i], &range, err);
	if (status == TFPROF_OK && range.n_filled != range.n)
		status = checkpoint_tensor_error(err, TFPROF_FORMAT, r->ckpt->path, r->tensor->name,
			"its slices do not cover its shape");
	mem_free(range.filled);
	if (status == TFPROF_OK)
		*values = (struct checkpoint_values){r->type->kind, (size_t)range.n, {r->values}};
	return status;
}
