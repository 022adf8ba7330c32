#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <locale.h>

#include "proto/fields.h"
#include "proto/text.h"
#include "proto/wire.h"
#include "proto/wire_write.h"

/* Expected bytes are as google.protobuf serializes them; the comparison on a
 * large scale is test_text_format.py. */

static const struct schema_message *find(const char *name)
{
	for (const struct schema_message *const *m = schema_messages; *m; m++)
		if (strcmp((*m)->name, name) == 0)
			return *m;
	fail_msg("no message %s", name);
	return NULL;
}

static void becomes(const char *type, const char *text, struct span wire)
{
	struct buf out = {0};
	struct tfprof_error err = {0};

	if (text_to_wire(find(type), span_of(text), &out, &err) != TFPROF_OK)
		fail_msg("%s: %s", text, err.text);
	if (!span_equal(buf_get(&out), wire))
		fail_msg("%s: other bytes", text);
	buf_clear(&out);
}

static void refused(const char *type, const char *text, const char *message)
{
	struct buf out = {0};
	struct tfprof_error err = {0};

	buf_text(&out, "before");
	assert_int_equal(text_to_wire(find(type), span_of(text), &out, &err), TFPROF_FORMAT);
	assert_int_equal(err.status, TFPROF_FORMAT);
	assert_string_equal(err.text, message);
	assert_string_equal(out.at, "before");
	assert_int_equal(out.n, 6);
	buf_clear(&out);
	assert_int_equal(text_to_wire(find(type), span_of(text), &out, NULL), TFPROF_FORMAT);
	buf_clear(&out);
}

static void messages_nest(void **state)
{
	becomes("GraphDef", "node { name: \"a\" op: 'B' input: \"x:1\" input: \"^y\" }",
		SPAN("\x0a\x0f\x0a\x01"
		     "a\x12\x01"
		     "B\x1a\x03x:1\x1a\x02^y"));
	becomes("GraphDef", "node <> node: { } versions: <producer: 1>",
		SPAN("\x0a\0\x0a\0\x22\x02\x08\x01"));
	becomes("NodeDef", "attr { key: 'T' value { type: DT_INT32 } }",
		SPAN("\x2a\x07\x0a\x01T\x12\x02\x30\x03"));
	becomes("GraphDef", "", SPAN(""));
	becomes("GraphDef", " # nothing\n\t\r\n", SPAN(""));
}

static void numbers_go_to_the_wire_type_of_their_field(void **state)
{
	becomes("AttrValue", "i: -1", SPAN("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	becomes("AttrValue", "f: 1.5", SPAN("\x25\0\0\xc0\x3f"));
	becomes("AttrValue", "b: false", SPAN("\x28\0"));
	becomes("TensorProto", "double_val: 0.5", SPAN("\x32\x08\0\0\0\0\0\0\xe0\x3f"));
	becomes("TensorProto", "float_val: [1, -2]", SPAN("\x2a\x08\0\0\x80\x3f\0\0\0\xc0"));
	becomes("TensorProto", "uint64_val: 0xffffffffffffffff",
		SPAN("\x8a\x01\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	becomes("TensorProto", "int_val: 1 int_val: [] int_val: [2, 3] dtype: DT_HALF int_val: 4",
		SPAN("\x3a\x03\1\2\3\x08\x13\x3a\x01\4"));
	becomes("GraphDebugInfo.StackTrace", "frame_id: 1 frame_id: 258",
		SPAN("\x12\x10\1\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0"));
}

static void zeros_count_where_they_are_values(void **state)
{
	becomes("NodeDef", "name: '' op: \"\"", SPAN(""));
	becomes("AttrValue", "i: 0", SPAN("\x18\0"));
	becomes("AttrValue", "s: ''", SPAN("\x12\0"));
	becomes("NodeDef", "attr { key: '' value {} }", SPAN("\x2a\x04\x0a\0\x12\0"));
	becomes("TensorShapeProto.Dim", "size: -0 name: ''", SPAN(""));
	becomes("CostGraphDef.AggregatedCost", "cost: 0", SPAN(""));
	becomes("CostGraphDef.AggregatedCost", "cost: -0.0", SPAN("\x0d\0\0\0\x80"));
}

static void strings_mean_bytes(void **state)
{
	becomes("AttrValue", "s: 'a' # and\n \"b\"'c'",
		SPAN("\x12\x03"
		     "abc"));
	becomes("AttrValue", "s: \"\\n\\t\\\"\\'\\\\\\0\\377\\x41\\u00e9\\U0001F600\"",
		SPAN("\x12\x0e\n\t\"'\\\0\xff"
		     "A\xc3\xa9\xf0\x9f\x98\x80"));
	becomes("AttrValue", "s: 'say \"x\"' \"it's\"", SPAN("\x12\x0bsay \"x\"it's"));
}

/* Lengths of one, two and three bytes, in messages, in strings and in packed
 * numbers, inside each other. */
static void lengths_of_every_size(void **state)
{
	static const size_t lengths[] = {0, 100, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
		128, 129, 16370, 16374, 16375, 16376, 16377, 16378, 16379, 16380, 16383, 16384,
		70000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct buf text = {0}, expected = {0}, out = {0};
		struct tfprof_error err;
		size_t node, attr, value, list;

		buf_text(&text, "node { attr { key: 'k' value { list { s: '");
		buf_fill(&text, 'x', lengths[i]);
		buf_text(&text, "' i: [");
		for (size_t j = 0; j < lengths[i]; j++)
			buf_text(&text, j ? ",5" : "5");
		buf_text(&text, "] } } } } node { name: 'n' }");

		node = wire_open(&expected, GRAPH_DEF_NODE);
		attr = wire_open(&expected, NODE_DEF_ATTR);
		wire_put_bytes(&expected, MAP_KEY, SPAN("k"));
		value = wire_open(&expected, MAP_VALUE);
		list = wire_open(&expected, ATTR_VALUE_LIST);
		wire_put_varint(&expected, WIRE_LEN(ATTR_VALUE_LIST_VALUE_S));
		wire_put_varint(&expected, lengths[i]);
		buf_fill(&expected, 'x', lengths[i]);
		if (lengths[i]) {
			wire_put_varint(&expected, WIRE_LEN(ATTR_VALUE_LIST_VALUE_I));
			wire_put_varint(&expected, lengths[i]);
			buf_fill(&expected, 5, lengths[i]);
		}
		wire_close(&expected, list);
		wire_close(&expected, value);
		wire_close(&expected, attr);
		wire_close(&expected, node);
		buf_text(&expected, "\x0a\x03\x0a\x01n");

		assert_int_equal(text_to_wire(&schema_graph_def, buf_get(&text), &out, &err),
			TFPROF_OK);
		assert_true(span_equal(buf_get(&out), buf_get(&expected)));
		assert_int_equal(out.at[out.n], '\0');
		buf_clear(&text);
		buf_clear(&expected);
		buf_clear(&out);
	}
}

static void output_is_appended(void **state)
{
	struct buf out = {0}, expected = {0};
	struct buf text = {0};

	buf_text(&text, "node { name: '");
	buf_fill(&text, 'n', 200);
	buf_text(&text, "' }");
	buf_text(&out, "before");
	assert_int_equal(text_to_wire(&schema_graph_def, buf_get(&text), &out, NULL), TFPROF_OK);
	buf_text(&expected, "before\x0a\xcb\x01\x0a\xc8\x01");
	buf_fill(&expected, 'n', 200);
	assert_true(span_equal(buf_get(&out), buf_get(&expected)));
	buf_clear(&text);
	buf_clear(&out);
	buf_clear(&expected);
}

static void errors_say_where_and_what_is_right(void **state)
{
	refused("GraphDef", "node {\n  nmae: 'x'\n}",
		"line 2 column 3: NodeDef has no field \"nmae\": did you mean \"name\"?");
	refused("VersionDef", "x: 1",
		"line 1 column 1: VersionDef has no field \"x\": expected one of: producer, "
		"min_consumer, "
		"bad_consumers");
	refused("AttrValue", "type: DT_FLOTA",
		"line 1 column 7: DataType has no value \"DT_FLOTA\": did you mean \"DT_FLOAT\"?");
	refused("GraphDef", "node {\n",
		"line 2 column 1: the text ends inside NodeDef: the { at line 1 column 6 is not "
		"closed");
	refused("GraphDef", "node { >",
		"line 1 column 8: > does not match the { at line 1 column 6: expected }");
	refused("GraphDef", "node {} }", "line 1 column 9: unmatched }: there is no open bracket");
	refused("GraphDef", "node: 5",
		"line 1 column 7: found \"5\", expected node: "
		"its type is NodeDef, write it in { }");
	refused("NodeDef", "name 'x'",
		"line 1 column 6: missing colon after name: "
		"expected name: and a value");
	refused("NodeDef", "name: x",
		"line 1 column 7: found x, expected a string: "
		"put it in quotes");
	refused("NodeDef", "name:",
		"line 1 column 6: found the end of the text, expected a string: "
		"put it in quotes");
	refused("NodeDef", "\n\n name: 'x\n'",
		"line 3 column 8: the string is not closed: "
		"expected ' on the same line");
	refused("NodeDef", "name: 'a' name: 'b'",
		"line 1 column 11: name is repeated: "
		"NodeDef has only one");
	refused("AttrValue", "i: 1 b: true",
		"line 1 column 6: b conflicts with i: "
		"AttrValue has only one of them");
	refused("AttrValue", "i: 9223372036854775808",
		"line 1 column 4: 9223372036854775808 is out of "
		"range for i: expected a value from -2^63 to 2^63 - 1");
	refused("TensorProto", "uint32_val: -1",
		"line 1 column 13: -1 is out of range for uint32_val: "
		"expected a value from 0 to 2^32 - 1");
	refused("NodeDef", "[a.b] { }",
		"line 1 column 1: NodeDef has no extensions: "
		"[ ] cannot name a field of it");
	refused("AttrValue", "s: '\\q'",
		"line 1 column 5: unknown escape \\q: write \\\\ for a backslash; "
		"expected one of: \\n \\t \\r \\a \\b \\f \\v \\\" \\' \\? \\ooo \\xhh \\uhhhh "
		"\\Uhhhhhhhh");
	refused("NodeDef", "name: '\xc3\xa9' \xc3\xa9",
		"line 1 column 11: found \"\xc3\xa9\" in NodeDef: "
		"expected the name of a field");
}

static void a_text_may_hold_any_byte_and_need_not_end(void **state)
{
	struct tfprof_error err;
	static const char text[] =
		"attr <key: '\\x41\\u00e9' value {list {f: [-1.5e3, inf] i: 0x1f}}> # e";

	for (int c = 0; c < 256; c++)
		for (size_t i = 0; i < sizeof(text) - 1; i++) {
			struct buf out = {0};
			char *cut = mem_alloc(i + 1); /* sanitizers see whoever reads on */

			assert_non_null(cut);
			memcpy(cut, text, i);
			cut[i] = (char)c;
			text_to_wire(find("NodeDef"), (struct span){cut, i + 1}, &out, &err);
			text_to_wire(find("NodeDef"), (struct span){cut + i, 1}, &out, &err);
			mem_free(cut);
			buf_clear(&out);
		}
}

static void nesting_is_only_bound_by_memory(void **state)
{
	enum { DEPTH = 300000 };
	struct buf text = {0}, out = {0};
	struct tfprof_error err;
	struct span inside;
	size_t depth = 0;

	for (int i = 0; i < DEPTH; i++)
		buf_text(&text, "children<");
	buf_text(&text, "name:'x'");
	buf_fill(&text, '>', DEPTH);
	assert_int_equal(text_to_wire(&schema_graph_node_proto, buf_get(&text), &out, &err),
		TFPROF_OK);
	for (inside = buf_get(&out);; depth++) {
		struct wire_reader r = wire_reader(inside);
		struct wire_field f;

		assert_true(wire_next(&r, &f));
		if (f.tag != WIRE_LEN(GRAPH_NODE_CHILDREN))
			break;
		assert_ptr_equal(r.at, r.end);
		inside = f.bytes;
	}
	assert_int_equal(depth, DEPTH);
	assert_true(span_equal(inside, SPAN("\x0a\x01x")));
	buf_clear(&text);
	buf_clear(&out);
}

static void every_allocation_may_fail(void **state)
{
	struct buf text = {0}, expected = {0};
	struct tfprof_error err = {0};
	size_t nth;

	for (int i = 0; i < 20; i++) {
		buf_text(&text,
			"node { attr { key: 'k' value { list { func { attr { key: 'f' value { f: "
			"0.1000000000000000055511151231257827021181583404541015625");
		buf_fill(&text, '0', 150); /* too long for the fast way and its room */
		buf_text(&text, " } } } s: '");
		buf_fill(&text, 'x', 100);
		buf_text(&text, "\\001' i: [1, 2] shape [{}, {}] } } } }\n");
	}
	assert_int_equal(text_to_wire(&schema_graph_def, buf_get(&text), &expected, &err),
		TFPROF_OK);
	for (nth = 1;; nth++) {
		struct buf out = {0};
		enum tfprof_status status;

		buf_text(&out, "before");
		mem_fail_at(nth);
		status = text_to_wire(&schema_graph_def, buf_get(&text), &out, &err);
		mem_fail_at(0);
		if (status == TFPROF_OK) {
			assert_int_equal(out.n, expected.n + 6);
			assert_memory_equal(out.at + 6, expected.at, expected.n);
			buf_clear(&out);
			break;
		}
		assert_int_equal(status, TFPROF_NO_MEMORY);
		assert_int_equal(err.status, TFPROF_NO_MEMORY);
		assert_string_equal(err.text, "out of memory");
		assert_int_equal(out.n, 6);
		assert_string_equal(out.at, "before");
		buf_clear(&out);
	}
	assert_true(nth > 20);
	buf_clear(&text);
	buf_clear(&expected);
}

/* Where the last thing that grows is a run of numbers of the whole text. */
static void memory_may_end_with_the_text(void **state)
{
	enum { FLOATS = 33 }; /* so many bytes that their length needs two */

	for (size_t n = 1; n < 300; n++) {
		struct buf text = {0};
		size_t nth = 0;
		enum tfprof_status status;

		buf_text(&text, "tensor_content: '");
		buf_fill(&text, 'x', n);
		buf_text(&text, "' float_val: [1");
		for (size_t i = 1; i < FLOATS; i++)
			buf_text(&text, ",1");
		buf_text(&text, "]");
		do {
			struct buf out = {0};

			mem_fail_at(++nth);
			status = text_to_wire(find("TensorProto"), buf_get(&text), &out, NULL);
			mem_fail_at(0);
			if (status == TFPROF_OK)
				assert_int_equal(out.n,
					1 + wire_varint_size(n) + n + 1 + 2 + FLOATS * 4);
			buf_clear(&out);
		} while (status == TFPROF_NO_MEMORY);
		assert_int_equal(status, TFPROF_OK);
		buf_clear(&text);
	}
}

static void numbers_may_have_any_length(void **state)
{
	for (size_t n = 1; n < 300; n++) {
		struct buf text = {0};

		buf_text(&text, "f: 0.5");
		buf_fill(&text, '0', n);
		becomes("AttrValue", text.at, SPAN("\x25\0\0\0\x3f"));
		buf_clear(&text);
	}
	/* 2^64 + 1, which is not 1 */
	becomes("AttrValue", "f: 18446744073709551617", SPAN("\x25\0\0\x80\x5f"));
}

/* The decimal point is a point, whatever the program's language. */
static void numbers_do_not_depend_on_the_language(void **state)
{
	static const char *const languages[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", NULL};

	for (const char *const *l = languages; *l; l++)
		if (setlocale(LC_ALL, *l))
			break;
	becomes("AttrValue", "f: 0.1", SPAN("\x25\xcd\xcc\xcc\x3d"));
	becomes("AttrValue", "f: 1e-30", SPAN("\x25\x60\x42\xa2\x0d"));
	becomes("AttrValue", "f: 0.10000000000000000000000001", SPAN("\x25\xcd\xcc\xcc\x3d"));
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_nest),
		cmocka_unit_test(numbers_go_to_the_wire_type_of_their_field),
		cmocka_unit_test(zeros_count_where_they_are_values),
		cmocka_unit_test(strings_mean_bytes),
		cmocka_unit_test(lengths_of_every_size),
		cmocka_unit_test(output_is_appended),
		cmocka_unit_test(errors_say_where_and_what_is_right),
		cmocka_unit_test(a_text_may_hold_any_byte_and_need_not_end),
		cmocka_unit_test(nesting_is_only_bound_by_memory),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(memory_may_end_with_the_text),
		cmocka_unit_test(numbers_may_have_any_length),
		cmocka_unit_test(numbers_do_not_depend_on_the_language),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
