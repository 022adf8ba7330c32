#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Texts of call stacks that are added to a model which has some already. */
#include "load/call_stacks.h"

/* Ids below are those of op logs. */
static const int64_t least_id = INT64_C(1) << 40;

/* The id of its file. */
static int64_t keep(struct model *m, const char *file)
{
	struct frame frame = {.file = span_of(file),
		.function = SPAN("f"),
		.source = SPAN("x = 1"),
		.line = 7};
	struct tfprof_error err;
	struct call_stacks s;
	int64_t id;

	assert_true(call_stacks_init(&s, m));
	assert_true(s.first_id >= least_id);
	call_stacks_put(&s, &frame);
	assert_int_equal(call_stacks_keep(&s, m, &err), TFPROF_OK);
	id = s.first_id + strings_find(&s.texts, frame.file);
	call_stacks_clear(&s);
	return id;
}

static void assert_text(const struct model *m, int64_t id, struct span expected)
{
	uint32_t string = model_find_trace_string(m, id);

	assert_int_not_equal(string, NONE);
	assert_true(span_equal(m->trace_strings.at[string].text, expected));
}

static void texts_of_several_inputs_have_ids_of_their_own(void **state)
{
	const char *const files[] = {"first.py", "second.py", "third.py"};
	int64_t ids[3];
	struct model m;

	(void)state;
	assert_true(model_init(&m));
	for (int i = 0; i < 3; i++)
		ids[i] = keep(&m, files[i]);
	for (int i = 0; i < 3; i++)
		assert_text(&m, ids[i], span_of(files[i]));
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_several_inputs_have_ids_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
