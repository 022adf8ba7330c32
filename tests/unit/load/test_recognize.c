#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "load/recognize.h"
#include "proto/schema.h"
#include "proto/text.h"
#include "proto/wire_write.h"

/* Real files of every kind are in test_recognize.py; here are the smallest ones and
 * the ones that try to look like something else. */

static bool is(struct span bytes, const char *name)
{
	return strcmp(recognize(bytes).name, name) == 0;
}

static void looks_like(struct span bytes, const char *name)
{
	if (!is(bytes, name))
		fail_msg("%.*s… looks like %s, not like %s", (int)(bytes.n < 60 ? bytes.n : 60),
			bytes.at, recognize_name(bytes), name);
}

static void message_looks_like(const struct schema_message *type, const char *text,
	const char *name)
{
	struct buf wire = {0};

	assert_int_equal(text_to_wire(type, span_of(text), &wire, NULL), TFPROF_OK);
	looks_like(buf_get(&wire), name);
	buf_clear(&wire);
}

static void files_with_a_mark(void **state)
{
	char table[100] = {0};

	looks_like(SPAN(""), "an empty file");
	looks_like(SPAN("\x1f\x8b\x08\0\0\0\0\0"), "a gzip-compressed file");
	looks_like(SPAN("PK\x03\x04\x14\0"), "a zip archive (perhaps a Keras model)");
	looks_like(SPAN("\x89HDF\r\n\x1a\n\0\0"), "an HDF5 file (perhaps a Keras model)");
	looks_like(SPAN("\x89PNG\r\n\x1a\n\0\0"), "a PNG image");
	looks_like(SPAN("\x7f"
			"ELF\x02\x01\x01\0\0\0\0\0"),
		"a program or library (ELF)");
	looks_like(SPAN("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\xc0\x25\xdd\x75\xda\x41\x1a\x0d"
			"brain.Event:2\xec\xe5\x9f\x2b"),
		"a TensorBoard event file");
	memcpy(table + 92, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
	looks_like((struct span){table, 100}, "a table of a TensorFlow checkpoint");
	looks_like((struct span){table + 60, 40}, "something unknown"); /* too short for a footer */
}

static void texts_by_their_first_field(void **state)
{
	looks_like(SPAN("node {"), "a GraphDef in text form");
	looks_like(SPAN("# a comment\n\n  node <"), "a GraphDef in text form");
	looks_like(SPAN("\xef\xbb\xbfversions: { producer: 3 }"), "a GraphDef in text form");
	looks_like(SPAN("step_stats {"), "a RunMetadata in text form");
	looks_like(SPAN("partition_graphs [{"), "a RunMetadata in text form");
	looks_like(SPAN("log_entries {"), "an OpLogProto in text form");
	looks_like(SPAN("nodes {"), "a ProfileProto in text form");
	looks_like(SPAN("model_checkpoint_path: \"x\""), "the list of checkpoints in a directory");
	looks_like(SPAN("meta_info_def {"), "a MetaGraphDef in text form");
	looks_like(SPAN("saved_model_schema_version: 1"), "a SavedModel in text form");
	looks_like(SPAN(" {\n \"traceEvents\": []}"), "a timeline (JSON of a Chrome trace)");
	looks_like(SPAN("[]"), "JSON (perhaps a timeline)");
	looks_like(SPAN("node"), "text of an unknown kind");
	looks_like(SPAN("nodes are things"), "text of an unknown kind");
	looks_like(SPAN("[section]\nkey=value"), "text of an unknown kind");
	looks_like(SPAN("\n"), "text of an unknown kind");
	looks_like(SPAN("# only a comment"), "text of an unknown kind");
}

static void small_messages(void **state)
{
	message_looks_like(&schema_graph_def, "node { name: 'a' op: 'NoOp' }", "a GraphDef");
	message_looks_like(&schema_graph_def,
		"node { op: 'NoOp' name: 'a' } versions { producer: 9 }", "a GraphDef");
	message_looks_like(&schema_graph_def,
		"versions { producer: 9 } node { name: 'a' op: 'NoOp' "
		"attr { key: 'T' value { type: DT_FLOAT } } }",
		"a GraphDef");
	message_looks_like(&schema_op_log_proto, "log_entries { name: 'a' types: 'b' }",
		"an OpLogProto");
	message_looks_like(&schema_op_log_proto,
		"log_entries { name: 'a' float_ops: 7 } log_entries { name: 'b' float_ops: 1 }",
		"an OpLogProto");
	message_looks_like(&schema_op_log_proto,
		"id_to_string { key: 1 value: 'main.py' } "
		"log_entries { name: 'a' code_def { traces { file_id: 1 lineno: 3 } } }",
		"an OpLogProto");
	message_looks_like(&schema_op_log_proto,
		"log_entries { name: 'a' code_def { traces { file: '/a/m.py' lineno: 3 "
		"function: 'main' line: 'x = 1' } } }",
		"an OpLogProto");
	message_looks_like(&schema_profile_proto, "nodes { key: 0 value { name: 'a' op: 'b' } }",
		"a ProfileProto");
	message_looks_like(&schema_profile_proto,
		"nodes { value { op: 'b' name: 'a' } key: 300 } "
		"has_trace: true",
		"a ProfileProto");
	message_looks_like(&schema_run_metadata,
		"step_stats { dev_stats { device: '/cpu:0' "
		"node_stats { node_name: 'a' all_start_micros: 5 } } }",
		"a RunMetadata");
	message_looks_like(&schema_run_metadata,
		"partition_graphs { node { name: 'a' op: 'b' } } "
		"step_stats { dev_stats { node_stats { all_start_micros: 5 node_name: 'a' } "
		"device: '/cpu:0' } }",
		"a RunMetadata");
}

static void too_little_to_tell(void **state)
{
	message_looks_like(&schema_graph_def, "node { name: 'a' }", "something unknown");
	message_looks_like(&schema_graph_def, "node {}", "something unknown");
	message_looks_like(&schema_graph_def, "versions { producer: 9 }", "something unknown");
	message_looks_like(&schema_op_log_proto, "log_entries { name: 'a' }", "something unknown");
	message_looks_like(&schema_run_metadata, "step_stats { dev_stats { } }",
		"something unknown");
	message_looks_like(&schema_profile_proto, "has_trace: true steps: [1, 2, 3]",
		"something unknown");
	looks_like(SPAN("\0"), "something unknown");
	looks_like(SPAN("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "something unknown");
}

/* The fields of a plane have the numbers and types of a node's. */
static void nodes_without_names_are_no_planes(void **state)
{
	message_looks_like(&schema_graph_def, "node { op: 'NoOp' input: 'x' }", "a GraphDef");
	message_looks_like(&schema_graph_def, "node { op: 'NoOp' device: '/cpu:0' }", "a GraphDef");
	message_looks_like(&schema_graph_def,
		"node { op: 'NoOp' attr { key: 'T' value { type: DT_FLOAT } } }", "a GraphDef");
	looks_like(SPAN("\x0a\x0b\x12\x09/host:CPU"),
		"a trace of tf.profiler or jax.profiler (XSpace)");
	looks_like(SPAN("\x0a\x0d\x12\x09/host:CPU\x1a\x00"),
		"a trace of tf.profiler or jax.profiler (XSpace)");
}

/* Unknown fields, of a later version, and a broken end change nothing. */
static void strangers_do_not_confuse(void **state)
{
	struct buf wire = {0};

	for (int i = 0; i < 100; i++)
		assert_int_equal(text_to_wire(&schema_graph_def,
					 SPAN("node { name: 'a/b' op: 'Add' input: 'c' "
					      "device: '/cpu:0' }"),
					 &wire, NULL),
			TFPROF_OK);
	wire_put_int(&wire, 99, 1);
	looks_like(buf_get(&wire), "a GraphDef");
	buf_text(&wire, "\xff\xff\xff garbage");
	looks_like(buf_get(&wire), "a GraphDef");
	buf_clear(&wire);
}

static void cut_off_anywhere_it_is_not_another_kind(void **state)
{
	struct buf wire = {0};
	size_t recognized = 0;

	assert_int_equal(
		text_to_wire(&schema_run_metadata,
			SPAN("step_stats { dev_stats { "
			     "device: '/cpu:0' node_stats { node_name: 'a' all_start_micros: 5 } "
			     "node_stats { node_name: 'b' all_start_micros: 5 timeline_label: 'b = "
			     "Add(x, y)' } } }"),
			&wire, NULL),
		TFPROF_OK);
	for (size_t n = 6; n < wire.n; n++) { /* fewer could be text */
		struct span cut = {wire.at, n};

		assert_true(is(cut, "a RunMetadata") || is(cut, "something unknown"));
		recognized += is(cut, "a RunMetadata");
	}
	assert_true(recognized > wire.n / 2);
	buf_clear(&wire);
}

static void the_work_is_bounded(void **state)
{
	struct buf wire = {0};

	/* Messages in messages, far deeper than anything is looked at. */
	for (int i = 0; i < 100000; i++)
		buf_text(&wire, "\x0a\x7f");
	looks_like(buf_get(&wire), "something unknown");
	buf_clear(&wire);
}

static void kinds_that_can_be_read(void **state)
{
	struct recognized is = recognize(SPAN("node {"));

	assert_int_equal(is.kind, INPUT_GRAPH);
	assert_true(is.is_text && is.is_certain);
	is = recognize(SPAN("model_checkpoint_path: 'x'"));
	assert_int_equal(is.kind, INPUT_CHECKPOINT);
	is = recognize(SPAN("{}"));
	assert_int_equal(is.kind, INPUT_UNKNOWN);
	assert_true(is.is_certain);
	is = recognize(SPAN("\0"));
	assert_int_equal(is.kind, INPUT_UNKNOWN);
	assert_false(is.is_certain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_with_a_mark),
		cmocka_unit_test(texts_by_their_first_field),
		cmocka_unit_test(small_messages),
		cmocka_unit_test(too_little_to_tell),
		cmocka_unit_test(nodes_without_names_are_no_planes),
		cmocka_unit_test(strangers_do_not_confuse),
		cmocka_unit_test(cut_off_anywhere_it_is_not_another_kind),
		cmocka_unit_test(the_work_is_bounded),
		cmocka_unit_test(kinds_that_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
