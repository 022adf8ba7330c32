#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "proto/sniff.h"
#include "proto/text.h"
#include "proto/wire_write.h"

/* Real files of every kind are in test_sniff.py; here are the smallest ones and
 * the ones that try to look like something else. */

static void looks_like(struct span bytes, enum sniff_kind kind)
{
	enum sniff_kind found = sniff(bytes);

	if (found != kind)
		fail_msg("%.*s… looks like %s, not like %s", (int)(bytes.n < 60 ? bytes.n : 60),
			bytes.at, sniff_name(found), sniff_name(kind));
}

static void message_looks_like(const struct schema_message *type, const char *text,
	enum sniff_kind kind)
{
	struct buf wire = {0};

	assert_int_equal(text_to_wire(type, span_of(text), &wire, NULL), TFPROF_OK);
	looks_like(buf_get(&wire), kind);
	buf_clear(&wire);
}

static void files_with_a_mark(void **state)
{
	char table[100] = {0};

	looks_like(SPAN(""), SNIFF_EMPTY);
	looks_like(SPAN("\x1f\x8b\x08\0\0\0\0\0"), SNIFF_GZIP);
	looks_like(SPAN("PK\x03\x04\x14\0"), SNIFF_ZIP);
	looks_like(SPAN("\x89HDF\r\n\x1a\n\0\0"), SNIFF_HDF5);
	looks_like(SPAN("\x89PNG\r\n\x1a\n\0\0"), SNIFF_PNG);
	looks_like(SPAN("\x7f"
			"ELF\x02\x01\x01\0\0\0\0\0"),
		SNIFF_ELF);
	looks_like(SPAN("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09\0\0\xc0\x25\xdd\x75\xda\x41\x1a\x0d"
			"brain.Event:2\xec\xe5\x9f\x2b"),
		SNIFF_EVENTS);
	memcpy(table + 92, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
	looks_like((struct span){table, 100}, SNIFF_CHECKPOINT_INDEX);
	looks_like((struct span){table + 60, 40}, SNIFF_UNKNOWN); /* too short for a footer */
}

static void texts_by_their_first_field(void **state)
{
	looks_like(SPAN("node {"), SNIFF_GRAPH_TEXT);
	looks_like(SPAN("# a comment\n\n  node <"), SNIFF_GRAPH_TEXT);
	looks_like(SPAN("\xef\xbb\xbfversions: { producer: 3 }"), SNIFF_GRAPH_TEXT);
	looks_like(SPAN("step_stats {"), SNIFF_RUN_META_TEXT);
	looks_like(SPAN("partition_graphs [{"), SNIFF_RUN_META_TEXT);
	looks_like(SPAN("log_entries {"), SNIFF_OP_LOG_TEXT);
	looks_like(SPAN("nodes {"), SNIFF_PROFILE_TEXT);
	looks_like(SPAN("model_checkpoint_path: \"x\""), SNIFF_CHECKPOINT_STATE);
	looks_like(SPAN("meta_info_def {"), SNIFF_META_GRAPH_TEXT);
	looks_like(SPAN("saved_model_schema_version: 1"), SNIFF_SAVED_MODEL_TEXT);
	looks_like(SPAN(" {\n \"traceEvents\": []}"), SNIFF_JSON);
	looks_like(SPAN("[]"), SNIFF_JSON);
	looks_like(SPAN("node"), SNIFF_TEXT);
	looks_like(SPAN("nodes are things"), SNIFF_TEXT);
	looks_like(SPAN("[section]\nkey=value"), SNIFF_TEXT);
	looks_like(SPAN("\n"), SNIFF_TEXT);
	looks_like(SPAN("# only a comment"), SNIFF_TEXT);
}

static void small_messages(void **state)
{
	message_looks_like(&schema_graph_def, "node { name: 'a' op: 'NoOp' }", SNIFF_GRAPH);
	message_looks_like(&schema_graph_def,
		"node { op: 'NoOp' name: 'a' } versions { producer: 9 }", SNIFF_GRAPH);
	message_looks_like(&schema_graph_def,
		"versions { producer: 9 } node { name: 'a' op: 'NoOp' "
		"attr { key: 'T' value { type: DT_FLOAT } } }",
		SNIFF_GRAPH);
	message_looks_like(&schema_op_log_proto, "log_entries { name: 'a' types: 'b' }",
		SNIFF_OP_LOG);
	message_looks_like(&schema_op_log_proto,
		"log_entries { name: 'a' float_ops: 7 } log_entries { name: 'b' float_ops: 1 }",
		SNIFF_OP_LOG);
	message_looks_like(&schema_op_log_proto,
		"id_to_string { key: 1 value: 'main.py' } "
		"log_entries { name: 'a' code_def { traces { file_id: 1 lineno: 3 } } }",
		SNIFF_OP_LOG);
	message_looks_like(&schema_profile_proto, "nodes { key: 0 value { name: 'a' op: 'b' } }",
		SNIFF_PROFILE);
	message_looks_like(&schema_profile_proto,
		"nodes { value { op: 'b' name: 'a' } key: 300 } "
		"has_trace: true",
		SNIFF_PROFILE);
	message_looks_like(&schema_run_metadata,
		"step_stats { dev_stats { device: '/cpu:0' "
		"node_stats { node_name: 'a' all_start_micros: 5 } } }",
		SNIFF_RUN_META);
	message_looks_like(&schema_run_metadata,
		"partition_graphs { node { name: 'a' op: 'b' } } "
		"step_stats { dev_stats { node_stats { all_start_micros: 5 node_name: 'a' } "
		"device: '/cpu:0' } }",
		SNIFF_RUN_META);
}

static void too_little_to_tell(void **state)
{
	message_looks_like(&schema_graph_def, "node { name: 'a' }", SNIFF_UNKNOWN);
	message_looks_like(&schema_graph_def, "node {}", SNIFF_UNKNOWN);
	message_looks_like(&schema_graph_def, "versions { producer: 9 }", SNIFF_UNKNOWN);
	message_looks_like(&schema_op_log_proto, "log_entries { name: 'a' }", SNIFF_UNKNOWN);
	message_looks_like(&schema_run_metadata, "step_stats { dev_stats { } }", SNIFF_UNKNOWN);
	message_looks_like(&schema_profile_proto, "has_trace: true steps: [1, 2, 3]",
		SNIFF_UNKNOWN);
	looks_like(SPAN("\0"), SNIFF_UNKNOWN);
	looks_like(SPAN("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), SNIFF_UNKNOWN);
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
	looks_like(buf_get(&wire), SNIFF_GRAPH);
	buf_text(&wire, "\xff\xff\xff garbage");
	looks_like(buf_get(&wire), SNIFF_GRAPH);
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
		enum sniff_kind kind = sniff((struct span){wire.at, n});

		assert_true(kind == SNIFF_RUN_META || kind == SNIFF_UNKNOWN);
		recognized += kind == SNIFF_RUN_META;
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
	assert_int_equal(sniff(buf_get(&wire)), SNIFF_UNKNOWN);
	buf_clear(&wire);
}

static void every_kind_has_a_name(void **state)
{
	for (int kind = 0; kind <= SNIFF_TEXT; kind++)
		assert_true(strlen(sniff_name((enum sniff_kind)kind)) > 3);
	assert_string_equal(sniff_name(SNIFF_GRAPH_TEXT), "a GraphDef in text form");
	assert_string_equal(sniff_option(SNIFF_GRAPH_TEXT), "graph_path");
	assert_string_equal(sniff_option(SNIFF_PROFILE), "profile_path");
	assert_null(sniff_option(SNIFF_JSON));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_with_a_mark),
		cmocka_unit_test(texts_by_their_first_field),
		cmocka_unit_test(small_messages),
		cmocka_unit_test(too_little_to_tell),
		cmocka_unit_test(strangers_do_not_confuse),
		cmocka_unit_test(cut_off_anywhere_it_is_not_another_kind),
		cmocka_unit_test(the_work_is_bounded),
		cmocka_unit_test(every_kind_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
