#include "diff.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/span.h"
#include "exit_status.h"
#include "interrupt.h"
#include "load.h"
#include "run.h"
#include "show.h"

/* ---- sides ---------------------------------------------------------------------- */

struct side {
	const char **names; /* of the files */
	struct tfprof_given *given;
	size_t n;
	char *cut; /* what names between commas are cut from */
	struct loaded *runs;
	tfprof_profile **profiles;
	const char **labels; /* of the runs */
	size_t n_runs;       /* n, or 1 if the files are parts of one */
	struct buf label;    /* of that one */
};

static void side_clear(struct side *s)
{
	for (size_t i = 0; s->runs && i < s->n_runs; i++)
		load_clear(&s->runs[i]);
	if (s->given)
		tfprof_given_release(s->given, s->n);
	mem_free(s->names);
	mem_free(s->given);
	mem_free(s->cut);
	mem_free(s->runs);
	mem_free(s->profiles);
	mem_free(s->labels);
	buf_clear(&s->label);
}

static enum tfprof_status side_allocate(struct side *s, size_t most, struct tfprof_error *err)
{
	s->names = mem_zero_array(most + 1, sizeof(*s->names));
	s->given = mem_zero_array(most + 1, sizeof(*s->given));
	s->runs = mem_zero_array(most + 1, sizeof(*s->runs));
	s->profiles = mem_zero_array(most + 1, sizeof(*s->profiles));
	s->labels = mem_zero_array(most + 1, sizeof(*s->labels));
	return s->names && s->given && s->runs && s->profiles && s->labels ? TFPROF_OK
									   : error_no_memory(err);
}

/* Names between commas. */
static enum tfprof_status side_cut(struct side *s, const char *names, struct tfprof_error *err)
{
	size_t n = 1;
	char *rest, *name;

	for (const char *c = names; *c; c++)
		n += *c == ',';
	rest = s->cut = span_copy(span_of(names));
	if (!rest)
		return error_no_memory(err);
	if (side_allocate(s, n, err) != TFPROF_OK)
		return TFPROF_NO_MEMORY;
	while ((name = strsep(&rest, ",")))
		if (*name)
			s->names[s->n++] = name;
	return s->n ? TFPROF_OK : error_set(err, TFPROF_ARGUMENT, "no file name given: --base");
}

static enum tfprof_status side_take(struct side *s, const char **files, size_t n,
	struct tfprof_error *err)
{
	enum tfprof_status status = side_allocate(s, n, err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		s->names[s->n++] = files[i];
	return status;
}

static const char *given_path(const struct request *r, const char *flag)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (r->paths[i] && (!flag || strcmp(info->flag, flag) == 0))
			return flag ? r->paths[i] : info->flag;
	return NULL;
}

/* Which files are which side. */
static enum tfprof_status find_sides(const struct request *r, struct side *base,
	struct side *new_side, struct tfprof_error *err)
{
	const char *path = given_path(r, "profile_path"), *flag = given_path(r, NULL);
	bool has_base_step = tfprof_options_is_set(r->options, "base_step");
	enum tfprof_status status;

	if (flag && !path)
		return error_set(err, TFPROF_ARGUMENT,
			"--%s: a comparison takes files without flags: tfprof diff BASE... -- "
			"NEW...",
			flag);
	if (r->base && (r->n_files > 0) != (path != NULL) && r->n_base == NO_SIDES) {
		status = side_cut(base, r->base, err);
		if (status != TFPROF_OK)
			return status;
		return path ? side_cut(new_side, path, err)
			    : side_take(new_side, r->files, r->n_files, err);
	}
	if (!r->base && !path && r->n_base != NO_SIDES && r->n_base > 0 && r->n_base < r->n_files) {
		status = side_take(base, r->files, r->n_base, err);
		return status == TFPROF_OK
			? side_take(new_side, r->files + r->n_base, r->n_files - r->n_base, err)
			: status;
	}
	if (!r->base && !path && r->n_base == NO_SIDES && r->n_files == 2 && !has_base_step) {
		status = side_take(base, r->files, 1, err);
		return status == TFPROF_OK ? side_take(new_side, r->files + 1, 1, err) : status;
	}
	if (!r->base && !path && r->n_base == NO_SIDES && r->n_files && has_base_step) {
		status = side_take(base, r->files, r->n_files, err);
		return status == TFPROF_OK ? side_take(new_side, r->files, r->n_files, err)
					   : status;
	}
	return error_set(err, TFPROF_ARGUMENT,
		"two sides are needed: tfprof diff BASE NEW, or tfprof diff BASE... -- NEW..., or "
		"--base_step=N --step=M FILE");
}

/* ---- comparing -------------------------------------------------------------------- */

static bool are_models(const struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!tfprof_model_recognize(s->names[i]))
			return false;
	return true;
}

/* Finds out which files are which run. */
static enum tfprof_status side_split(struct side *s, struct tfprof_error *err)
{
	enum tfprof_status status;

	for (size_t i = 0; i < s->n; i++) {
		s->given[i] = (struct tfprof_given){TFPROF_INPUT_AUTO,
			tfprof_input_file(s->names[i]), TFPROF_NEXT_STEP, NULL};
		s->labels[i] = s->names[i];
		buf_printf(&s->label, "%s%s", i ? " + " : "", s->names[i]);
	}
	status = tfprof_given_count_runs(s->given, s->n, &s->n_runs, err);
	if (s->n_runs == 1)
		s->labels[0] = buf_get(&s->label).at;
	return status == TFPROF_OK && s->label.failed ? error_no_memory(err) : status;
}

static bool is_part(const struct tfprof_given *given)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (strcmp(info->name, given->kind) == 0)
			return !(info->traits & TFPROF_INPUT_RUN);
	return false;
}

/* tfprof diff graph run_meta: the two would be parts of one side. */
static enum tfprof_status check_sides(const struct side *base, const struct side *new_side,
	struct tfprof_error *err)
{
	if (base->n != 1 || new_side->n != 1 || !is_part(base->given) ||
		!is_part(new_side->given) || strcmp(base->given->kind, new_side->given->kind) == 0)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT,
		"%.200s and %.200s are parts of one profile: separate the sides with --, as in "
		"tfprof diff graph.pb run_meta_0 -- graph.pb run_meta_1",
		base->names[0], new_side->names[0]);
}

static enum tfprof_status load_side(struct side *s, const struct request *r,
	struct tfprof_error *err)
{
	size_t n_files = s->n_runs == 1 ? s->n : 1;
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < s->n_runs; i++) {
		status = load_given(&s->runs[i], &s->given[i], n_files, r, err);
		s->profiles[i] = s->runs[i].profile;
		if (status == TFPROF_OK)
			fputs(buf_get(&s->runs[i].notes).at, stderr);
	}
	return status;
}

static enum tfprof_status compare_models(const struct request *r, const struct side *base,
	const struct side *new_side, tfprof_result **result, struct tfprof_error *err)
{
	struct tfprof_input inputs[2];
	struct tfprof_diff_side old = {.model = &inputs[0], .reading = r->reading},
				new_model = {.model = &inputs[1], .reading = r->reading};

	if (base->n != 1 || new_side->n != 1)
		return error_set(err, TFPROF_ARGUMENT,
			"models do not vary between runs: compare one with one");
	inputs[0] = tfprof_input_file(base->names[0]);
	inputs[1] = tfprof_input_file(new_side->names[0]);
	return tfprof_diff_run(&old, &new_model, TFPROF_OP, r->options, NULL, result, err);
}

static enum tfprof_status compare_profiles(const struct request *r, struct side *base,
	struct side *new_side, tfprof_result **result, struct tfprof_error *err)
{
	enum tfprof_view view = r->view ? (enum tfprof_view)r->view->id : TFPROF_OP;
	struct tfprof_diff_side old, new_runs;
	enum tfprof_status status = side_split(base, err);

	if (status == TFPROF_OK)
		status = side_split(new_side, err);
	if (status == TFPROF_OK)
		status = check_sides(base, new_side, err);
	if (status == TFPROF_OK)
		status = load_side(base, r, err);
	if (status == TFPROF_OK)
		status = load_side(new_side, r, err);
	if (status != TFPROF_OK)
		return status;
	old = (struct tfprof_diff_side){.profiles = base->profiles,
		.names = base->labels,
		.n = base->n_runs};
	new_runs = (struct tfprof_diff_side){.profiles = new_side->profiles,
		.names = new_side->labels,
		.n = new_side->n_runs};
	interrupt_set(INTERRUPT_QUERY);
	return tfprof_diff_run(&old, &new_runs, view, r->options, interrupt_get(), result, err);
}

static enum tfprof_status show(const struct request *r, tfprof_result *result, int *exit_status,
	struct tfprof_error *err)
{
	enum tfprof_status status = show_result(result, NULL, interrupt_get(), err);

	if (status != TFPROF_OK)
		return status;
	fputs(tfprof_result_get_notes(result, NULL), stderr);
	*exit_status = run_exit_status(result);
	return status;
}

enum tfprof_status diff_report(const struct request *r, int *exit_status, struct tfprof_error *err)
{
	struct side base = {0}, new_side = {0};
	tfprof_result *result = NULL;
	enum tfprof_status status = find_sides(r, &base, &new_side, err);

	if (status == TFPROF_OK)
		status = !r->view && are_models(&base) && are_models(&new_side)
			? compare_models(r, &base, &new_side, &result, err)
			: compare_profiles(r, &base, &new_side, &result, err);
	if (status == TFPROF_OK)
		status = show(r, result, exit_status, err);
	tfprof_result_free(result);
	side_clear(&base);
	side_clear(&new_side);
	return status;
}
