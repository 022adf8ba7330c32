/* Rows as one Arrow batch.
 *
 *     struct array ── children[k] ── column k ── buffers: validity, [offsets,] data
 *
 * Columns own their buffers, because a reader may take a column out of the
 * struct and keep it longer. */
#include "arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct batch_block {
	struct ArrowArray *pointers[N_ROW_FIELDS];
	struct ArrowArray columns[N_ROW_FIELDS];
	const void *no_validity[1];
};

/* A run of rows of one column. */
struct run {
	const tfprof_result *result;
	const struct row_field *field;
	size_t first, n;
};

static const void *value_at(const struct run *run, size_t i)
{
	return row_at(tfprof_result_get_row(run->result, run->first + i), run->field);
}

/* ---- text --------------------------------------------------------------- */

/* How many bytes of `at` are one character of UTF-8; 0 if they are none. */
static size_t utf8_length(const unsigned char *at, size_t n)
{
	size_t length = at[0] < 0x80 ? 1
		: at[0] < 0xc2       ? 0
		: at[0] < 0xe0       ? 2
		: at[0] < 0xf0       ? 3
		: at[0] < 0xf5       ? 4
				     : 0;

	if (length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, beyond the last character. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
		(at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

/* Copies text, U+FFFD in place of bytes that are no UTF-8, as readers of Arrow
 * may count on it. `out` NULL: only counts. Returns the bytes of the copy. */
static size_t put_utf8(char *out, const char *text)
{
	size_t n = strlen(text), done = 0;

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length((const unsigned char *)text + i, n - i);
		const char *from = length ? text + i : "\xef\xbf\xbd";
		size_t bytes = length ? length : 3;

		if (out)
			memcpy(out + done, from, bytes);
		done += bytes;
		i += length ? length : 1;
	}
	return done;
}

/* How many rows of a run fit into offsets of 32 bits. */
static size_t rows_that_fit(const struct run *run)
{
	size_t bytes = 0;

	for (size_t i = 0; i < run->n; i++) {
		bytes += put_utf8(NULL, *(const char *const *)value_at(run, i));
		if (bytes > INT32_MAX)
			return i;
	}
	return run->n;
}

static int make_text(const struct run *run, const void **buffers)
{
	int32_t *offsets = calloc(run->n + 1, sizeof(*offsets));
	size_t bytes = 0;
	char *data;

	buffers[1] = offsets;
	if (!offsets)
		return ENOMEM;
	for (size_t i = 0; i < run->n; i++) {
		bytes += put_utf8(NULL, *(const char *const *)value_at(run, i));
		offsets[i + 1] = (int32_t)bytes;
	}
	data = malloc(bytes + 1);
	buffers[2] = data;
	if (!data)
		return ENOMEM;
	for (size_t i = 0; i < run->n; i++)
		put_utf8(data + offsets[i], *(const char *const *)value_at(run, i));
	return 0;
}

/* ---- numbers -------------------------------------------------------------- */

static void set_bit(unsigned char *bits, size_t i)
{
	bits[i / 8] |= (unsigned char)(1u << i % 8);
}

static int make_bits(const struct run *run, const void **buffers)
{
	unsigned char *bits = calloc(run->n / 8 + 1, 1);

	buffers[1] = bits;
	for (size_t i = 0; bits && i < run->n; i++)
		if (*(const int32_t *)value_at(run, i))
			set_bit(bits, i);
	return bits ? 0 : ENOMEM;
}

static int make_numbers(const struct run *run, size_t size, const void **buffers)
{
	char *numbers = calloc(run->n + 1, size);

	buffers[1] = numbers;
	for (size_t i = 0; numbers && i < run->n; i++)
		memcpy(numbers + i * size, value_at(run, i), size);
	return numbers ? 0 : ENOMEM;
}

/* Numbers of which the negative ones are null. */
static int make_index(const struct run *run, struct ArrowArray *column, const void **buffers)
{
	unsigned char *valid = calloc(run->n / 8 + 1, 1);

	buffers[0] = valid;
	for (size_t i = 0; valid && i < run->n; i++) {
		if (*(const int64_t *)value_at(run, i) >= 0)
			set_bit(valid, i);
		else
			column->null_count++;
	}
	return valid ? make_numbers(run, sizeof(int64_t), buffers) : ENOMEM;
}

/* ---- columns and the batch --------------------------------------------------- */

static void release_column(struct ArrowArray *array)
{
	for (int64_t i = 0; array->buffers && i < array->n_buffers; i++)
		free((void *)array->buffers[i]);
	free(array->buffers);
	array->release = NULL;
}

static int make_column(struct ArrowArray *column, const struct run *run)
{
	const void **buffers = calloc(3, sizeof(*buffers));

	*column = (struct ArrowArray){
		.length = (int64_t)run->n,
		.n_buffers = run->field->kind == ROW_TEXT ? 3 : 2,
		.buffers = buffers,
		.release = release_column,
	};
	if (!buffers)
		return ENOMEM;
	switch (run->field->kind) {
	case ROW_TEXT: return make_text(run, buffers);
	case ROW_BOOL: return make_bits(run, buffers);
	case ROW_INT32: return make_numbers(run, sizeof(int32_t), buffers);
	case ROW_INT64: return make_numbers(run, sizeof(int64_t), buffers);
	case ROW_INDEX: break;
	}
	return make_index(run, column, buffers);
}

static void release_batch(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++)
		if (array->children[i]->release)
			array->children[i]->release(array->children[i]);
	free(array->private_data);
	array->release = NULL;
}

static size_t fit(const tfprof_result *result, size_t first, size_t n)
{
	for (size_t i = 0; i < N_ROW_FIELDS; i++) {
		struct run run = {result, &row_fields[i], first, n};

		if (row_fields[i].kind == ROW_TEXT)
			n = rows_that_fit(&run);
	}
	return n;
}

int arrow_batch_make(const tfprof_result *result, size_t first, size_t n, size_t *n_taken,
	struct ArrowArray *out)
{
	struct batch_block *block = calloc(1, sizeof(*block));
	int failed = 0;

	if (!block)
		return ENOMEM;
	n = fit(result, first, n);
	if (n == 0) {
		free(block);
		return EOVERFLOW; /* one text of more than 2 GiB */
	}
	*out = (struct ArrowArray){
		.length = (int64_t)n,
		.n_buffers = 1,
		.n_children = N_ROW_FIELDS,
		.buffers = block->no_validity,
		.children = block->pointers,
		.release = release_batch,
		.private_data = block,
	};
	for (size_t i = 0; i < N_ROW_FIELDS; i++) {
		struct run run = {result, &row_fields[i], first, n};

		block->pointers[i] = &block->columns[i];
		if (!failed)
			failed = make_column(&block->columns[i], &run);
	}
	if (failed)
		release_batch(out);
	*n_taken = n;
	return failed;
}
