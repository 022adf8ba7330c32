#include "load.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"

/* The flag of the first given input that has this trait, or NULL. */
static const char *given_with(const char **paths, enum tfprof_input_traits trait)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (paths[i] && info->traits & trait)
			return info->flag;
	return NULL;
}

static bool is_enough(const char **paths)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (paths[i] && !(info->traits & TFPROF_INPUT_EXTRA))
			return true;
	return false;
}

enum tfprof_status load_check(const char **paths, struct tfprof_error *err)
{
	const char *whole = given_with(paths, TFPROF_INPUT_WHOLE);
	const char *part = given_with(paths, TFPROF_INPUT_PART);

	if (whole && part)
		return fail(err, TFPROF_ARGUMENT,
			"--%s and --%s cannot be combined: a "
			"profile holds graph and runs: give one of the two",
			whole, part);
	if (!is_enough(paths))
		return fail(err, TFPROF_ARGUMENT,
			"no input: give --profile_path=FILE, or --graph_path=FILE and what "
			"goes with it (see tfprof --help)");
	return TFPROF_OK;
}

static enum tfprof_status add_file(struct loaded *l, const struct tfprof_input_info *info,
	const char *path, int64_t step, struct tfprof_error *err)
{
	struct tfprof_input in = tfprof_input_file(path);
	enum tfprof_status status;

	progress_say(info->progress);
	status = tfprof_profile_add(l->profile, info->name, &in, step, err);
	if (status != TFPROF_OK)
		return status;
	text_add(&l->notes, tfprof_profile_get_notes(l->profile));
	if (info->traits & TFPROF_INPUT_BY_STEP) {
		l->coverage = tfprof_profile_get_coverage(l->profile);
		text_printf(&l->notes, "run graph coverage: %.2f\n", l->coverage);
	}
	return TFPROF_OK;
}

/* Files between commas become steps 0, 1, 2... */
static enum tfprof_status add_steps(struct loaded *l, const struct tfprof_input_info *info,
	const char *paths, struct tfprof_error *err)
{
	char *copy = strdup(paths), *rest = copy, *path;
	enum tfprof_status status = copy ? TFPROF_OK : fail_no_memory(err);
	int64_t step = 0;

	while (status == TFPROF_OK && (path = strsep(&rest, ",")))
		status = *path ? add_file(l, info, path, step++, err)
			       : fail(err, TFPROF_ARGUMENT,
					 "an empty file name: --%s=%.200s: separate "
					 "files by one comma",
					 info->flag, paths);
	free(copy);
	return status;
}

static enum tfprof_status add_files(struct loaded *l, const char **paths, struct tfprof_error *err)
{
	const struct tfprof_input_info *info;
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && (info = tfprof_input_get_info(i)); i++)
		if (paths[i])
			status = info->traits & (TFPROF_INPUT_BY_STEP | TFPROF_INPUT_SEVERAL)
				? add_steps(l, info, paths[i], err)
				: add_file(l, info, paths[i], 0, err);
	return status;
}

enum tfprof_status load_files(struct loaded *l, const char **paths, struct tfprof_error *err)
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
