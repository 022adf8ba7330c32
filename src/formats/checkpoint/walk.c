#include "formats/checkpoint/checkpoint.h"

/* Elements read ahead: few at first, because most walks are abandoned early. */
#define FIRST_CHUNK 1024
#define LARGEST_CHUNK ((size_t)1 << 18)

enum tfprof_status checkpoint_walk_begin(struct checkpoint_walk *w, struct checkpoint_reader *r,
	struct tfprof_error *err)
{
	*w = (struct checkpoint_walk){.reader = r, .chunk_size = FIRST_CHUNK};
	w->left = arena_array(&r->arena, (size_t)r->tensor->shape.rank + 1, sizeof(*w->left));
	return w->left ? TFPROF_OK : error_no_memory(err);
}

static enum tfprof_status next_value(struct checkpoint_walk *w, struct tfprof_error *err)
{
	size_t size = dtype_value_size(w->reader->type->kind);
	enum tfprof_status status;

	if (w->next - w->chunk_first >= w->chunk.n) {
		w->chunk_first = w->next;
		w->chunk.n = 0;
		status = checkpoint_read(w->reader, w->next, w->chunk_size, &w->chunk, err);
		if (status != TFPROF_OK)
			return status;
		if (w->chunk_size < LARGEST_CHUNK)
			w->chunk_size *= 2;
	}
	w->value = (struct checkpoint_values){w->chunk.kind, 1,
		{(const char *)w->chunk.any + (w->next - w->chunk_first) * size}};
	w->next++;
	return TFPROF_OK;
}

enum tfprof_status checkpoint_walk_next(struct checkpoint_walk *w, struct tfprof_error *err)
{
	const struct tensor_shape *shape = &w->reader->tensor->shape;
	int64_t *left = w->depth ? &w->left[w->depth - 1] : NULL;

	if (w->done) {
		w->event = CHECKPOINT_END;
	} else if (!left || (*left && w->depth < shape->rank)) {
		if (left)
			--*left;
		w->left[w->depth] = shape->rank ? shape->dims[w->depth] : 1;
		w->depth++;
		w->event = CHECKPOINT_OPEN;
	} else if (*left) {
		--*left;
		w->event = CHECKPOINT_VALUE;
		return next_value(w, err);
	} else {
		w->done = --w->depth == 0;
		w->event = CHECKPOINT_CLOSE;
	}
	return TFPROF_OK;
}
