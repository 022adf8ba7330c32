/* Building a view stops on request, and leaves the tree empty. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "load/load.h"
#include "messages.h"
#include "view/tree.h"

static void load(struct model *m, enum input_kind kind, struct buf *bytes)
{
	struct tfprof_input in = tfprof_input_bytes(bytes->at, bytes->n);
	struct buf notes = {0};

	assert_int_equal(load_input(m, kind, &in, 0, &notes, NULL), TFPROF_OK);
	buf_clear(&notes);
	buf_clear(bytes);
}

static void make_model(struct model *m)
{
	struct buf graph = {0}, log = {0};
	size_t entry, code, trace;

	put_graph_node(&graph, "a/x", "Placeholder", "");
	put_graph_node(&graph, "a/y", "MatMul", "a/x");
	entry = wire_open(&log, OP_LOG_LOG_ENTRIES);
	put_text(&log, OP_LOG_ENTRY_NAME, "a/y");
	code = wire_open(&log, OP_LOG_ENTRY_CODE_DEF);
	trace = wire_open(&log, CODE_DEF_TRACES);
	for (uint32_t field = CODE_DEF_TRACE_FILE_ID; field <= CODE_DEF_TRACE_LINE_ID; field++)
		wire_put_int(&log, field, 1);
	wire_close(&log, trace);
	wire_close(&log, code);
	wire_close(&log, entry);
	put_string(&log, OP_LOG_ID_TO_STRING, 1, "model.py");
	assert_true(model_init(m));
	load(m, INPUT_GRAPH, &graph);
	load(m, INPUT_OP_LOG, &log);
}

static void test_cancel(void **state)
{
	static tree_builder *const builders[] = {
#define X(id, name, ...) name##_build,
		TFPROF_VIEW_LIST(X)
#undef X
	};
	volatile int yes = 1, no = 0;
	struct model m;

	make_model(&m);
	for (size_t i = 0; i < N_VIEWS; i++) {
		struct tree t = {.cancel = &yes};

		assert_int_not_equal(builders[i](&t, &m, 0, NULL), TFPROF_OK);
		assert_int_equal(t.n, 0);
		t.cancel = &no;
		assert_int_equal(builders[i](&t, &m, 0, NULL), TFPROF_OK);
		assert_true(t.n > 1);
		tree_clear(&t);
	}
	model_clear(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
