#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The table of inputs: it is complete, and every kind is added by its name or
 * recognized by its content, from a file and from memory. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/audit.h"
#include "load/recognize.h"
#include "proto/text.h"

#define CHECKPOINTS TEST_DATA "/checkpoint/"
#define MODELS TEST_DATA "/../models/files/"

/* A small one of each kind: a message in text form, an absolute path, or bytes. */
static const char *const samples[N_INPUTS] = {
	[INPUT_PROFILE] = "nodes { key: 0 value { name: 'a' op: 'b' } } nodes { key: 1 value { "
			  "name: 'c' op: 'b' id: 1 } }",
	[INPUT_GRAPH] = "node { name: 'a' op: 'b' } node { name: 'c' op: 'b' }",
	[INPUT_SAVED_MODEL] =
		"saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } "
		"graph_def { node { name: 'a' op: 'Placeholder' attr { key: 'shape' value { shape "
		"{ "
		"dim { size: 2 } } } } } node { name: 'c' op: 'Relu' input: 'a' } } }",
	[INPUT_META_GRAPH] =
		"meta_info_def { tags: 'serve' } graph_def { node { name: 'a' op: 'Placeholder' "
		"attr { key: 'shape' value { shape { dim { size: 2 } } } } } "
		"node { name: 'c' op: 'Relu' input: 'a' } }",
	[INPUT_KERAS] = MODELS "mixed.keras",
	[INPUT_KERAS_H5] = MODELS "k2_small/model.h5",
	[INPUT_TFLITE] = MODELS "conv1d/model.tflite",
	[INPUT_OP_LOG] = "log_entries { name: 'a' types: 'mine' float_ops: 7 }",
	[INPUT_DEBUG_INFO] = "files: '/x/a.py' traces { key: 'a@' value { file_line_cols { line: 3 "
			     "func: 'main' } } }",
	[INPUT_RUN_META] = "step_stats { dev_stats { device: '/cpu:0' node_stats { node_name: 'a' "
			   "all_start_micros: 5 } } }",
	[INPUT_XPLANE] =
		"planes { name: '/host:CPU' lines { name: 'python' timestamp_ns: 1000 events "
		"{ metadata_id: 1 offset_ps: 5000000 duration_ps: 2000000 } } "
		"event_metadata { key: 1 value { id: 1 name: 'a:Add' } } }",
	[INPUT_CHECKPOINT] = CHECKPOINTS "single/model.ckpt",
};

static const bool sample_has_step[N_INPUTS] = {[INPUT_RUN_META] = true, [INPUT_XPLANE] = true};

static char directory[] = "/tmp/tfprof_inputs_XXXXXX";

static int enter_directory(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	unlink("sample");
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

static bool is_files(int kind)
{
	return input_get_info((size_t)kind)->traits & TFPROF_INPUT_FILES;
}

static bool is_message(int kind)
{
	return recognize_get_look((enum input_kind)kind)->type;
}

static void write_sample(struct span bytes)
{
	FILE *file = fopen("sample", "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.at, 1, bytes.n, file), bytes.n);
	assert_int_equal(fclose(file), 0);
}

/* ---- the table ------------------------------------------------------------------ */

static void every_kind_is_complete(void **state)
{
	for (int kind = 0; kind < N_INPUTS; kind++) {
		const struct tfprof_input_info *info = tfprof_input_get_info((size_t)kind);
		char flag[64];

		assert_non_null(samples[kind]);
		snprintf(flag, sizeof(flag), "%s_path", info->name);
		assert_string_equal(info->flag, flag);
		assert_int_equal(strspn(info->name, "abcdefghijklmnopqrstuvwxyz_0123456789"),
			strlen(info->name));
		assert_int_equal(input_from_name(info->name), kind);
		assert_int_equal(info->help[strlen(info->help) - 1], '.');
		assert_non_null(strstr(info->progress, "..."));
		assert_int_equal(strncmp(input_get_subject((enum input_kind)kind), "the ", 4), 0);
		assert_int_equal(is_message(kind), info->message != NULL);
		assert_int_equal(is_message(kind), audit_get_type((enum input_kind)kind) != NULL);
		assert_false(is_message(kind) && is_files(kind));
	}
	assert_null(tfprof_input_get_info(N_INPUTS));
	assert_int_equal(input_from_name("graphs"), INPUT_UNKNOWN);
}

static void names_are_different(void **state)
{
	for (size_t i = 0; i < N_INPUTS; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(input_get_info(i)->name, input_get_info(k)->name);
}

/* ---- adding --------------------------------------------------------------------- */

static struct tfprof_summary add(const char *kind, struct tfprof_input in)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_summary summary;
	struct tfprof_error err;

	if (tfprof_profile_add(p, kind, &in, 3, &err) != TFPROF_OK)
		fail_msg("%s: %s", kind ? kind : "auto", err.text);
	tfprof_profile_get_summary(p, &summary);
	tfprof_profile_free(p);
	return summary;
}

static void same_either_way(int kind, struct tfprof_input in)
{
	const struct tfprof_input_info *info = input_get_info((size_t)kind);
	struct tfprof_summary named = add(info->name, in);
	struct tfprof_summary recognized = add(TFPROF_INPUT_AUTO, in);

	assert_int_equal(named.n_nodes, recognized.n_nodes);
	assert_int_equal(named.n_steps, recognized.n_steps);
	assert_int_equal(named.has_checkpoint, recognized.has_checkpoint);
	assert_int_equal(named.n_nodes == 0, (info->traits & TFPROF_INPUT_EXTRA) != 0);
	assert_int_equal(named.n_steps, sample_has_step[kind]);
}

static void every_kind_is_recognized(void **state)
{
	for (int kind = 0; kind < N_INPUTS; kind++) {
		struct span text = span_of(samples[kind]);
		struct buf wire = {0};

		if (*text.at == '/') {
			same_either_way(kind, tfprof_input_file(text.at));
			continue;
		}
		same_either_way(kind, tfprof_input_bytes(text.at, text.n));
		write_sample(text);
		same_either_way(kind, tfprof_input_file("sample"));
		if (!is_message(kind))
			continue;
		assert_int_equal(text_to_wire(recognize_get_look((enum input_kind)kind)->type, text,
					 &wire, NULL),
			TFPROF_OK);
		same_either_way(kind, tfprof_input_bytes(wire.at, wire.n));
		write_sample(buf_get(&wire));
		same_either_way(kind, tfprof_input_file("sample"));
		buf_clear(&wire);
	}
}

static void checkpoints_by_any_of_their_paths(void **state)
{
	static const char *const paths[] = {
		CHECKPOINTS "single/model.ckpt",
		CHECKPOINTS "single/model.ckpt.index",
		CHECKPOINTS "v1/model.ckpt",
		CHECKPOINTS "objects/checkpoint",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_true(add(TFPROF_INPUT_AUTO, tfprof_input_file(paths[i])).has_checkpoint);
}

/* ---- refusing ------------------------------------------------------------------- */

static void refused(const char *kind, struct tfprof_input in, enum tfprof_status status,
	const char *text)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_summary summary;
	struct tfprof_error err;

	assert_int_equal(tfprof_profile_add(p, kind, &in, 0, &err), status);
	assert_string_equal(err.text, text);
	tfprof_profile_get_summary(p, &summary);
	assert_int_equal(summary.n_nodes, 0);
	tfprof_profile_free(p);
}

/* `before`, what there is to choose from, `after`. */
static const char *choice(const char *before, bool by_name, const char *after)
{
	static char text[1024];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s: expected one of: ", before);

	for (int kind = 0; kind < N_INPUTS; kind++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", kind ? ", " : "",
			by_name ? input_get_info((size_t)kind)->name
				: recognize_get_look((enum input_kind)kind)->name);
	snprintf(text + n, sizeof(text) - n, "%s", after);
	return text;
}

static void what_is_no_input_is_refused(void **state)
{
	refused("graf", tfprof_input_bytes("", 0), TFPROF_ARGUMENT,
		choice("unknown kind of input 'graf'", true, " (did you mean 'graph'?)"));
	refused(TFPROF_INPUT_AUTO, tfprof_input_bytes("[]", 2), TFPROF_FORMAT,
		choice("the input: it looks like JSON (perhaps a timeline)", false, ""));
	write_sample(SPAN("\xff\xff\xff"));
	refused(TFPROF_INPUT_AUTO, tfprof_input_file("sample"), TFPROF_FORMAT,
		choice("sample: it looks like something unknown", false, ""));
	write_sample(SPAN(""));
	refused(TFPROF_INPUT_AUTO, tfprof_input_file("sample"), TFPROF_FORMAT,
		choice("sample: it looks like an empty file", false, ""));
	refused(TFPROF_INPUT_AUTO, tfprof_input_file("nowhere"), TFPROF_IO,
		"cannot read: nowhere: No such file or directory");
	refused("checkpoint", tfprof_input_bytes("abc", 3), TFPROF_ARGUMENT,
		"the checkpoint is read from files: give their path");
}

static void another_kind_is_named_with_its_flag(void **state)
{
	write_sample(SPAN("log_entries { name: 'a' }"));
	refused("graph", tfprof_input_file("sample"), TFPROF_FORMAT,
		"sample: not a GraphDef: it looks like an OpLogProto in text form (give it as "
		"--op_log_path)");
	refused("run_meta", tfprof_input_file(CHECKPOINTS "single/model.ckpt.index"), TFPROF_FORMAT,
		CHECKPOINTS "single/model.ckpt.index: not a RunMetadata: it looks like a table of "
			    "a TensorFlow checkpoint (give it as --checkpoint_path)");
	write_sample(SPAN("{}"));
	refused("graph", tfprof_input_file("sample"), TFPROF_FORMAT,
		"sample: not a GraphDef: it looks like JSON (perhaps a timeline)");
	refused("checkpoint", tfprof_input_file("sample"), TFPROF_FORMAT,
		"sample: not a checkpoint: it looks like JSON (perhaps a timeline)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_complete),
		cmocka_unit_test(names_are_different),
		cmocka_unit_test(every_kind_is_recognized),
		cmocka_unit_test(checkpoints_by_any_of_their_paths),
		cmocka_unit_test(what_is_no_input_is_refused),
		cmocka_unit_test(another_kind_is_named_with_its_flag),
	};

	return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
