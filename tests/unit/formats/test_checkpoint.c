/* Reading checkpoints that TensorFlow wrote (tests/data/checkpoint). That the
 * values are right is test_checkpoint.py's business; here it is ranges, walks,
 * types, slices, and running out of memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "formats/checkpoint/checkpoint.h"
#include "load/recognize.h"

#define DATA TEST_DATA "/checkpoint/"

static const char *const all[] = {
	DATA "single/model.ckpt",
	DATA "sharded/model.ckpt",
	DATA "partitioned/model.ckpt",
	DATA "boxes/model.ckpt",
	DATA "dtypes/model.ckpt",
	DATA "strings/model.ckpt",
	DATA "v1/model.ckpt",
	DATA "v1_sharded/model.ckpt",
	DATA "v1_partitioned/model.ckpt",
	DATA "v1_dtypes/model.ckpt",
	DATA "objects",
	DATA "objects/checkpoint",
	DATA "sharded/model.ckpt.data-00001-of-00003",
	DATA "snappy/model.ckpt",
	DATA "v1_snappy/model.ckpt",
	DATA "big_endian/model.ckpt",
};

#define N_ALL (sizeof(all) / sizeof(*all))

static struct checkpoint *open_one(const char *path)
{
	struct tfprof_error err = {0};
	struct checkpoint *ckpt;

	if (checkpoint_open(&ckpt, path, recognize_name, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return ckpt;
}

static void test_list(void **state)
{
	struct checkpoint *ckpt = open_one(DATA "single/model.ckpt");
	const struct checkpoint_tensor *t;

	assert_int_equal(checkpoint_get_n_tensors(ckpt), 9);
	for (size_t i = 0; i < 9; i++) {
		t = checkpoint_get_tensor(ckpt, i);
		assert_ptr_equal(checkpoint_find(ckpt, t->name), t);
		if (i)
			assert_true(span_compare(t[-1].name, t->name) < 0);
	}
	t = checkpoint_find(ckpt, SPAN("layer/kernel"));
	assert_non_null(t);
	assert_int_equal(t->dtype, 1);
	assert_int_equal(t->shape.rank, 4);
	assert_int_equal(t->shape.dims[1], 3);
	assert_int_equal(t->shape.n_elements, 24);
	assert_null(checkpoint_find(ckpt, SPAN("layer")));
	assert_null(checkpoint_find(ckpt, SPAN("")));
	assert_null(checkpoint_find(ckpt, SPAN("zzz")));
	checkpoint_free(ckpt);
}

/* ---- ranges ---------------------------------------------------------- */

static bool same_values(const struct checkpoint_values *a, size_t at,
	const struct checkpoint_values *b)
{
	size_t size = dtype_value_size(b->kind);

	if (b->kind != DTYPE_TEXT)
		return !memcmp((const char *)a->any + at * size, b->any, b->n * size);
	for (size_t i = 0; i < b->n; i++)
		if (!span_equal(a->texts[at + i], b->texts[i]))
			return false;
	return true;
}

/* Every stretch, forward and back again, is the same as in the whole. */
static void check_ranges(const struct checkpoint *ckpt, const struct checkpoint_tensor *t)
{
	struct checkpoint_reader whole, r;
	struct checkpoint_values all_values, v;
	uint64_t n = t->shape.n_elements;
	uint64_t step = n > 60 ? n / 7 : 1;

	assert_int_equal(checkpoint_reader_open(&whole, ckpt, t, true, NULL), TFPROF_OK);
	assert_int_equal(checkpoint_read(&whole, 0, UINT64_MAX, &all_values, NULL), TFPROF_OK);
	assert_int_equal(all_values.n, n);
	assert_int_equal(checkpoint_reader_open(&r, ckpt, t, false, NULL), TFPROF_OK);
	for (uint64_t first = 0; first <= n + 1; first += step)
		for (uint64_t count = 0; count <= n + 1; count += step) {
			uint64_t left = first < n ? n - first : 0;

			assert_int_equal(checkpoint_read(&r, first, count, &v, NULL), TFPROF_OK);
			assert_int_equal(v.n, count < left ? count : left);
			assert_int_equal(v.kind, all_values.kind);
			assert_true(v.n == 0 || same_values(&all_values, (size_t)first, &v));
		}
	checkpoint_reader_close(&r);
	checkpoint_reader_close(&whole);
}

static void test_ranges(void **state)
{
	for (size_t i = 0; i < N_ALL; i++) {
		struct checkpoint *ckpt = open_one(all[i]);

		for (size_t k = 0; k < checkpoint_get_n_tensors(ckpt); k++)
			check_ranges(ckpt, checkpoint_get_tensor(ckpt, k));
		checkpoint_free(ckpt);
	}
}

/* ---- walks ----------------------------------------------------------- */

/* A walk as text: ( ) and v. */
static void shape_of(const char *path, struct span name, struct buf *out)
{
	struct checkpoint *ckpt = open_one(path);
	const struct checkpoint_tensor *t = checkpoint_find(ckpt, name);
	struct checkpoint_reader r;
	struct checkpoint_walk w;

	out->n = 0;
	assert_non_null(t);
	assert_int_equal(checkpoint_reader_open(&r, ckpt, t, false, NULL), TFPROF_OK);
	assert_int_equal(checkpoint_walk_begin(&w, &r, NULL), TFPROF_OK);
	for (;;) {
		assert_int_equal(checkpoint_walk_next(&w, NULL), TFPROF_OK);
		if (w.event == CHECKPOINT_END)
			break;
		buf_char(out, " (v)"[w.event]);
		if (w.event == CHECKPOINT_VALUE)
			assert_int_equal(w.value.n, 1);
	}
	assert_int_equal(checkpoint_walk_next(&w, NULL), TFPROF_OK);
	assert_int_equal(w.event, CHECKPOINT_END);
	checkpoint_reader_close(&r);
	checkpoint_free(ckpt);
}

static void test_walk(void **state)
{
	struct buf out = {0};

	shape_of(DATA "single/model.ckpt", SPAN("global_step"), &out);
	assert_string_equal(out.at, "(v)");
	shape_of(DATA "single/model.ckpt", SPAN("layer/biases"), &out);
	assert_string_equal(out.at, "(vvvv)");
	shape_of(DATA "single/model.ckpt", SPAN("empty"), &out);
	assert_string_equal(out.at, "(()())");
	shape_of(DATA "v1/model.ckpt", SPAN("empty"), &out);
	assert_string_equal(out.at, "()");
	shape_of(DATA "single/model.ckpt", SPAN("layer/kernel"), &out);
	assert_string_equal(out.at,
		"((("
		"(vv)(vv))((vv)(vv))((vv)(vv)))"
		"(((vv)(vv))((vv)(vv))((vv)(vv))))");
	shape_of(DATA "partitioned/model.ckpt", SPAN("part2"), &out);
	assert_string_equal(out.at, "(((vvv)(vvv)(vvv)(vvv)(vvv))((vvv)(vvv)(vvv)(vvv)(vvv)))");
	buf_clear(&out);
}

/* ---- types ----------------------------------------------------------- */

enum { HALF = 19, BFLOAT16 = 14, E5M2 = 24, E4M3FN, E4M3FNUZ, E4M3B11FNUZ, E5M2FNUZ, E2M1FN = 33 };

/* Largest, smallest and special numbers, from the formats' definitions. */
static void test_small_floats(void **state)
{
	static const struct {
		uint32_t dtype, bits;
		double value;
	} numbers[] = {
		{HALF, 0x7bff, 65504},
		{HALF, 0x0001, 0x1p-24},
		{HALF, 0xfc00, -INFINITY},
		{HALF, 0x8400, -0x1p-14},
		{BFLOAT16, 0x7f7f, 0x1.fep127},
		{BFLOAT16, 1, 0x1p-133},
		{BFLOAT16, 0x3f80, 1},
		{E5M2, 0x7b, 57344},
		{E5M2, 1, 0x1p-16},
		{E5M2, 0x7c, INFINITY},
		{E4M3FN, 0x7e, 448},
		{E4M3FN, 1, 0x1p-9},
		{E4M3FN, 0xb8, -1},
		{E4M3FNUZ, 0x7f, 240},
		{E4M3FNUZ, 1, 0x1p-10},
		{E4M3B11FNUZ, 0x7f, 30},
		{E4M3B11FNUZ, 1, 0x1p-13},
		{E5M2FNUZ, 0x7f, 57344},
		{E5M2FNUZ, 1, 0x1p-17},
		{E2M1FN, 7, 6},
		{E2M1FN, 1, 0.5},
		{E2M1FN, 0xf, -6},
		{HALF, 0x7e00, NAN},
		{BFLOAT16, 0x7fc0, NAN},
		{E5M2, 0x7d, NAN},
		{E4M3FN, 0x7f, NAN},
		{E4M3FN, 0xff, NAN},
		{E4M3FNUZ, 0x80, NAN},
		{E4M3B11FNUZ, 0x80, NAN},
		{E5M2FNUZ, 0x80, NAN},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		double value = dtype_real(dtype_get(numbers[i].dtype), numbers[i].bits);

		if (isnan(numbers[i].value))
			assert_true(isnan(value));
		else
			assert_true(value == numbers[i].value);
	}
}

static void test_unknown_types(void **state)
{
	assert_int_equal(dtype_get(0)->kind, DTYPE_OPAQUE);
	assert_int_equal(dtype_get(20)->kind, DTYPE_OPAQUE);
	assert_int_equal(dtype_get(34)->kind, DTYPE_OPAQUE);
	assert_int_equal(dtype_get(UINT32_MAX)->kind, DTYPE_OPAQUE);
	assert_string_equal(dtype_get(101)->name, "unknown");
}

/* ---- slices ---------------------------------------------------------- */

/* The keys under which TensorFlow stores such slices. */
static void test_slice_keys(void **state)
{
	static const struct extent all_of_it = {0, -1}, some[] = {{3, 7}, {63, 64}, {8191, 8192}};
	struct buf key = {0};

	shape_slice_key(&key, SPAN("x"), 1, &all_of_it);
	assert_int_equal(key.n, 8);
	assert_memory_equal(key.at, "\0x\0\1\1\1\x80\x7f", 8);
	key.n = 0;
	shape_slice_key(&key, SPAN("a\0\xff"), 3, some);
	assert_int_equal(key.n, 20);
	assert_memory_equal(key.at, "\0a\0\xff\xff\0\0\1\1\3\x83\x87\xbf\xc0\x40\xdf\xff\xe0\x20\0",
		20);
	key.n = 0;
	shape_slice_key(&key, SPAN(""), 0, NULL);
	assert_int_equal(key.n, 4);
	assert_memory_equal(key.at, "\0\0\1\0", 4);
	buf_clear(&key);
}

/* Runs against marking each element of a box. */
static void check_box(const struct tensor_shape *shape, const struct extent *extents)
{
	bool inside[200] = {0}, marked[200] = {0};
	struct box box;
	uint64_t last = 0;

	for (uint64_t i = 0; i < shape->n_elements; i++) {
		uint64_t rest = i;

		inside[i] = true;
		for (uint32_t d = shape->rank; d--; rest /= (uint64_t)shape->dims[d]) {
			int64_t at = (int64_t)(rest % (uint64_t)shape->dims[d]) - extents[d].start;

			inside[i] &= at >= 0 && at < extents[d].length;
		}
	}
	box_init(&box, shape, extents);
	for (uint64_t run = 0; run < box.n_runs; run++) {
		uint64_t start = box_run_start(&box, run);

		assert_true(run == 0 || start >= last);
		last = start + box.run_length;
		for (uint64_t i = start; i < last; i++) {
			assert_false(marked[i]);
			marked[i] = true;
			assert_int_equal(box_find_run(&box, i), run);
		}
	}
	assert_memory_equal(inside, marked, sizeof(inside));
	if (box.n_runs && box.run_length)
		assert_int_equal(box_find_run(&box, last), box.n_runs);
}

static void test_boxes(void **state)
{
	static const int64_t dims[] = {3, 4, 2, 3};
	struct extent e[4];

	for (uint32_t rank = 0; rank <= 4; rank++) {
		struct tensor_shape shape = {rank, dims, 1};
		uint64_t n_boxes = 1;

		for (uint32_t d = 0; d < rank; d++) {
			shape.n_elements *= (uint64_t)dims[d];
			n_boxes *= (uint64_t)((dims[d] + 1) * (dims[d] + 1));
		}
		/* All starts and lengths, of which those that fit count. */
		for (uint64_t i = 0; i < n_boxes; i++) {
			uint64_t rest = i;
			bool fits = true;

			for (uint32_t d = 0; d < rank; d++) {
				uint64_t m = (uint64_t)dims[d] + 1;

				e[d].start = (int64_t)(rest % m);
				e[d].length = (int64_t)(rest / m % m);
				rest /= m * m;
				fits &= e[d].start + e[d].length <= dims[d];
			}
			if (fits)
				check_box(&shape, e);
		}
	}
}

/* ---- failures -------------------------------------------------------- */

/* Opens, reads and walks everything; the first status that is not OK. */
static enum tfprof_status read_all(const char *path, struct tfprof_error *err)
{
	struct checkpoint *ckpt;
	struct checkpoint_reader r;
	struct checkpoint_values v;
	struct checkpoint_walk w;
	enum tfprof_status status = checkpoint_open(&ckpt, path, recognize_name, err);

	if (status != TFPROF_OK) {
		assert_null(ckpt);
		return status;
	}
	for (size_t i = 0; status == TFPROF_OK && i < checkpoint_get_n_tensors(ckpt); i++) {
		const struct checkpoint_tensor *t = checkpoint_get_tensor(ckpt, i);

		status = checkpoint_reader_open(&r, ckpt, t, true, err);
		if (status != TFPROF_OK)
			break;
		status = checkpoint_read(&r, 0, UINT64_MAX, &v, err);
		if (status == TFPROF_OK)
			status = checkpoint_walk_begin(&w, &r, err);
		while (status == TFPROF_OK) {
			status = checkpoint_walk_next(&w, err);
			if (status != TFPROF_OK || w.event == CHECKPOINT_END)
				break;
		}
		checkpoint_reader_close(&r);
	}
	checkpoint_free(ckpt);
	return status;
}

static void test_out_of_memory(void **state)
{
	for (size_t i = 0; i < N_ALL; i++) {
		enum tfprof_status status = TFPROF_OK;
		struct tfprof_error err;
		size_t n_failed = 0;

		for (size_t nth = 1; nth < 300; nth++) {
			mem_fail_at(nth);
			status = read_all(all[i], &err);
			mem_fail_at(0);
			if (status != TFPROF_OK && status != TFPROF_NO_MEMORY)
				fail_msg("%s: allocation %zu: %s", all[i], nth, err.text);
			n_failed += status != TFPROF_OK;
		}
		assert_int_equal(status, TFPROF_OK);
		assert_true(n_failed > 5);
	}
}

static void test_errors(void **state)
{
	struct tfprof_error err = {0};
	struct checkpoint *ckpt;

	assert_int_equal(checkpoint_open(&ckpt, "/nonexistent/model.ckpt", recognize_name, &err),
		TFPROF_IO);
	assert_string_equal(err.text,
		"/nonexistent/model.ckpt: no such checkpoint: found neither a V2 "
		"index /nonexistent/model.ckpt.index nor a V1 file");
	assert_int_equal(checkpoint_open(&ckpt, "", recognize_name, &err), TFPROF_IO);
	assert_int_equal(checkpoint_open(&ckpt, "/dev/null", recognize_name, &err), TFPROF_IO);
	assert_int_equal(checkpoint_open(&ckpt, DATA "expected.json", recognize_name, &err),
		TFPROF_FORMAT);
	assert_non_null(strstr(err.text, "not a checkpoint: it looks like JSON"));
	assert_null(ckpt);
	/* Nobody has to ask why. */
	assert_int_equal(checkpoint_open(&ckpt, DATA "expected.json", recognize_name, NULL),
		TFPROF_FORMAT);
	checkpoint_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_small_floats),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_slice_keys),
		cmocka_unit_test(test_boxes),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
