#include "ask/line_costs.h"

#include <stdlib.h>

#include "base/clamped.h"
#include "view/lineless.h"
#include "view/tree.h"

static const enum metric cost_metrics[N_COSTS] = {METRIC_MICROS, METRIC_FLOAT_OPS, METRIC_BYTES,
	METRIC_OCCURRENCE};

/* ---- files and lines --------------------------------------------------------------- */

struct file_probe {
	const struct line_costs *costs;
	struct span name;
	bool is_lineless;
};

static bool same_file(const void *context, uint32_t id)
{
	const struct file_probe *p = context;
	const struct file_cost *known = &p->costs->files.at[id];

	return known->is_lineless == p->is_lineless && span_equal(known->name, p->name);
}

/* NONE on allocation failure. */
static uint32_t find_file(struct line_costs *c, struct span name, bool is_lineless)
{
	struct file_probe p = {c, name, is_lineless};
	uint64_t hash = hash_mix(hash_bytes(name.at, name.n), is_lineless);
	uint32_t id = hash_find(&c->file_index, hash, same_file, &p);

	if (id != NONE)
		return id;
	id = (uint32_t)c->files.n;
	if (!vec_push(&c->files, ((struct file_cost){.name = name, .is_lineless = is_lineless})) ||
		!hash_add(&c->file_index, hash, id))
		return NONE;
	return id;
}

struct line_probe {
	const struct line_costs *costs;
	uint32_t file;
	int32_t line;
};

static bool same_line(const void *context, uint32_t id)
{
	const struct line_probe *p = context;
	const struct line_cost *known = &p->costs->lines.at[id];

	return known->file == p->file && known->line == p->line;
}

/* NONE on allocation failure. */
static uint32_t find_line(struct line_costs *c, uint32_t file, int32_t line)
{
	struct line_probe p = {c, file, line};
	uint64_t hash = hash_mix(hash_mix(1, file), (uint32_t)line);
	uint32_t id = file == NONE ? NONE : hash_find(&c->line_index, hash, same_line, &p);

	if (id != NONE || file == NONE)
		return id;
	id = (uint32_t)c->lines.n;
	if (!vec_push(&c->lines, ((struct line_cost){.file = file, .line = line})) ||
		!hash_add(&c->line_index, hash, id))
		return NONE;
	return id;
}

static uint32_t line_of_frame(struct line_costs *c, const struct frame *frame)
{
	bool is_lineless = lineless_is_frame(frame);
	uint32_t file = find_file(c, is_lineless ? frame->function : frame->file, is_lineless);
	uint32_t id = find_line(c, file, is_lineless ? 0 : frame->line);

	if (id == NONE)
		return NONE;
	c->files.at[file].is_recorded = true;
	if (!c->lines.at[id].function.n && !is_lineless)
		c->lines.at[id].function = frame->function;
	if (!c->lines.at[id].source.n && !span_equal(frame->source, SPAN("none")))
		c->lines.at[id].source = frame->source;
	return id;
}

/* ---- operations ------------------------------------------------------------------------ */

struct reading {
	struct line_costs *costs;
	const struct tree *tree;
	uint32_t *line_of;                 /* by node of the tree */
	int64_t (*sums)[N_COSTS];          /* of it and all below it */
	uint32_t *open_lines, *open_files; /* how often each is on the path to the current node */
};

static void add(int64_t *to, const int64_t *from)
{
	for (int i = 0; i < N_COSTS; i++)
		add_clamped(&to[i], from[i]);
}

static bool start(struct reading *r)
{
	const struct tree *t = r->tree;

	r->line_of = mem_zero_array(t->n + 1, sizeof(*r->line_of));
	r->sums = mem_zero_array(t->n + 1, sizeof(*r->sums));
	for (uint32_t v = 1; r->line_of && v < t->n; v++) {
		struct frame frame = tree_frame(t, v);

		r->line_of[v] = line_of_frame(r->costs, &frame);
		if (r->line_of[v] == NONE)
			return false;
	}
	r->open_lines = mem_zero_array(r->costs->lines.n + 1, sizeof(*r->open_lines));
	r->open_files = mem_zero_array(r->costs->files.n + 1, sizeof(*r->open_files));
	return r->line_of && r->sums && r->open_lines && r->open_files;
}

static void add_own(struct reading *r, const struct asked *q)
{
	const struct tree *t = r->tree;

	for (uint32_t v = 1; v < t->n; v++) {
		struct line_cost *line = &r->costs->lines.at[r->line_of[v]];

		for (uint32_t i = t->first_node[v]; i < t->first_node[v + 1]; i++) {
			struct numbers n;

			metrics_of(q->model, t->nodes[i], q->options->number[OPT_STEP], &n);
			for (int k = 0; k < N_COSTS; k++)
				add_clamped(&r->sums[v][k], n.at[cost_metrics[k]]);
		}
		add(line->own, r->sums[v]);
		add(r->costs->files.at[line->file].own, r->sums[v]);
	}
}

/* Counts only frames that are not below another frame of the same line, or file. */
static void add_totals(struct reading *r)
{
	const struct tree *t = r->tree;
	uint32_t at = 0;

	for (uint32_t v = t->n; v-- > 1;)
		add(r->sums[t->parent[v]], r->sums[v]);
	add(r->costs->total, r->sums[0]);
	for (uint32_t v = 1; v < t->n; v++) {
		struct line_cost *line = &r->costs->lines.at[r->line_of[v]];

		for (; at != t->parent[v]; at = t->parent[at]) {
			r->open_lines[r->line_of[at]]--;
			r->open_files[r->costs->lines.at[r->line_of[at]].file]--;
		}
		if (r->open_lines[r->line_of[v]]++ == 0)
			add(line->total, r->sums[v]);
		if (r->open_files[line->file]++ == 0)
			add(r->costs->files.at[line->file].total, r->sums[v]);
		at = v;
	}
}

/* Of code view without frames of libraries. */
static enum tfprof_status read_operations(struct line_costs *c, const struct asked *q,
	struct tfprof_error *err)
{
	struct query view = {.model = q->model,
		.kind = TFPROF_CODE,
		.options = q->options,
		.cancel = q->cancel};
	struct reading r = {.costs = c};
	enum tfprof_status status;

	if (!q->model->has_trace)
		return TFPROF_OK;
	q->options->number[OPT_ONLY_MY_CODE] = true;
	status = q->get_view(q->profile, &view, err);
	if (status != TFPROF_OK)
		return status == TFPROF_UNSUPPORTED ? TFPROF_OK : status;
	r.tree = view.tree;
	if (start(&r)) {
		add_own(&r, q);
		add_totals(&r);
	} else {
		status = error_no_memory(err);
	}
	mem_free(r.line_of);
	mem_free(r.sums);
	mem_free(r.open_lines);
	mem_free(r.open_files);
	return status;
}

/* ---- Python ---------------------------------------------------------------------------- */

/* Of "train.py:12 load > sort": the file, the line and the function. */
static bool split_place(struct span text, struct span *file, int32_t *line, struct span *function)
{
	size_t colon = span_find(text, SPAN(".py:")), i;
	int64_t number = 0;

	if (colon >= text.n || span_find((struct span){text.at, colon}, SPAN(" ")) < colon)
		return false;
	*file = (struct span){text.at, colon + 3};
	for (i = colon + 4; i < text.n && text.at[i] >= '0' && text.at[i] <= '9'; i++) {
		number = number * 10 + (text.at[i] - '0');
		if (number > INT32_MAX)
			return false;
	}
	*line = (int32_t)number;
	*function = i < text.n ? span_from(text, i + 1) : (struct span){0};
	function->n = function->n ? span_find(*function, SPAN(" ")) : 0;
	return number > 0;
}

/* Steps tell the last part of a path only: it is that of the one file that ends so. */
static uint32_t file_of_python(struct line_costs *c, struct span name)
{
	uint32_t found = line_costs_find_file(c, name);

	if (found != NONE)
		return found;
	name = arena_copy(&c->arena, name);
	return name.at ? find_file(c, name, false) : NONE;
}

static bool add_python(struct line_costs *c, struct span cause, double micros)
{
	struct span file, function;
	int32_t line;
	uint32_t id;

	if (!split_place(cause, &file, &line, &function) || frame_is_library(file))
		return true;
	id = find_line(c, file_of_python(c, file), line);
	if (id == NONE)
		return false;
	if (!c->lines.at[id].function.n) {
		c->lines.at[id].function = arena_copy(&c->arena, function);
		if (!c->lines.at[id].function.at)
			return false;
	}
	c->lines.at[id].python_us += micros;
	c->files.at[c->lines.at[id].file].python_us += micros;
	c->has_python = true;
	return true;
}

/* The causes of the parts python and callback, on average over the steps that stand for the
 * rest. */
static bool add_causes(struct line_costs *c, const struct answer *step)
{
	const struct column_table *t = &step->table;
	const struct tfprof_column *depth = column_table_find(t, "depth");
	const struct tfprof_column *name = column_table_find(t, "name");
	const struct tfprof_column *steady = column_table_find(t, "steady");
	const struct tfprof_column *micros = column_table_find(t, "micros");
	bool is_steady = false, is_python = false, ok = true;
	size_t n_steps = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		n_steps += depth->numbers[i] == 1 && steady->numbers[i] == 1;
	for (size_t i = 0; ok && i < t->n_rows; i++) {
		struct span text = table_text(name, i);

		if (depth->numbers[i] == 1)
			is_steady = steady->numbers[i] == 1;
		else if (depth->numbers[i] == 2)
			is_python = span_equal(text, SPAN("python")) ||
				span_equal(text, SPAN("callback"));
		else if (depth->numbers[i] == 3 && is_steady && is_python &&
			!table_is_null(micros, i))
			ok = add_python(c, text, micros->doubles[i] / (double)n_steps);
	}
	return ok;
}

/* What step says; where it does not apply, nothing. */
static enum tfprof_status read_python(struct line_costs *c, const struct asked *q,
	struct tfprof_error *err)
{
	struct answer step = {0};
	struct tfprof_error why = {0};
	enum tfprof_status status = TFPROF_OK;

	/* A step of a report is not numbered as those of the clock are. */
	if (!q->model->traces.n || q->options->number[OPT_STEP] >= 0)
		return TFPROF_OK;
	status = question_run(&step_question, &step, q, &why);
	if (status == TFPROF_OK && !add_causes(c, &step))
		status = error_no_memory(err);
	else if (status == TFPROF_NO_MEMORY || status == TFPROF_CANCELLED)
		*err = why;
	else
		status = TFPROF_OK;
	answer_clear(&step);
	return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

enum tfprof_status line_costs_read(struct line_costs *c, const struct asked *q,
	struct tfprof_error *err)
{
	enum tfprof_status status;

	*c = (struct line_costs){0};
	status = read_operations(c, q, err);
	return status == TFPROF_OK ? read_python(c, q, err) : status;
}

void line_costs_clear(struct line_costs *c)
{
	vec_clear(&c->files);
	vec_clear(&c->lines);
	hash_clear(&c->file_index);
	hash_clear(&c->line_index);
	arena_clear(&c->arena);
}

/* How many parts at the end of two paths are equal. */
static size_t count_equal_parts(struct span a, struct span b)
{
	size_t n = 0, i = 0;

	while (i < a.n && i < b.n && a.at[a.n - 1 - i] == b.at[b.n - 1 - i])
		n += a.at[a.n - 1 - i++] == '/';
	/* The last part compared may be cut. */
	return n +
		((i == a.n && (i == b.n || b.at[b.n - 1 - i] == '/')) ||
			(i == b.n && i < a.n && a.at[a.n - 1 - i] == '/'));
}

uint32_t line_costs_find_file(const struct line_costs *c, struct span path)
{
	size_t most = 0;
	uint32_t best = NONE;

	for (uint32_t i = 0; i < c->files.n; i++) {
		const struct file_cost *file = &c->files.at[i];
		size_t n = file->is_lineless ? 0 : count_equal_parts(file->name, path);

		if (n > most)
			best = i;
		else if (n && n == most)
			best = NONE;
		most = n > most ? n : most;
	}
	return best;
}
