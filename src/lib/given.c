/* Inputs of any kinds that are given together: recognizes them, checks that they go
 * together, and puts them in order. */
#include <sys/stat.h>
#include <unistd.h>

#include "load/input.h"
#include "load/recognize.h"

static const struct tfprof_input_info *info_of(const struct tfprof_given *g)
{
	return input_get_info((size_t)input_from_name(g->kind));
}

static bool has_trait(const struct tfprof_given *g, unsigned trait)
{
	return info_of(g)->traits & trait;
}

static const char *name_of(const struct tfprof_given *g)
{
	return input_name(&g->input, input_from_name(g->kind));
}

/* ---- recognizing ------------------------------------------------------------- */

static bool is_stdin(const struct tfprof_given *g)
{
	return !tfprof_input_is_memory(&g->input) && strcmp(g->input.path, "-") == 0;
}

/* A pipe, a terminal, a device. */
static bool is_stream(const struct tfprof_given *g)
{
	struct stat st;

	return !tfprof_input_is_memory(&g->input) && stat(g->input.path, &st) == 0 &&
		!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Replaces what can be read only once by its bytes. */
static enum tfprof_status take_bytes(struct tfprof_given *g, struct source *s)
{
	if (s->owner != SOURCE_HEAP) { /* a file has taken the stream's place */
		source_close(s);
		return TFPROF_OK;
	}
	g->input.size = s->bytes.n;
	g->input.data = g->owned = source_take(s);
	return TFPROF_OK;
}

static enum tfprof_status read_stream(struct tfprof_given *g, struct tfprof_error *err)
{
	struct source s = {0};
	enum tfprof_status status;

	if (is_stdin(g)) {
		g->input.path = "standard input";
		status = source_read(&s, STDIN_FILENO, g->input.path, err);
	} else if (!g->kind && is_stream(g)) {
		status = source_open(&s, &g->input, err);
	} else {
		return TFPROF_OK;
	}
	return status == TFPROF_OK ? take_bytes(g, &s) : status;
}

static enum tfprof_status find_kind(struct tfprof_given *g, struct tfprof_error *err)
{
	enum tfprof_status status = read_stream(g, err);
	enum input_kind kind;

	if (status != TFPROF_OK || g->kind)
		return status;
	status = input_recognize(&g->input, &kind, err);
	if (status == TFPROF_OK)
		g->kind = input_get_info((size_t)kind)->name;
	return status;
}

static enum tfprof_status check_kind(const struct tfprof_given *g, struct tfprof_error *err)
{
	if (!g->kind || input_from_name(g->kind) != INPUT_UNKNOWN)
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT, "unknown kind of input '%.100s'", g->kind);
}

/* ---- checking ------------------------------------------------------------------ */

static const struct tfprof_given *find_with(const struct tfprof_given *given, size_t n,
	unsigned trait)
{
	for (size_t i = 0; i < n; i++)
		if (has_trait(&given[i], trait))
			return &given[i];
	return NULL;
}

/* They are sorted, so two of a kind are neighbours. */
static enum tfprof_status check_two(const struct tfprof_given *a, const struct tfprof_given *b,
	struct tfprof_error *err)
{
	if (strcmp(a->kind, b->kind) != 0 ||
		has_trait(a, TFPROF_INPUT_BY_STEP | TFPROF_INPUT_SEVERAL))
		return TFPROF_OK;
	return error_set(err, TFPROF_ARGUMENT,
		"%.300s and %.300s: each is %s: only one can be loaded at a time", name_of(a),
		name_of(b), recognize_get_look(input_from_name(a->kind))->name);
}

static enum tfprof_status check_together(const struct tfprof_given *given, size_t n,
	struct tfprof_error *err)
{
	const struct tfprof_given *whole = find_with(given, n, TFPROF_INPUT_WHOLE);
	const struct tfprof_given *part = find_with(given, n, TFPROF_INPUT_PART);
	const struct tfprof_given *extra = find_with(given, n, TFPROF_INPUT_EXTRA);
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 1; status == TFPROF_OK && i < n; i++)
		status = check_two(&given[i - 1], &given[i], err);
	if (status != TFPROF_OK)
		return status;
	if (whole && part)
		return error_set(err, TFPROF_ARGUMENT,
			"%.300s and %.300s cannot be combined: a saved profile contains graph and "
			"runs: give one of the two",
			name_of(whole), name_of(part));
	if (extra && !find_with(given, n, ~(unsigned)TFPROF_INPUT_EXTRA))
		return error_set(err, TFPROF_ARGUMENT,
			"%.300s: %s only adds to existing nodes: give a graph or a saved profile "
			"with it",
			name_of(extra), recognize_get_look(input_from_name(extra->kind))->name);
	return TFPROF_OK;
}

/* ---- ordering ------------------------------------------------------------------ */

/* They are few and mostly in order: a stable insertion sort. */
static void sort(struct tfprof_given *given, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tfprof_given one = given[i];
		size_t k = i;

		for (; k && input_from_name(given[k - 1].kind) > input_from_name(one.kind); k--)
			given[k] = given[k - 1];
		given[k] = one;
	}
}

static void number_steps(struct tfprof_given *given, size_t n)
{
	int64_t next = 0;

	for (size_t i = 0; i < n; i++)
		if (has_trait(&given[i], TFPROF_INPUT_BY_STEP) && given[i].step >= next)
			next = given[i].step + 1;
	for (size_t i = 0; i < n; i++) {
		if (given[i].step != TFPROF_NEXT_STEP)
			continue;
		given[i].step = has_trait(&given[i], TFPROF_INPUT_BY_STEP) ? next++ : 0;
	}
}

static enum tfprof_status find_kinds(struct tfprof_given *given, size_t n, struct tfprof_error *err)
{
	enum tfprof_status status = TFPROF_OK;

	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = check_kind(&given[i], err);
	for (size_t i = 0; status == TFPROF_OK && i < n; i++)
		status = find_kind(&given[i], err);
	return status;
}

enum tfprof_status tfprof_given_arrange(struct tfprof_given *given, size_t n,
	struct tfprof_error *err)
{
	enum tfprof_status status = find_kinds(given, n, err);

	if (status != TFPROF_OK)
		return status;
	sort(given, n);
	number_steps(given, n);
	return check_together(given, n, err);
}

enum tfprof_status tfprof_given_count_runs(struct tfprof_given *given, size_t n, size_t *n_runs,
	struct tfprof_error *err)
{
	const struct tfprof_given *part = NULL, *runs[2] = {0};
	size_t n_found = 0;
	enum tfprof_status status = find_kinds(given, n, err);

	*n_runs = 0;
	if (status != TFPROF_OK)
		return status;
	for (size_t i = 0; i < n; i++)
		if (!has_trait(&given[i], TFPROF_INPUT_RUN))
			part = &given[i];
		else if (n_found++ < 2)
			runs[n_found - 1] = &given[i];
	if (part && n_found > 1)
		return error_set(err, TFPROF_ARGUMENT,
			"%.200s is part of a profile, but of which: %.200s and %.200s are runs by "
			"themselves: combine what belongs together with tfprof save OUT FILE...",
			name_of(part), name_of(runs[0]), name_of(runs[1]));
	*n_runs = part ? 1 : n_found;
	return TFPROF_OK;
}

void tfprof_given_release(struct tfprof_given *given, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mem_free(given[i].owned);
		given[i].owned = NULL;
	}
}
