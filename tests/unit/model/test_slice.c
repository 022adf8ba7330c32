#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"

static void same(const slice_list *listed, struct slice slice, struct slice_parts expected)
{
	struct slice_parts parts = slice_get(slice, listed);

	assert_true(slice.bits != 0);
	assert_int_equal(parts.source, expected.source);
	assert_int_equal(parts.offset, expected.offset);
	assert_int_equal(parts.n, expected.n);
}

static bool cut(slice_list *listed, struct slice *slice, struct slice_parts parts)
{
	static const char text[1];
	struct slicer slicer = {text, parts.source, listed};

	/* Nobody looks at the bytes, which need not be there. */
	return slicer_cut(&slicer, slice,
		(struct span){(const char *)((uintptr_t)text + parts.offset), parts.n});
}

/* Around the largest numbers that fit eight bytes. */
static void every_slice_comes_back(void **state)
{
	static const size_t sources[] = {0, 1, 253, 254, 255, 100000};
	static const size_t offsets[] = {0, 1, ((size_t)1 << 34) - 1, (size_t)1 << 34,
		(size_t)1 << 50};
	static const size_t lengths[] = {0, 1, (1 << 22) - 1, 1 << 22, (size_t)1 << 40};
	enum { N = 6 * 5 * 5 };
	struct slice slices[N];
	struct slice_parts all[N];
	slice_list listed = {0};
	size_t n = 0;

	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < 5; j++)
			for (size_t k = 0; k < 5; k++) {
				all[n] = (struct slice_parts){sources[i], offsets[j], lengths[k]};
				assert_true(cut(&listed, &slices[n], all[n]));
				n++;
			}
	for (size_t i = 0; i < n; i++)
		same(&listed, slices[i], all[i]);
	assert_int_equal(listed.n, N - 3 * 3 * 3);
	vec_clear(&listed);
}

static void slices_of_a_model(void **state)
{
	static const char text[] = "some bytes";
	struct source source = {.bytes = {text, 10}};
	struct slice slice, none, empty;
	struct model m;

	assert_true(model_init(&m));
	for (int i = 0; i < 300; i++) { /* the last ones are listed */
		struct source copy = source;

		assert_int_equal(model_keep(&m, &copy, NULL), TFPROF_OK);
	}
	source = m.sources.at[299];
	assert_true(model_make_slice(&m, &slice, (struct span){source.bytes.at + 5, 5}));
	assert_true(model_make_slice(&m, &empty, (struct span){source.bytes.at + 10, 0}));
	assert_true(model_make_slice(&m, &none, (struct span){NULL, 0}));
	assert_true(span_equal(model_slice(&m, slice), SPAN("bytes")));
	assert_ptr_equal(model_slice(&m, slice).at, source.bytes.at + 5);
	assert_ptr_equal(model_slice(&m, empty).at, source.bytes.at + 10);
	assert_int_equal(model_slice(&m, empty).n, 0);
	assert_null(model_slice(&m, none).at);
	model_clear(&m);
}

static void damage_is_noted(void **state)
{
	struct source source = {.bytes = {"bytes", 5}};
	struct decoder undamaged = {0}, no_memory = {.failed = true}, bad = {.failed = true};
	struct tfprof_error err;
	struct slice slice;
	struct model m;

	assert_true(model_init(&m));
	assert_int_equal(model_keep(&m, &source, NULL), TFPROF_OK);
	bad.bad = m.sources.at[0].bytes.at;
	assert_true(model_make_slice(&m, &slice, m.sources.at[0].bytes));
	model_note_damage(&m, slice, &undamaged);
	model_note_damage(&m, slice, &no_memory);
	model_note_damage(&m, (struct slice){0}, &bad);
	assert_int_equal(model_check_damage(&m, &err), TFPROF_OK);
	model_note_damage(&m, slice, &bad);
	assert_int_equal(model_check_damage(&m, &err), TFPROF_FORMAT);
	assert_int_equal(model_check_sources(&m, &err), TFPROF_FORMAT);
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slice_comes_back),
		cmocka_unit_test(slices_of_a_model),
		cmocka_unit_test(damage_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
