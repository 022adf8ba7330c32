#include "load.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"

enum tfprof_status load_check(const char *const paths[N_FILES], struct tfprof_error *err)
{
	const char *other = paths[FILE_GRAPH] ? "graph_path" : "run_meta_path";

	if (paths[FILE_PROFILE] && (paths[FILE_GRAPH] || paths[FILE_RUN_META]))
		return fail(err, TFPROF_ARGUMENT,
			"--profile_path and --%s exclude each other: a "
			"profile holds graph and runs: give one of the two",
			other);
	if (!paths[FILE_PROFILE] && !paths[FILE_GRAPH] && !paths[FILE_RUN_META] &&
		!paths[FILE_CHECKPOINT])
		return fail(err, TFPROF_ARGUMENT,
			"nothing to read: give --profile_path=FILE, or --graph_path=FILE and what "
			"goes with it (see tfprof --help)");
	return TFPROF_OK;
}

static void note_profile(struct loaded *l)
{
	text_add(&l->notes, tfprof_profile_get_notes(l->profile));
}

static enum tfprof_status add_run(struct loaded *l, int64_t step, const char *path,
	struct tfprof_error *err)
{
	struct tfprof_input in = tfprof_input_file(path);
	enum tfprof_status status;

	progress_say("Parsing RunMetadata...");
	status = tfprof_profile_add_run_meta(l->profile, step, &in, &l->coverage, err);
	if (status != TFPROF_OK)
		return status;
	note_profile(l);
	text_printf(&l->notes, "run graph coverage: %.2f\n", l->coverage);
	return TFPROF_OK;
}

/* Files between commas become steps 0, 1, 2... */
static enum tfprof_status add_runs(struct loaded *l, const char *paths, struct tfprof_error *err)
{
	char *copy = strdup(paths), *rest = copy, *path;
	enum tfprof_status status = copy ? TFPROF_OK : fail_no_memory(err);
	int64_t step = 0;

	while (status == TFPROF_OK && (path = strsep(&rest, ",")))
		status = *path ? add_run(l, step++, path, err)
			       : fail(err, TFPROF_ARGUMENT,
					 "an empty file name: --run_meta_path=%.200s: separate "
					 "files by one comma",
					 paths);
	free(copy);
	return status;
}

static enum tfprof_status add_files(struct loaded *l, const char *const paths[N_FILES],
	struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	if (paths[FILE_PROFILE]) {
		struct tfprof_input in = tfprof_input_file(paths[FILE_PROFILE]);

		progress_say("Parsing ProfileProto...");
		status = tfprof_profile_load(l->profile, &in, err);
		note_profile(l);
	}
	if (status == TFPROF_OK && paths[FILE_GRAPH]) {
		struct tfprof_input in = tfprof_input_file(paths[FILE_GRAPH]);

		progress_say("Parsing GraphDef...");
		status = tfprof_profile_add_graph(l->profile, &in, err);
		note_profile(l);
	}
	if (status == TFPROF_OK && paths[FILE_OP_LOG]) {
		struct tfprof_input in = tfprof_input_file(paths[FILE_OP_LOG]);

		progress_say("Parsing OpLogProto...");
		status = tfprof_profile_add_op_log(l->profile, &in, err);
		note_profile(l);
	}
	if (status == TFPROF_OK && paths[FILE_RUN_META])
		status = add_runs(l, paths[FILE_RUN_META], err);
	if (status == TFPROF_OK && paths[FILE_CHECKPOINT]) {
		progress_say("Reading Checkpoint...");
		status = tfprof_profile_add_checkpoint(l->profile, paths[FILE_CHECKPOINT], err);
		note_profile(l);
	}
	return status;
}

enum tfprof_status load_files(struct loaded *l, const char *const paths[N_FILES],
	struct tfprof_error *err)
{
	enum tfprof_status status;

	*l = (struct loaded){tfprof_profile_new(), .coverage = -1};
	if (!l->profile)
		return fail_no_memory(err);
	progress_begin(l->profile);
	progress_say("Reading Files...");
	status = add_files(l, paths, err);
	progress_end();
	if (status == TFPROF_OK && l->notes.failed)
		status = fail_no_memory(err);
	if (status != TFPROF_OK)
		load_clear(l);
	return status;
}

void load_clear(struct loaded *l)
{
	tfprof_profile_free(l->profile);
	text_clear(&l->notes);
	*l = (struct loaded){0};
}

static void put_count(struct text *line, size_t n, const char *thing)
{
	text_printf(line, "%s%zu %s%s", line->n ? ", " : "", n, thing, n == 1 ? "" : "s");
}

void load_summarize(const struct loaded *l, struct text *line)
{
	struct tfprof_summary s;
	double coverage;

	tfprof_profile_get_summary(l->profile, &s);
	coverage = l->coverage >= 0 ? l->coverage : s.coverage;
	put_count(line, s.n_nodes, "node");
	put_count(line, s.n_steps, "step");
	put_count(line, s.n_devices, "device");
	text_printf(line, "; %scall stacks, %sfloat operations, %scheckpoint",
		s.has_code_traces ? "" : "no ", s.has_float_ops ? "" : "no ",
		s.has_checkpoint ? "" : "no ");
	if (s.n_steps)
		text_printf(line, "; coverage %.2f", coverage);
	text_char(line, '\n');
}
