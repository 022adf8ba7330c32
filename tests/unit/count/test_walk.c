#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Walks of small graphs in text form: calls, loops, conditionals and limits. */
#include "load/model_file.h"
#include "proto/schema.h"
#include "proto/text.h"

struct counted {
	struct buf wire;
	struct model_file file;
	struct walk walk;
};

static void count(struct counted *c, const char *text)
{
	static const struct model_file_options options = {0};
	struct tfprof_input in = tfprof_input_bytes("", 0);
	struct tfprof_error err;

	*c = (struct counted){0};
	assert_int_equal(text_to_wire(&schema_graph_def, span_of(text), &c->wire, &err), TFPROF_OK);
	assert_int_equal(model_file_open_graph(&c->file, buf_get(&c->wire), &options, &err),
		TFPROF_OK);
	assert_int_equal(model_file_walk(&c->file, &c->walk, &in, true, &err), TFPROF_OK);
}

static void end(struct counted *c)
{
	walk_clear(&c->walk);
	model_file_clear(&c->file);
	buf_clear(&c->wire);
}

static int64_t total(const struct counted *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < c->walk.records.n; i++)
		sum = count_add(sum,
			count_multiply(cost_float_ops(c->walk.records.at[i].cost),
				c->walk.records.at[i].times));
	return sum;
}

static bool has_note(const struct counted *c, enum note_kind kind, int64_t number)
{
	for (size_t i = 0; i < c->walk.notes.n; i++)
		if (c->walk.notes.at[i].kind == kind && c->walk.notes.at[i].number == number)
			return true;
	return false;
}

#define TYPE(name) " attr { key: '" name "' value { type: DT_FLOAT } }"
#define INPUT_4x6                                                                                  \
	"node { name: 'x' op: 'Placeholder'" TYPE(                                                 \
		"dtype") " attr { key: 'shape' value { shape { dim { size: 4 } dim { size: 6 } } " \
			 "} } } "
#define CONST(name, value)                                                                      \
	"node { name: '" name "' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } "   \
	"attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: " value \
	" } } } } "
#define FUNCTION_CONST(name, value)                                                               \
	"node_def { name: '" name "' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } " \
	"attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: " value   \
	" } } } } "
#define CALL(name, function, input)                                    \
	"node { name: '" name "' op: 'PartitionedCall' input: '" input \
	"' attr { key: 'f' value { func { name: '" function "' } } } } "
/* One argument x, one result y. */
#define FUNCTION(name, body, result)                                                        \
	"function { signature { name: '" name "' input_arg { name: 'x' type: DT_FLOAT } "   \
	"output_arg { name: 'y' type: DT_FLOAT } } " body " ret { key: 'y' value: '" result \
	"' } } "

static void calls(void **state)
{
	struct counted c;

	count(&c,
		INPUT_4x6 CALL("a", "f", "x") CALL("b", "f", "a") "library { " FUNCTION("f",
			"node_def { name: 'r' op: 'Relu' input: 'x' } ", "r:activations:0") "}");
	assert_int_equal(total(&c), 2 * 4 * 6);
	/* What a call runs knows which node of the main graph calls it. */
	for (size_t i = 0; i < c.walk.records.n; i++)
		if (c.walk.records.at[i].cost.others)
			assert_non_null(c.walk.sites.at[c.walk.records.at[i].site].caller);
	end(&c);
}

/* The first result is made of the second, which a caller asks for, too. */
static void results_need_each_other(void **state)
{
	struct counted c;

	count(&c,
		INPUT_4x6 CALL("a", "f",
			"x") "library { function { signature { name: 'f' "
			     "input_arg { name: 'x' type: DT_FLOAT } "
			     "output_arg { name: 'y' type: DT_FLOAT } "
			     "output_arg { name: 'z' type: DT_FLOAT } } "
			     "node_def { name: 'r' op: 'Relu' input: 'x' } "
			     "node_def { name: 's' op: 'Sum' input: "
			     "'r:activations:0' input: 'axis:output:0' } " FUNCTION_CONST("axis",
				     "1") "ret { key: 'y' value: 's:output:0' } "
					  "ret { key: 'z' value: 'r:activations:0' } } }");
	/* Relu, and five additions in each of four rows. */
	assert_int_equal(total(&c), 4 * 6 + 4 * 5);
	for (size_t i = 0; i < c.walk.records.n; i++)
		assert_int_equal(c.walk.records.at[i].state, RECORD_COUNTED);
	end(&c);
}

/* The graph of a function has handles of variables as arguments: what reads one has a shape of
 * its own. */
static void handles_are_no_variables(void **state)
{
	struct counted c;

	count(&c,
		INPUT_4x6
		"node { name: 'handle' op: 'Placeholder' attr { key: 'dtype' value { type: "
		"DT_RESOURCE } } attr { key: 'shape' value { shape { } } } } "
		"node { name: 'read' op: 'ReadVariableOp' input: 'handle'" TYPE(
			"dtype") " attr { key: '_output_shapes' value { list { shape { dim { size: "
				 "6 } dim { size: 5 } } } } } } "
				 "node { name: 'm' op: 'MatMul' input: 'x' input: 'read' } "
				 "node { name: 'add' op: 'AssignAddVariableOp' input: 'handle' "
				 "input: 'm' } ");
	assert_int_equal(total(&c), 2 * 4 * 6 * 5 + 4 * 5);
	end(&c);
}

static void recursion_ends(void **state)
{
	struct counted c;

	count(&c,
		INPUT_4x6 CALL("a", "f", "x") "library { " FUNCTION("f",
			"node_def { name: 'r' op: 'Relu' input: 'x' } "
			"node_def { name: 'again' op: 'PartitionedCall' input: 'r:activations:0' "
			"attr { key: 'f' value { func { name: 'f' } } } } ",
			"again:output:0") "}");
	assert_true(has_note(&c, NOTE_TOO_DEEP, WALK_MAX_CALLS));
	assert_true(total(&c) <= WALK_MAX_CALLS * 4 * 6);
	end(&c);
}

static void missing_functions_are_noted(void **state)
{
	struct counted c;

	count(&c, INPUT_4x6 CALL("a", "nowhere", "x"));
	assert_int_equal(c.walk.notes.n, 1);
	assert_int_equal(c.walk.notes.at[0].kind, NOTE_NO_FUNCTION);
	end(&c);
}

/* for (i = 0; i < limit; i++) x = relu(x) */
#define LOOP(limit)                                                                                \
	INPUT_4x6 CONST("zero",                                                                    \
		"0") "node { name: 'loop' op: 'While' input: 'zero' input: 'x' "                   \
		     "attr { key: 'cond' value { func { name: 'cond' } } } "                       \
		     "attr { key: 'body' value { func { name: 'body' } } } } "                     \
		     "library { function { signature { name: 'cond' input_arg { name: 'i' type: "  \
		     "DT_INT32 } "                                                                 \
		     "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'go' type: "       \
		     "DT_BOOL } } " FUNCTION_CONST("limit",                                        \
			     limit) "node_def { name: 'less' op: 'Less' input: 'i' input: "        \
				    "'limit:output:0' } "                                          \
				    "ret { key: 'go' value: 'less:z:0' } } "                       \
				    "function { signature { name: 'body' input_arg { name: 'i' "   \
				    "type: DT_INT32 } "                                            \
				    "input_arg { name: 'x' type: DT_FLOAT } output_arg { name: "   \
				    "'i2' type: DT_INT32 } "                                       \
				    "output_arg { name: 'x2' type: DT_FLOAT } } " FUNCTION_CONST(  \
					    "one",                                                 \
					    "1") "node_def { name: 'next' op: 'AddV2' input: 'i' " \
						 "input: 'one:output:0' } "                        \
						 "node_def { name: 'r' op: 'Relu' input: 'x' } "   \
						 "ret { key: 'i2' value: 'next:z:0' } ret { key: " \
						 "'x2' value: 'r:activations:0' } } }"

static void loops_count_their_turns(void **state)
{
	struct counted c;

	count(&c, LOOP("7"));
	assert_int_equal(total(&c), 7 * 4 * 6);
	assert_true(has_note(&c, NOTE_LOOP, 7));
	end(&c);
	count(&c, LOOP("0"));
	assert_int_equal(total(&c), 0);
	end(&c);
}

/* for (i = 0; i < 6; i++) for (j = 0; j < i; j++) x = relu(x): what is in the inner loop runs
 * 0 + 1 + ... + 5 times. The limit of the inner loop is its third variable. */
/* clang-format off */
#define ARGUMENT(name, type) "input_arg { name: '" name "' type: DT_" type " } "
#define RESULT(name, type) "output_arg { name: '" name "' type: DT_" type " } "
#define RETURN(name, value) "ret { key: '" name "' value: '" value "' } "
#define NODE(name, op, inputs) "node_def { name: '" name "' op: '" op "' " inputs "} "
#define LOOP_OF(cond, body) "attr { key: 'cond' value { func { name: '" cond "' } } } " \
	"attr { key: 'body' value { func { name: '" body "' } } } "
#define NEXT FUNCTION_CONST("one", "1") \
	NODE("next", "AddV2", "input: 'i' input: 'one:output:0' ")
static const char triangle[] = INPUT_4x6 CONST("zero", "0")
	"node { name: 'outer' op: 'While' input: 'zero' input: 'x' " LOOP_OF("cond", "body") "} "
	"library { "
	"function { signature { name: 'cond' " ARGUMENT("i", "INT32") ARGUMENT("x", "FLOAT")
		RESULT("go", "BOOL") "} " FUNCTION_CONST("limit", "6")
		NODE("less", "Less", "input: 'i' input: 'limit:output:0' ") RETURN("go", "less:z:0") "} "
	"function { signature { name: 'body' " ARGUMENT("i", "INT32") ARGUMENT("x", "FLOAT")
		RESULT("i2", "INT32") RESULT("x2", "FLOAT") "} " NEXT FUNCTION_CONST("zero", "0")
		NODE("inner", "While", "input: 'zero:output:0' input: 'x' input: 'i' "
			LOOP_OF("cond2", "body2"))
		RETURN("i2", "next:z:0") RETURN("x2", "inner:output:1") "} "
	"function { signature { name: 'cond2' " ARGUMENT("i", "INT32") ARGUMENT("x", "FLOAT")
		ARGUMENT("n", "INT32") RESULT("go", "BOOL") "} "
		NODE("less", "Less", "input: 'i' input: 'n' ") RETURN("go", "less:z:0") "} "
	"function { signature { name: 'body2' " ARGUMENT("i", "INT32") ARGUMENT("x", "FLOAT")
		ARGUMENT("n", "INT32") RESULT("i2", "INT32") RESULT("x2", "FLOAT")
		RESULT("n2", "INT32") "} " NEXT NODE("r", "Relu", "input: 'x' ")
		RETURN("i2", "next:z:0") RETURN("x2", "r:activations:0") RETURN("n2", "n") "} "
	"}";
/* clang-format on */

static void inner_loops_may_depend_on_the_turn(void **state)
{
	struct counted c;

	count(&c, triangle);
	assert_int_equal(total(&c), 15 * 4 * 6);
	assert_true(has_note(&c, NOTE_LOOP, 6));
	end(&c);
}

static void loops_without_end_are_cut(void **state)
{
	struct counted c;

	count(&c, LOOP("2000000000"));
	assert_int_equal(c.walk.notes.n, 1);
	assert_int_equal(c.walk.notes.at[0].kind, NOTE_LOOP_LIMIT);
	end(&c);
}

static void what_has_no_rule_is_not_counted(void **state)
{
	struct counted c;
	size_t n = 0;

	count(&c,
		INPUT_4x6 "node { name: 'y' op: 'MyOwn' input: 'x' } "
			  "node { name: 'z' op: 'Relu' input: 'y' }");
	for (size_t i = 0; i < c.walk.records.n; i++)
		n += c.walk.records.at[i].state == RECORD_NOT_COUNTED;
	assert_int_equal(n, 2);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(recursion_ends),
		cmocka_unit_test(results_need_each_other),
		cmocka_unit_test(handles_are_no_variables),
		cmocka_unit_test(missing_functions_are_noted),
		cmocka_unit_test(loops_count_their_turns),
		cmocka_unit_test(inner_loops_may_depend_on_the_turn),
		cmocka_unit_test(loops_without_end_are_cut),
		cmocka_unit_test(what_has_no_rule_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
