/* annotate: what each line of Python costs, file by file; with the option source, every line of
 * that file.
 *
 *     annotate
 *       /home/me/train.py     what ran below it
 *         train.py:35         line, source, own, total …
 *       (framework)           work of a trace that no line made
 *       (other files)         with source: what ran elsewhere
 *
 * Files that the profile names are not opened: their lines are shown as they were recorded. */
#include <stdlib.h>

#include "ask/gaps.h"
#include "ask/line_costs.h"
#include "ask/question.h"
#include "base/clamped.h"
#include "base/spelling.h"

enum { HAS_RUN = 1, HAS_COUNT = 2, HAS_MEMORY = 4, HAS_PYTHON = 8, HAS_STACKS = 16 };

/* id, name, type, unit, what the profile must have */
/* clang-format off */
#define ANNOTATE_COLUMNS(X)                                                    \
	X(LINE, "line", INT64, NULL, 0)                                        \
	X(FUNCTION, "function", TEXT, NULL, 0)                                 \
	X(OWN, "exec_micros", INT64, "microseconds", HAS_RUN)                  \
	X(TOTAL, "total_exec_micros", INT64, "microseconds", HAS_RUN)          \
	X(SHARE, "share", DOUBLE, "fraction", HAS_STACKS)                      \
	X(PYTHON, "python_micros", DOUBLE, "microseconds", HAS_PYTHON)         \
	X(FLOAT_OPS, "total_float_ops", INT64, "count", HAS_COUNT)             \
	X(MEMORY, "total_requested_bytes", INT64, "bytes", HAS_RUN | HAS_MEMORY) \
	X(RUNS, "run_count", INT64, "count", HAS_RUN)                          \
	X(SOURCE, "source", TEXT, NULL, 0)
/* clang-format on */

enum {
#define X(id, ...) ANNOTATE_##id,
	ANNOTATE_COLUMNS(X)
#undef X
		N_ANNOTATE_COLUMNS
};

static const struct {
	struct tfprof_column_info info;
	unsigned needs;
} all_columns[] = {
#define X(id, name, type, unit, needs) {{name, TFPROF_COLUMN_##type, unit, 0}, needs},
	ANNOTATE_COLUMNS(X)
#undef X
};

struct annotating {
	struct answer *answer;
	struct line_costs costs;
	struct source source; /* the file given */
	uint32_t only;        /* the file that it is; NONE: all are shown */
	unsigned has;
	size_t column[N_ANNOTATE_COLUMNS]; /* in the table; SIZE_MAX: left out */
	uint32_t *files, *lines;           /* sorted */
	struct buf text;
};

/* ---- order ------------------------------------------------------------------------- */

struct ordered_file {
	const struct file_cost *file;
	uint32_t id;
};

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

/* Dearest first; what no line made comes last. */
static int by_cost(const void *a, const void *b)
{
	const struct file_cost *x = ((const struct ordered_file *)a)->file;
	const struct file_cost *y = ((const struct ordered_file *)b)->file;
	int c = x->is_lineless - y->is_lineless;

	c = c ? c : compare_numbers((double)x->total[COST_MICROS], (double)y->total[COST_MICROS]);
	c = c ? c
	      : compare_numbers((double)x->total[COST_FLOAT_OPS], (double)y->total[COST_FLOAT_OPS]);
	c = c ? c : compare_numbers(x->python_us, y->python_us);
	return c ? c : span_compare(x->name, y->name);
}

static bool sort_files(struct annotating *n)
{
	struct ordered_file *sorted = mem_array(n->costs.files.n + 1, sizeof(*sorted));

	n->files = mem_array(n->costs.files.n + 1, sizeof(*n->files));
	for (uint32_t i = 0; sorted && i < n->costs.files.n; i++)
		sorted[i] = (struct ordered_file){&n->costs.files.at[i], i};
	if (sorted && n->costs.files.n)
		qsort(sorted, n->costs.files.n, sizeof(*sorted), by_cost);
	for (size_t i = 0; sorted && n->files && i < n->costs.files.n; i++)
		n->files[i] = sorted[i].id;
	mem_free(sorted);
	return sorted && n->files;
}

static int by_place(const void *a, const void *b)
{
	const struct line_cost *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* ---- rows --------------------------------------------------------------------------- */

static void set_int(struct annotating *n, size_t row, int column, int64_t value)
{
	if (n->column[column] != SIZE_MAX && value)
		table_set_int(&n->answer->table, row, n->column[column], value);
}

static void set_double(struct annotating *n, size_t row, int column, double value)
{
	if (n->column[column] != SIZE_MAX && value > 0)
		table_set_double(&n->answer->table, row, n->column[column], value);
}

static void put_numbers(struct annotating *n, size_t row, const int64_t *own, const int64_t *total,
	double python_us)
{
	int share = n->has & HAS_RUN ? COST_MICROS : COST_FLOAT_OPS;
	int64_t whole = n->costs.total[share];

	set_int(n, row, ANNOTATE_OWN, own[COST_MICROS]);
	set_int(n, row, ANNOTATE_TOTAL, total[COST_MICROS]);
	if (whole > 0)
		set_double(n, row, ANNOTATE_SHARE, (double)total[share] / (double)whole);
	set_int(n, row, ANNOTATE_FLOAT_OPS, total[COST_FLOAT_OPS]);
	set_int(n, row, ANNOTATE_MEMORY, total[COST_BYTES]);
	set_int(n, row, ANNOTATE_RUNS, own[COST_RUNS]);
	set_double(n, row, ANNOTATE_PYTHON, python_us);
}

/* A row named "train.py:35", of a line that costs nothing if there is no cost. */
static void put_line(struct annotating *n, size_t parent, struct span file, int32_t number,
	const struct line_cost *line, struct span source)
{
	struct column_table *t = &n->answer->table;
	size_t row;

	n->text.n = 0;
	buf_span(&n->text, span_after_last(file, '/'));
	buf_printf(&n->text, ":%d", (int)number);
	row = column_table_add_row(t, parent, buf_get(&n->text));
	table_set_int(t, row, n->column[ANNOTATE_LINE], number);
	if (line) {
		table_set_text(t, row, n->column[ANNOTATE_FUNCTION], line->function);
		put_numbers(n, row, line->own, line->total, line->python_us);
	}
	table_set_text(t, row, n->column[ANNOTATE_SOURCE], source);
}

static struct span trim_end(struct span text)
{
	while (text.n &&
		(text.at[text.n - 1] == ' ' || text.at[text.n - 1] == '\r' ||
			text.at[text.n - 1] == '\t'))
		text.n--;
	return text;
}

static struct span trim(struct span text)
{
	text = trim_end(text);
	while (text.n && (text.at[0] == ' ' || text.at[0] == '\t'))
		text = span_from(text, 1);
	return text;
}

/* The place of the first line of a file. */
static size_t find_lines(const struct annotating *n, uint32_t file)
{
	size_t i = 0;

	while (i < n->costs.lines.n && n->costs.lines.at[i].file < file)
		i++;
	return i;
}

/* Every line of the source given. What it does not reach, and what it has otherwise than
 * recorded, was another version of it. */
static void put_source(struct annotating *n, size_t parent, uint32_t file)
{
	const struct line_costs *c = &n->costs;
	struct span rest = n->source.bytes, name = c->files.at[file].name;
	size_t first = find_lines(n, file), i = first, n_changed = 0;

	for (; i < c->lines.n && c->lines.at[i].file == file && c->lines.at[i].line <= 0; i++)
		put_line(n, parent, name, c->lines.at[i].line, &c->lines.at[i], SPAN(""));
	for (int32_t number = 1; rest.n; number++) {
		size_t length = span_find(rest, SPAN("\n"));
		struct span text = trim_end((struct span){rest.at, length});
		bool has_cost = i < c->lines.n && c->lines.at[i].file == file &&
			c->lines.at[i].line == number;
		const struct line_cost *line = has_cost ? &c->lines.at[i++] : NULL;

		n_changed += line && line->source.n && !span_equal(trim(line->source), trim(text));
		put_line(n, parent, name, number, line, text);
		rest = span_from(rest, length < rest.n ? length + 1 : length);
	}
	for (; i < c->lines.n && c->lines.at[i].file == file; i++, n_changed++)
		put_line(n, parent, name, c->lines.at[i].line, &c->lines.at[i],
			trim_end(c->lines.at[i].source));
	if (n_changed)
		answer_note(n->answer, "source_changed",
			"%zu of the %zu lines with a cost are not as they were recorded: the file "
			"has changed since, and costs may stand at other lines",
			n_changed, i - first);
}

static void put_file(struct annotating *n, uint32_t id)
{
	const struct line_costs *c = &n->costs;
	const struct file_cost *file = &c->files.at[id];
	size_t row = column_table_add_row(&n->answer->table, 0, file->name);

	put_numbers(n, row, file->own, file->total, file->python_us);
	if (file->is_lineless)
		return;
	if (id == n->only) {
		put_source(n, row, id);
		return;
	}
	for (size_t i = find_lines(n, id); i < c->lines.n && c->lines.at[i].file == id; i++)
		put_line(n, row, file->name, c->lines.at[i].line, &c->lines.at[i],
			trim_end(c->lines.at[i].source));
}

/* What ran for lines of other files, by itself: it adds up. */
static void put_others(struct annotating *n)
{
	struct file_cost others = {0};
	size_t row, n_others = 0;

	for (size_t i = 0; i < n->costs.files.n; i++) {
		const struct file_cost *file = &n->costs.files.at[i];

		if (i == n->only || file->is_lineless)
			continue;
		n_others++;
		for (int k = 0; k < N_COSTS; k++)
			add_clamped(&others.own[k], file->own[k]);
		others.python_us += file->python_us;
	}
	if (!n_others)
		return;
	row = column_table_add_row(&n->answer->table, 0, SPAN("(other files)"));
	set_int(n, row, ANNOTATE_OWN, others.own[COST_MICROS]);
	set_int(n, row, ANNOTATE_RUNS, others.own[COST_RUNS]);
	set_double(n, row, ANNOTATE_PYTHON, others.python_us);
}

/* ---- the table ------------------------------------------------------------------------- */

static bool make_columns(struct annotating *n, const struct asked *q)
{
	const int64_t *total = n->costs.total;
	struct tfprof_column_info infos[N_ANNOTATE_COLUMNS];
	size_t n_columns = 0;

	n->has = (q->model->execs.n_rows && q->model->has_trace ? HAS_RUN : 0u) |
		(total[COST_FLOAT_OPS] ? HAS_COUNT : 0u) | (total[COST_BYTES] ? HAS_MEMORY : 0u) |
		(n->costs.has_python ? HAS_PYTHON : 0u) | (q->model->has_trace ? HAS_STACKS : 0u);
	for (int i = 0; i < N_ANNOTATE_COLUMNS; i++) {
		bool is_made = (all_columns[i].needs & n->has) == all_columns[i].needs;

		n->column[i] = is_made ? n_columns : SIZE_MAX;
		if (is_made)
			infos[n_columns++] = all_columns[i].info;
	}
	return column_table_init_tree(&n->answer->table, infos, n_columns);
}

static enum tfprof_status no_such_source(const struct annotating *n, const char *path,
	struct tfprof_error *err)
{
	struct buf names = {0};
	enum tfprof_status status;

	for (size_t i = 0; i < n->costs.files.n; i++)
		if (!n->costs.files.at[n->files[i]].is_lineless) {
			buf_text(&names, names.n ? ", " : "");
			buf_span(&names, n->costs.files.at[n->files[i]].name);
		}
	status = error_set(err, TFPROF_ARGUMENT,
		"%s: %s: no line of this file is in the profile, or several files of this name "
		"are: expected one of: %s",
		OPTION("source"), path, names.n ? names.at : "(none)");
	buf_clear(&names);
	return status;
}

static enum tfprof_status open_source(struct annotating *n, const char *path,
	struct tfprof_error *err)
{
	struct tfprof_input in = tfprof_input_file(path);
	enum tfprof_status status;

	n->only = line_costs_find_file(&n->costs, span_of(path));
	if (n->only == NONE)
		return no_such_source(n, path, err);
	status = source_open(&n->source, &in, err);
	return status == TFPROF_OK && memchr(n->source.bytes.at, 0, n->source.bytes.n)
		? error_set(err, TFPROF_ARGUMENT, "%s: %s: not a source file of Python",
			  OPTION("source"), path)
		: status;
}

/* The graph, an op log or compiled programs have stacks; traces the time of Python. */
static enum tfprof_status no_lines(const struct model *m, struct tfprof_error *err)
{
	const char *reason = gap_get_reason(m, GAP_STACKS);

	return error_set(err, TFPROF_UNSUPPORTED,
		"annotate: no line of code has a cost in this profile: %s%s", reason ? "" : "add ",
		reason ? reason : gap_get(GAP_STACKS)->remedy);
}

static enum tfprof_status fill(struct annotating *n, const struct asked *q,
	struct tfprof_error *err)
{
	size_t root;

	if (!make_columns(n, q))
		return error_no_memory(err);
	root = column_table_add_row(&n->answer->table, TABLE_NO_PARENT, SPAN("annotate"));
	put_numbers(n, root, n->costs.total, n->costs.total, 0);
	for (size_t i = 0; i < n->costs.files.n; i++)
		if (n->only == NONE || n->files[i] == n->only ||
			n->costs.files.at[n->files[i]].is_lineless)
			put_file(n, n->files[i]);
	if (n->only != NONE)
		put_others(n);
	return n->text.failed ? error_no_memory(err) : TFPROF_OK;
}

static enum tfprof_status run(struct answer *a, const struct asked *q, struct tfprof_error *err)
{
	struct annotating n = {.answer = a, .only = NONE};
	const char *path = options_get_text(q->options, OPT_SOURCE);
	enum tfprof_status status = line_costs_read(&n.costs, q, err);

	if (status == TFPROF_OK && !n.costs.lines.n)
		status = no_lines(q->model, err);
	if (status == TFPROF_OK && !sort_files(&n))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		qsort(n.costs.lines.at, n.costs.lines.n, sizeof(*n.costs.lines.at), by_place);
	if (status == TFPROF_OK && path)
		status = open_source(&n, path, err);
	if (status == TFPROF_OK)
		status = fill(&n, q, err);
	source_close(&n.source);
	mem_free(n.files);
	buf_clear(&n.text);
	line_costs_clear(&n.costs);
	return status;
}

static bool has_lines(const struct asked *q)
{
	return q->model->has_trace || q->model->traces.n;
}

static const struct question_need needs[] = {
	{has_lines, "it shows what lines of code cost, and no line is known",
		"an op log (OpLogProto), as tfprof.write_op_log() writes it, or a trace "
		"(*.xplane.pb)"},
	{NULL, NULL, NULL},
};

const struct question annotate_question = {
	.name = "annotate",
	.own_formats = 1u << FORMAT_HTML,
	.summary = "source code with costs in the margin",
	.description =
		"Prints the lines of Python that cost something, file by file: time of the "
		"operations that a line made itself (own) or with the functions it calls, their "
		"share, float operations, memory, and time that the function beginning there "
		"runs or waits itself in Python. With a source file, which may be given as "
		"a second file, all of its lines. Frames of libraries count for the line that "
		"called them. The format html is a page.",
	.example = "",
	.usage = "[SOURCE.py] [OPTION...]",
	.state = QUESTION_INDEXED,
	.counts_float_ops = true,
	.needs = needs,
	.run = run,
};
