#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Traces: what happens if memory runs out while one is read, and names of operations.
 * tests/xplane has the numbers. */
#include <stdio.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"
#include "load/xplane/event_name.h"
#include "load/xplane/mark.h"

#define CORPUS TEST_DATA "/../fuzz/corpus/xplane/"
#define JOIN TEST_DATA "/../xplane/join/"

/* Of the corpus: the first byte is not the trace's. */
static void read_file(const char *path, char **bytes, size_t *n)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*n = (size_t)ftell(file);
	*bytes = malloc(*n);
	assert_non_null(*bytes);
	rewind(file);
	assert_int_equal(fread(*bytes, 1, *n, file), *n);
	fclose(file);
}

/* Each allocation fails once; in the end all succeed. */
static void any_allocation_may_fail(const char *path)
{
	enum tfprof_status status = TFPROF_NO_MEMORY;
	char *bytes;
	size_t n;

	read_file(path, &bytes, &n);
	for (size_t nth = 1; status == TFPROF_NO_MEMORY; nth++) {
		struct tfprof_input in = tfprof_input_bytes(bytes + 1, n - 1);
		tfprof_profile *p = tfprof_profile_new();

		assert_non_null(p);
		mem_fail_at(nth);
		status = tfprof_profile_add(p, "xplane", &in, 0, NULL);
		mem_fail_at(0);
		tfprof_profile_free(p);
	}
	assert_int_equal(status, TFPROF_OK);
	free(bytes);
}

static void test_any_allocation_may_fail(void **state)
{
	any_allocation_may_fail(CORPUS "everything");
	any_allocation_may_fail(CORPUS "jax_while");
	any_allocation_may_fail(CORPUS "synthetic_gpu");
	any_allocation_may_fail(CORPUS "synthetic_tpu");
}

static enum tfprof_status load_programs(void)
{
	static const struct {
		const char *kind, *path;
	} files[] = {{"graph", JOIN "programs_graph.pb"}, {"op_log", JOIN "programs_log.pb"},
		{"xplane", JOIN "programs.xplane.pb"}};
	tfprof_profile *p = tfprof_profile_new();
	enum tfprof_status status = p ? TFPROF_OK : TFPROF_NO_MEMORY;

	for (size_t i = 0; status == TFPROF_OK && i < sizeof(files) / sizeof(*files); i++) {
		struct tfprof_input in = tfprof_input_file(files[i].path);

		status = tfprof_profile_add(p, files[i].kind, &in, 0, NULL);
	}
	tfprof_profile_free(p);
	return status;
}

/* Of functions that the graph calls. */
static void test_any_allocation_of_a_join_may_fail(void **state)
{
	enum tfprof_status status = TFPROF_NO_MEMORY;

	for (size_t nth = 1; status == TFPROF_NO_MEMORY; nth++) {
		mem_fail_at(nth);
		status = load_programs();
		mem_fail_at(0);
	}
	assert_int_equal(status, TFPROF_OK);
}

/* As XProf reads them. */
static void test_operations(void **state)
{
	static const struct {
		const char *text, *name, *type; /* NULL: no operation */
	} cases[] = {
		{"a/b:Foo", "a/b", "Foo"},
		{"dense/MatMul:_MklMatMul", "dense/MatMul", "_MklMatMul"},
		{"__inference_f_12:__inference_f_12", "__inference_f_12", "__inference_f_12"},
		{"a:b", "a", "b"},
		{"a:b[c=1]", "a", "b"},
		{"a/b_12:", "a/b_12", "b"},
		{"jit(f)/x:add", "jit(f)/x", "add"},
		{"_send_x_0:_Send", NULL, NULL},
		{"__f:Foo", NULL, NULL},
		{"A:B:C", NULL, NULL},
		{"a:B c", NULL, NULL},
		{"a:1", NULL, NULL},
		{":Foo", NULL, NULL},
		{"x::y", NULL, NULL},
		{"ab", NULL, NULL},
		{"T:_Recv[a]", NULL, NULL},
		{"", NULL, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct op_text op;
		bool is_op = op_text_parse(span_of(cases[i].text), &op);

		assert_int_equal(is_op, cases[i].name != NULL);
		assert_int_equal(event_kind_of(span_of(cases[i].text)) == EVENT_OPERATION, is_op);
		if (is_op) {
			assert_true(span_equal(op.name, span_of(cases[i].name)));
			assert_true(span_equal(op.type, span_of(cases[i].type)));
		}
	}
}

static void test_kinds_of_events(void **state)
{
	assert_int_equal(event_kind_of(SPAN("Iterator::Root::Batch")), EVENT_DATASET);
	assert_int_equal(event_kind_of(SPAN("$file.py:12 f")), EVENT_PYTHON);
	assert_int_equal(event_kind_of(SPAN("end: dot.3")), EVENT_END);
	assert_int_equal(event_kind_of(SPAN("FunctionRun")), EVENT_FUNCTION_RUN);
	assert_int_equal(event_kind_of(SPAN("PjitFunction(f)")), EVENT_PJIT);
	assert_true(span_equal(event_name_get_function(SPAN("PjitFunction(f)")), SPAN("f")));
	assert_true(span_equal(event_name_get_function(SPAN("PjitFunction(jit(f))")), SPAN("f")));
	assert_int_equal(event_name_get_function(SPAN("PjitFunction(")).n, 0);
	assert_int_equal(event_name_get_function(SPAN("PjitFunction(jit(")).n, 0);
}

/* A graph has a name where a plane has a number. */
static void test_marks(void **state)
{
	assert_true(xplane_has_mark(SPAN("\x0a\x0b\x12\x09/host:CPU")));
	assert_true(xplane_has_mark(SPAN("\x0a\x0d\x08\x01\x12\x09/host:CPU")));
	assert_true(xplane_has_mark(SPAN("\x22\x02vm\x0a\x7f\x12\x09/host:CPU")));
	assert_false(xplane_has_mark(SPAN("\x0a\x0b\x0a\x09/host:CPU")));
	assert_false(xplane_has_mark(SPAN("\x0a\x05\x12\x03"
					  "Add")));
	assert_false(xplane_has_mark(SPAN("\x2a\x0b\x12\x09/host:CPU")));
	assert_false(xplane_has_mark(SPAN("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_allocation_may_fail),
		cmocka_unit_test(test_any_allocation_of_a_join_may_fail),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_kinds_of_events),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
