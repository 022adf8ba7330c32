#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* Nodes one by one, and edges between groups. */
#include <string.h>

#include <tfprof/tfprof.h>

#include "base/buf.h"

#define OUTPUT_8X16                                                                             \
	"attr { key: '_output_shapes' value { list { shape { dim { size: 8 } dim { size: 16 } " \
	"} } } }"

static const char graph_text[] =
	"node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_HALF } "
	"} " OUTPUT_8X16 " }"
	"node { name: 'a/conv' op: 'Conv2D' input: 'x' input: 'w' input: '^b/init' " OUTPUT_8X16
	"attr { key: 'padding' value { s: 'SAME' } }"
	"attr { key: 'strides' value { list { i: 1 i: 2 } } }"
	"attr { key: 'T' value { type: DT_FLOAT } }"
	"attr { key: 'alpha' value { f: 0.5 } }"
	"attr { key: 'flag' value { b: true } } }"
	"node { name: 'b/init' op: 'NoOp' }"
	"node { name: 'b/relu' op: 'Relu' input: 'a/conv' input: 'a/conv' input: 'x' }";

static const char step_text[] =
	"step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'a/conv' "
	"all_start_micros: 100 op_end_rel_micros: 40 all_end_rel_micros: 40 } } dev_stats { "
	"device: "
	"'/gpu:0/stream:all' node_stats { node_name: 'a/conv:Conv2D' all_start_micros: 120 "
	"op_end_rel_micros: 30 all_end_rel_micros: 30 } } }";

static const char log_text[] =
	"log_entries { name: 'a/conv' code_def { traces { lineno: 3 function_id: 1 line_id: 2 } "
	"traces { file_id: 3 lineno: 4 } } } id_to_string { key: 0 value: '/home/me/a.py' } "
	"id_to_string { key: 1 value: 'build' } id_to_string { key: 2 value: 'conv(x)' } "
	"id_to_string { key: 3 value: '/usr/lib/python3/dist-packages/lib.py' }";

static tfprof_profile *profile;

static int set_up(void **state)
{
	struct tfprof_input graph = tfprof_input_bytes(graph_text, strlen(graph_text));
	struct tfprof_input step = tfprof_input_bytes(step_text, strlen(step_text));
	struct tfprof_input log = tfprof_input_bytes(log_text, strlen(log_text));

	(void)state;
	profile = tfprof_profile_new();
	return !profile ||
		tfprof_profile_add_step(profile, 7, &graph, &step, &log, NULL, NULL) != TFPROF_OK;
}

static int tear_down(void **state)
{
	(void)state;
	tfprof_profile_free(profile);
	return 0;
}

static size_t find(const char *name)
{
	return tfprof_profile_find_node(profile, name, strlen(name));
}

static int put_output(void *context, int32_t slot, const char *shape)
{
	buf_printf(context, "out %d %s; ", slot, shape);
	return 0;
}

static int put_link(void *context, const struct tfprof_link *link)
{
	buf_printf(context, "%.*s%s %s%s; ", (int)link->name_length, link->name,
		link->node == SIZE_MAX ? " unknown" : "", link->shape,
		link->is_control ? " control" : "");
	return 0;
}

static int put_attribute(void *context, const char *name, size_t name_length, const char *value,
	size_t value_length)
{
	buf_printf(context, "%.*s=%.*s; ", (int)name_length, name, (int)value_length, value);
	return 0;
}

static int put_step(void *context, const struct tfprof_node_step *s)
{
	buf_printf(context, "step %d: %d runs from %d, cpu %d, accelerator %d; ", (int)s->step,
		(int)s->n_runs, (int)s->start_micros, (int)s->cpu_micros,
		(int)s->accelerator_micros);
	return 0;
}

static int put_frame(void *context, const struct tfprof_frame *f)
{
	buf_printf(context, "%.*s:%d %.*s '%.*s'%s; ", (int)f->file_length, f->file, f->line,
		(int)f->function_length, f->function, (int)f->text_length, f->text,
		f->is_library ? " library" : "");
	return 0;
}

static void assert_visit(const char *name, struct tfprof_node_visitor visitor, const char *expected)
{
	struct buf text = {0};
	struct tfprof_error err;

	visitor.context = &text;
	assert_int_equal(tfprof_profile_visit_node(profile, find(name), NULL, &visitor, &err),
		TFPROF_OK);
	buf_char(&text, '\0');
	assert_string_equal(text.at, expected);
	buf_clear(&text);
}

static void tells_all_of_a_node(void **state)
{
	struct tfprof_node node;

	(void)state;
	assert_int_equal(tfprof_profile_visit_node(profile, find("a/conv"), &node, NULL, NULL),
		TFPROF_OK);
	assert_memory_equal(node.op, "Conv2D", node.op_length);
	assert_memory_equal(node.device, "/cpu:0", node.device_length);
	assert_int_equal(node.is_gradient, 0);
	assert_visit("a/conv", (struct tfprof_node_visitor){.output = put_output}, "out 0 8x16; ");
	assert_visit("a/conv", (struct tfprof_node_visitor){.input = put_link},
		"x 8x16; w unknown ; b/init  control; ");
	assert_visit("a/conv", (struct tfprof_node_visitor){.consumer = put_link},
		"b/relu 8x16; b/relu 8x16; ");
	assert_visit("a/conv", (struct tfprof_node_visitor){.attribute = put_attribute},
		"_output_shapes=[8x16]; padding=SAME; strides=[1, 2]; T=float; alpha=0.5; "
		"flag=true; ");
	assert_visit("a/conv", (struct tfprof_node_visitor){.step = put_step},
		"step 7: 1 runs from 100, cpu 40, accelerator 30; ");
	assert_visit("a/conv", (struct tfprof_node_visitor){.frame = put_frame},
		"/home/me/a.py:3 build 'conv(x)'; "
		"/usr/lib/python3/dist-packages/lib.py:4 /home/me/a.py '/home/me/a.py' library; ");
}

static void refuses_what_is_not_there(void **state)
{
	struct tfprof_error err;

	(void)state;
	assert_true(find("no") == SIZE_MAX);
	assert_int_equal(tfprof_profile_visit_node(profile, 99, NULL, NULL, &err), TFPROF_ARGUMENT);
	assert_string_equal(err.text, "node 99: there are 4 nodes");
}

static int stop(void *context, const struct tfprof_link *link)
{
	(void)link;
	return ++*(int *)context;
}

static void stops_on_request(void **state)
{
	int n = 0;
	struct tfprof_node_visitor visitor = {.input = stop, .consumer = stop, .context = &n};

	(void)state;
	assert_int_equal(tfprof_profile_visit_node(profile, find("a/conv"), NULL, &visitor, NULL),
		TFPROF_OK);
	assert_int_equal(n, 1);
}

static int put_edges(void *context, const struct tfprof_edges *e)
{
	buf_printf(context, "%u>%u %zu %zu %lld %lld %s; ", e->from, e->to, e->n_tensors,
		e->n_controls, (long long)e->n_elements, (long long)e->n_bytes, e->largest_shape);
	return 0;
}

static void adds_up_edges_between_groups(void **state)
{
	uint32_t groups[4];
	struct buf text = {0};

	(void)state;
	groups[find("x")] = 0;
	groups[find("a/conv")] = 1;
	groups[find("b/init")] = groups[find("b/relu")] = 2;
	assert_int_equal(tfprof_profile_find_edges(profile, groups, 4, put_edges, &text, NULL),
		TFPROF_OK);
	buf_char(&text, '\0');
	assert_string_equal(text.at,
		"0>1 1 0 128 256 8x16; 2>1 0 1 0 0 ; 1>2 2 0 256 1024 8x16; "
		"0>2 1 0 128 256 8x16; ");
	text.n = 0;
	groups[find("x")] = TFPROF_NO_GROUP;
	groups[find("a/conv")] = 2;
	assert_int_equal(tfprof_profile_find_edges(profile, groups, 4, put_edges, &text, NULL),
		TFPROF_OK);
	assert_int_equal(text.n, 0);
	/* Nodes that the caller does not know of are in no group. */
	groups[0] = 0;
	assert_int_equal(tfprof_profile_find_edges(profile, groups, 1, put_edges, &text, NULL),
		TFPROF_OK);
	assert_int_equal(text.n, 0);
	buf_clear(&text);
}

static void sums_up_a_step(void **state)
{
	struct tfprof_step_info info;
	tfprof_timeline *timeline;

	(void)state;
	assert_int_equal(tfprof_timeline_new(profile, 7, &timeline, NULL), TFPROF_OK);
	tfprof_timeline_read_step(timeline, &info);
	assert_int_equal(info.start_micros, 100);
	assert_int_equal(info.wall_micros, 50);
	assert_int_equal(info.cpu_micros, 40);
	assert_int_equal(info.accelerator_micros, 30);
	assert_int_equal(info.n_executions, 2);
	assert_int_equal(info.n_accelerator_lanes, 1);
	tfprof_timeline_free(timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_all_of_a_node),
		cmocka_unit_test(refuses_what_is_not_there),
		cmocka_unit_test(stops_on_request),
		cmocka_unit_test(adds_up_edges_between_groups),
		cmocka_unit_test(sums_up_a_step),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
