#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire_write.h"
#include "query/options.h"

static tfprof_options *options;
static struct tfprof_error err;

static int make(void **state)
{
	options = tfprof_options_new();
	return options ? 0 : -1;
}

static int drop(void **state)
{
	tfprof_options_free(options);
	return 0;
}

static void set(const char *name, const char *value)
{
	if (tfprof_options_set(options, name, value, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
}

static void assert_rejected(const char *name, const char *value, const char *part)
{
	assert_int_equal(tfprof_options_set(options, name, value, &err), TFPROF_ARGUMENT);
	if (!strstr(err.text, part))
		fail_msg("'%s' lacks '%s'", err.text, part);
}

/* The first that it applies to; NULL: any. */
static const char *question_of(const struct tfprof_option_info *info)
{
	static char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(info->applies_to, " "), info->applies_to);
	return strcmp(name, "all") == 0 ? NULL : name;
}

static void test_one_name_may_mean_two_options(void **state)
{
	assert_int_equal(tfprof_options_set_for(options, "diff", "order_by", "percent", &err),
		TFPROF_OK);
	assert_int_equal(tfprof_options_set_for(options, "model", "order_by", "percent", &err),
		TFPROF_ARGUMENT);
	assert_non_null(strstr(err.text, "--order_by: unknown word 'percent'"));
	assert_int_equal(tfprof_options_set_for(options, "op", "batch_size", "3", &err),
		TFPROF_ARGUMENT);
	assert_string_equal(err.text, "--batch_size is not an option of op");
	tfprof_set_spelling(TFPROF_SPELL_KEYWORDS);
	assert_int_equal(tfprof_options_set_for(options, "model", "batch_size", "0", &err),
		TFPROF_ARGUMENT);
	assert_string_equal(err.text, "batch_size: '0': expected a number of at least 1");
	assert_int_equal(tfprof_options_set(options, "output", "file", &err), TFPROF_ARGUMENT);
	assert_string_equal(err.text, "output: type file needs a file: output='file:outfile=PATH'");
	tfprof_set_spelling(TFPROF_SPELL_SHELL);
	assert_int_equal(tfprof_options_set(options, "output", "file", &err), TFPROF_ARGUMENT);
	assert_string_equal(err.text, "-output: type file needs a file: -output file:outfile=PATH");
	tfprof_set_spelling(TFPROF_SPELL_FLAGS);
}

static void test_every_option_reads_back(void **state)
{
	const struct tfprof_option_info *info;

	for (size_t i = 0; (info = tfprof_option_get_info(i)); i++) {
		tfprof_options *one = tfprof_options_new();
		const char *question = question_of(info);

		assert_non_null(info->help);
		if (*info->default_value)
			assert_int_equal(tfprof_options_set_for(one, question, info->name,
						 info->default_value, &err),
				TFPROF_OK);
		assert_string_equal(tfprof_options_get(one, info->name), info->default_value);
		tfprof_options_free(one);
	}
	set("select", "params,bytes,params");
	assert_string_equal(tfprof_options_get(options, "select"), "bytes,params");
	set("show_name_regexes", "a.*,,b");
	assert_string_equal(tfprof_options_get(options, "show_name_regexes"), "a.*,b");
	set("min_bytes", "-9223372036854775808");
	assert_string_equal(tfprof_options_get(options, "min_bytes"), "-9223372036854775808");
	assert_null(tfprof_options_get(options, "nothing"));
}

static void test_invalid_values_change_nothing(void **state)
{
	assert_rejected("max_depth", "ten", "-max_depth: 'ten' is not a whole number");
	assert_rejected("max_depth", "", "not a whole number");
	assert_rejected("max_depth", "9223372036854775808", "not a 64-bit whole number");
	assert_rejected("order_by", "microz", "did you mean 'micros'?");
	assert_rejected("select", "micros,parms", "unknown word 'parms'");
	assert_rejected("select", "parms", "expected one of: accelerator_micros, busy, ");
	assert_rejected("account_displayed_op_only", "maybe", "true, false");
	assert_rejected("output", "fil:outfile=x", "did you mean 'file'?");
	assert_rejected("output", "file", "needs a file");
	assert_rejected("output", "file:path=x", "expected outfile=PATH");
	assert_rejected("output", "file:outfile=x,mode=y", "unknown setting 'mode=y'");
	assert_rejected("output", "stdout:outfile=x", "expected none");
	assert_rejected("max_dept", "1", "did you mean 'max_depth'?");
	assert_string_equal(tfprof_options_get(options, "max_depth"), "10");
	assert_string_equal(tfprof_options_get(options, "order_by"), "name");
	assert_string_equal(tfprof_options_get(options, "select"), "micros");
	assert_string_equal(tfprof_options_get(options, "output"), "stdout");
}

static void test_outfile_may_contain_punctuation(void **state)
{
	set("output", "file:outfile=/tmp/a=b,c:d");
	assert_true(span_equal(options->output.outfile, SPAN("/tmp/a=b,c:d")));
}

static void test_units_and_blanks(void **state)
{
	set("min_micros", "1.5ms");
	assert_string_equal(tfprof_options_get(options, "min_micros"), "1500");
	set("min_peak_bytes", "2MB");
	assert_string_equal(tfprof_options_get(options, "min_peak_bytes"), "2000000");
	set("min_params", "3k");
	assert_string_equal(tfprof_options_get(options, "min_params"), "3000");
	assert_rejected("min_micros", "1MB", "-min_micros: unknown unit 'MB' in '1MB'");
	assert_rejected("step", "1k", "-step: '1k' is not a whole number");
	set("select", "params, bytes,  device");
	assert_string_equal(tfprof_options_get(options, "select"), "bytes,device,params");
	set("trim_name_regexes", " a, b,c");
	assert_string_equal(tfprof_options_get(options, "trim_name_regexes"), " a,b,c");
}

static void test_lists_may_contain_commas(void **state)
{
	static const char *const regexes[] = {"a{1,2}", "b"}, *const words[] = {"params", "bytes"},
				 *const bad[] = {"(", "x"};

	assert_int_equal(tfprof_options_set_list(options, "hide_name_regexes", regexes, 2, &err),
		TFPROF_OK);
	assert_int_equal(options->list[OPT_HIDE_NAME_REGEXES].n, 2);
	assert_true(span_equal(options->list[OPT_HIDE_NAME_REGEXES].at[0], SPAN("a{1,2}")));
	assert_int_equal(tfprof_options_set_list(options, "hide_name_regexes", NULL, 0, &err),
		TFPROF_OK);
	assert_int_equal(options->list[OPT_HIDE_NAME_REGEXES].n, 0);
	assert_int_equal(tfprof_options_set_list(options, "select", words, 2, &err), TFPROF_OK);
	assert_string_equal(tfprof_options_get(options, "select"), "bytes,params");
	assert_int_equal(options->first_number, ORDER_PARAMS);
	assert_int_equal(tfprof_options_set_list(options, "select", regexes, 2, &err),
		TFPROF_ARGUMENT);
	assert_int_equal(tfprof_options_set_list(options, "show_name_regexes", bad, 2, &err),
		TFPROF_REGEX);
	assert_int_equal(tfprof_options_set_list(options, "step", words, 2, &err), TFPROF_ARGUMENT);
	assert_int_equal(tfprof_options_set_list(options, "stepp", words, 2, &err),
		TFPROF_ARGUMENT);
}

static void test_which_options_are_set(void **state)
{
	tfprof_options *copy;

	assert_false(tfprof_options_is_set(options, "max_depth"));
	assert_false(tfprof_options_is_set(options, "nothing"));
	assert_rejected("max_depth", "x", "max_depth");
	assert_false(tfprof_options_is_set(options, "max_depth"));
	set("max_depth", "10");
	assert_true(tfprof_options_is_set(options, "max_depth"));
	copy = tfprof_options_copy(options);
	assert_true(tfprof_options_is_set(copy, "max_depth"));
	assert_false(tfprof_options_is_set(copy, "order_by"));
	tfprof_options_free(copy);
	/* A message is complete: an absent field has a meaning, too. */
	assert_int_equal(tfprof_options_set_message(options, "", 0, &err), TFPROF_OK);
	assert_true(tfprof_options_is_set(options, "order_by"));
}

static void test_copies_are_independent(void **state)
{
	tfprof_options *copy;

	set("output", "file:outfile=/tmp/x");
	set("trim_name_regexes", "a,b");
	copy = tfprof_options_copy(options);
	assert_non_null(copy);
	set("trim_name_regexes", "c");
	set("output", "stdout");
	assert_string_equal(tfprof_options_get(copy, "trim_name_regexes"), "a,b");
	assert_true(span_equal(copy->output.outfile, SPAN("/tmp/x")));
	tfprof_options_free(copy);
}

static void test_message(void **state)
{
	struct buf b = {0};

	wire_put_int(&b, 1, 5);
	wire_put_int(&b, 18, -1);
	wire_put_bytes(&b, 7, SPAN("nonsense"));
	wire_put_bytes(&b, 8, SPAN("a,b"));
	wire_put_bytes(&b, 14, SPAN("params"));
	wire_put_bytes(&b, 14, SPAN("nonsense"));
	assert_int_equal(tfprof_options_set_message(options, b.at, b.n, &err), TFPROF_OK);
	assert_int_equal(options->number[OPT_MAX_DEPTH], 5);
	assert_int_equal(options->number[OPT_STEP], -1);
	assert_int_equal(options->number[OPT_SOURCE_LINES], 0);
	assert_int_equal(options->number[OPT_DOC], 1);
	assert_int_equal(options->order, ORDER_NAME);
	assert_int_equal(options->list[OPT_ACCOUNT_TYPE_REGEXES].n, 1);
	assert_int_equal(options->list[OPT_SHOW_NAME_REGEXES].n, 0);
	assert_int_equal(options->selected, 1u << SEL_PARAMS);
	assert_int_equal(options->output.format, FORMAT_STDOUT);
	/* A damaged message changes nothing. */
	assert_int_equal(tfprof_options_set_message(options, b.at, b.n - 1, &err), TFPROF_FORMAT);
	assert_int_equal(options->number[OPT_MAX_DEPTH], 5);
	buf_clear(&b);
}

static void test_command_is_quoted_for_a_shell(void **state)
{
	const char *const file[] = {"my model.pb", NULL};
	const char *const flags[] = {"--graph_path=a", "--op_log_path=b", NULL};

	assert_string_equal(tfprof_options_get_command(options, "op", flags),
		"tfprof op --graph_path=a --op_log_path=b");
	tfprof_options_set(options, "show_name_regexes", "it's.*,b", &err);
	tfprof_options_set(options, "step", "2", &err);
	assert_string_equal(tfprof_options_get_command(options, "scope", file),
		"tfprof scope 'my model.pb' --step=2 '--show_name_regexes=it'\\''s.*,b'");
}

static void test_command_keeps_the_order(void **state)
{
	const char *const file[] = {"f", NULL};

	tfprof_options_set(options, "select", "micros,bytes", &err);
	assert_string_equal(tfprof_options_get_command(options, "op", file),
		"tfprof op f --order_by=work --select=bytes,micros");
	assert_string_equal(tfprof_options_get_command(options, "code", file),
		"tfprof code f --select=bytes,micros");
}

static void test_no_memory(void **state)
{
	enum tfprof_status status = TFPROF_NO_MEMORY;

	for (size_t n = 1; status == TFPROF_NO_MEMORY; n++) {
		mem_fail_at(n);
		status = tfprof_options_set(options, "show_name_regexes", "a,b,c", &err);
		mem_fail_at(0);
		if (status == TFPROF_NO_MEMORY)
			assert_string_equal(tfprof_options_get(options, "show_name_regexes"), ".*");
	}
	assert_int_equal(status, TFPROF_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_name_may_mean_two_options, make, drop),
		cmocka_unit_test_setup_teardown(test_every_option_reads_back, make, drop),
		cmocka_unit_test_setup_teardown(test_invalid_values_change_nothing, make, drop),
		cmocka_unit_test_setup_teardown(test_outfile_may_contain_punctuation, make, drop),
		cmocka_unit_test_setup_teardown(test_units_and_blanks, make, drop),
		cmocka_unit_test_setup_teardown(test_lists_may_contain_commas, make, drop),
		cmocka_unit_test_setup_teardown(test_which_options_are_set, make, drop),
		cmocka_unit_test_setup_teardown(test_copies_are_independent, make, drop),
		cmocka_unit_test_setup_teardown(test_message, make, drop),
		cmocka_unit_test_setup_teardown(test_command_is_quoted_for_a_shell, make, drop),
		cmocka_unit_test_setup_teardown(test_command_keeps_the_order, make, drop),
		cmocka_unit_test_setup_teardown(test_no_memory, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
