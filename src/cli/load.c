#include "load.h"

#include <string.h>

#include "base/error.h"
#include "progress.h"

/* The flag of the first given input that has one of these traits, or NULL. */
static const char *given_with(const char **paths, unsigned trait)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (paths[i] && info->traits & trait)
			return info->flag;
	return NULL;
}

/* Whether what the flags name goes together: errors are in terms of flags. Other files
 * are checked once it is known what they are. */
static enum tfprof_status check_flags(const struct request *r, struct tfprof_error *err)
{
	const char *whole = given_with(r->paths, TFPROF_INPUT_WHOLE);
	const char *part = given_with(r->paths, TFPROF_INPUT_PART);

	if (whole && part)
		return error_set(err, TFPROF_ARGUMENT,
			"--%s and --%s cannot be combined: a "
			"profile contains graph and runs: give one of the two",
			whole, part);
	if (!r->n_files && !given_with(r->paths, ~(unsigned)TFPROF_INPUT_EXTRA))
		return error_set(err, TFPROF_ARGUMENT,
			"no input: give FILE or --profile_path=FILE, or --graph_path=FILE and what "
			"goes with it (see tfprof --help)");
	return TFPROF_OK;
}

/* ---- what is given ----------------------------------------------------------- */

struct givens {
	struct tfprof_given *at;
	size_t n;
	char **names; /* of each kind, what its paths between commas are cut from, or NULL */
};

static size_t count_kinds(void)
{
	size_t n = 0;

	while (tfprof_input_get_info(n))
		n++;
	return n;
}

static size_t count_files(const struct request *r)
{
	size_t n = r->n_files;

	for (size_t i = 0; tfprof_input_get_info(i); i++)
		for (const char *at = r->paths[i]; at; at = strchr(at + 1, ','))
			n++;
	return n;
}

static void give(struct givens *g, const char *kind, const char *path)
{
	g->at[g->n++] =
		(struct tfprof_given){kind, tfprof_input_file(path), TFPROF_NEXT_STEP, NULL};
}

/* Files between commas become steps 0, 1, 2... */
static enum tfprof_status give_steps(struct givens *g, size_t kind, const char *paths,
	struct tfprof_error *err)
{
	const struct tfprof_input_info *info = tfprof_input_get_info(kind);
	char *rest = g->names[kind] = span_copy(span_of(paths)), *path;

	if (!rest)
		return error_no_memory(err);
	while ((path = strsep(&rest, ","))) {
		if (!*path)
			return error_set(err, TFPROF_ARGUMENT,
				"an empty file name: --%s=%.200s: separate files by one comma",
				info->flag, paths);
		give(g, info->name, path);
	}
	return TFPROF_OK;
}

static enum tfprof_status give_all(struct givens *g, const struct request *r,
	struct tfprof_error *err)
{
	const struct tfprof_input_info *info;
	enum tfprof_status status = TFPROF_OK;

	g->at = mem_zero_array(count_files(r) + 1, sizeof(*g->at));
	g->names = mem_zero_array(count_kinds(), sizeof(*g->names));
	if (!g->at || !g->names)
		return error_no_memory(err);
	for (size_t i = 0; status == TFPROF_OK && (info = tfprof_input_get_info(i)); i++) {
		if (!r->paths[i])
			continue;
		if (info->traits & (TFPROF_INPUT_BY_STEP | TFPROF_INPUT_SEVERAL))
			status = give_steps(g, i, r->paths[i], err);
		else
			give(g, info->name, r->paths[i]);
	}
	for (size_t i = 0; i < r->n_files; i++)
		give(g, TFPROF_INPUT_AUTO, r->files[i]);
	return status;
}

static void givens_clear(struct givens *g)
{
	tfprof_given_release(g->at, g->n);
	mem_free(g->at);
	for (size_t i = 0; g->names && tfprof_input_get_info(i); i++)
		mem_free(g->names[i]);
	mem_free(g->names);
}

/* ---- adding ------------------------------------------------------------------ */

static const struct tfprof_input_info *info_of(const char *kind)
{
	const struct tfprof_input_info *info;

	for (size_t i = 0; (info = tfprof_input_get_info(i)); i++)
		if (strcmp(info->name, kind) == 0)
			break;
	return info;
}

static enum tfprof_status add_file(struct loaded *l, const struct tfprof_given *given,
	struct tfprof_error *err)
{
	const struct tfprof_input_info *info = info_of(given->kind);
	enum tfprof_status status;

	progress_say(info->progress);
	status = tfprof_profile_add(l->profile, given->kind, &given->input, given->step, err);
	if (status != TFPROF_OK)
		return status;
	buf_text(&l->notes, tfprof_profile_get_notes(l->profile));
	if (info->traits & TFPROF_INPUT_BY_STEP) {
		l->coverage = tfprof_profile_get_coverage(l->profile);
		buf_printf(&l->notes, "run graph coverage: %.2f\n", l->coverage);
	}
	return TFPROF_OK;
}

static enum tfprof_status add_files(struct loaded *l, struct tfprof_given *given, size_t n,
	struct tfprof_error *err)
{
	enum tfprof_status status = tfprof_given_arrange(given, n, err);

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = add_file(l, &given[i], err);
	return status;
}

/* A command that saves has it, too. */
static enum tfprof_status count_float_ops(struct loaded *l, const struct request *r,
	struct tfprof_error *err)
{
	const char *value = tfprof_options_get(r->options, "count_float_ops");
	enum tfprof_status status;

	if (!value || strcmp(value, "true") != 0)
		return TFPROF_OK;
	progress_say("Counting Float Operations...");
	status = tfprof_profile_count_float_ops(l->profile, err);
	buf_text(&l->notes, tfprof_profile_get_notes(l->profile));
	return status;
}

enum tfprof_status load_given(struct loaded *l, struct tfprof_given *given, size_t n,
	const struct request *r, struct tfprof_error *err)
{
	enum tfprof_status status;

	*l = (struct loaded){.coverage = -1};
	l->profile = tfprof_profile_new();
	if (!l->profile)
		return error_no_memory(err);
	tfprof_profile_set_reading(l->profile,
		r->reading == TFPROF_READ_AS_IS && request_is_text_of(r, "step")
			? TFPROF_READ_FOR_STEP
			: r->reading);
	progress_begin(l->profile);
	progress_say("Reading Files...");
	status = add_files(l, given, n, err);
	if (status == TFPROF_OK)
		status = count_float_ops(l, r, err);
	progress_end();
	if (status == TFPROF_OK && l->notes.failed)
		status = error_no_memory(err);
	if (status != TFPROF_OK)
		load_clear(l);
	return status;
}

enum tfprof_status load_files(struct loaded *l, const struct request *r, struct tfprof_error *err)
{
	struct givens g = {0};
	enum tfprof_status status = check_flags(r, err);

	*l = (struct loaded){0};
	if (status == TFPROF_OK)
		status = give_all(&g, r, err);
	if (status == TFPROF_OK)
		status = load_given(l, g.at, g.n, r, err);
	givens_clear(&g);
	return status;
}

void load_clear(struct loaded *l)
{
	tfprof_profile_free(l->profile);
	buf_clear(&l->notes);
	*l = (struct loaded){0};
}

static void put_count(struct buf *line, size_t n, const char *thing)
{
	buf_printf(line, "%s%zu %s%s", line->n ? ", " : "", n, thing, n == 1 ? "" : "s");
}

void load_summarize(const struct loaded *l, struct buf *line)
{
	struct tfprof_summary s;
	double coverage;

	tfprof_profile_get_summary(l->profile, &s);
	coverage = l->coverage >= 0 ? l->coverage : s.coverage;
	put_count(line, s.n_nodes, "node");
	put_count(line, s.n_steps, "step");
	put_count(line, s.n_devices, "device");
	buf_printf(line, "; %scall stacks, %sfloat operations, %scheckpoint",
		s.has_code_traces ? "" : "no ", s.has_float_ops ? "" : "no ",
		s.has_checkpoint ? "" : "no ");
	if (s.n_steps)
		buf_printf(line, "; coverage %.2f", coverage);
	buf_char(line, '\n');
}
