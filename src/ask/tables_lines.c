/* The table lines: what each line of code costs, wherever it is called from.
 *
 *     tree of stacks      main.py:9 ── model.py:3 ── conv.py:7
 *                                   └─ model.py:4 ── conv.py:7
 *     own                 nodes whose stack ends at the line: both conv.py:7
 *     total               nodes whose stack passes it, once even if it calls itself
 *
 * Gradients belong to the line of their forward node. */
#include "ask/tables.h"

enum {
	LINES_STEP,
	LINES_PATH,
	LINES_LINE,
	LINES_FUNCTION,
	LINES_OWN,
	LINES_TOTAL = LINES_OWN + N_METRICS,
	LINES_DEFINITIONS = LINES_TOTAL + N_METRICS
};

static const struct tfprof_column_info lines_infos[] = {
	{"step", TFPROF_COLUMN_INT64, NULL, 0},
	{"path", TFPROF_COLUMN_TEXT, NULL, 0},
	{"line", TFPROF_COLUMN_INT64, NULL, 0},
	{"function", TFPROF_COLUMN_TEXT, NULL, 0},
	METRICS_IN_RESULTS(OWN_INFO)
		METRICS_IN_RESULTS(TOTAL_INFO){"definition_count", TFPROF_COLUMN_INT64, "count", 0},
};

struct lines {
	const struct tree *tree;
	VEC(struct frame) at;
	struct hash_index index;
	uint32_t *of_view; /* by node of the tree: its line */
	uint32_t *n_open;  /* by line: how often it is on the path to the current node */
};

struct line_probe {
	const struct lines *lines;
	struct frame wanted;
};

static bool same_line(const void *context, uint32_t id)
{
	const struct line_probe *p = context;
	const struct frame *known = &p->lines->at.at[id];

	return known->line == p->wanted.line && span_equal(known->file, p->wanted.file) &&
		span_equal(known->function, p->wanted.function);
}

static bool find_line(struct lines *lines, uint32_t view)
{
	struct line_probe p = {lines, tree_frame(lines->tree, view)};
	uint64_t hash = hash_mix(hash_mix(hash_bytes(p.wanted.file.at, p.wanted.file.n),
					 hash_bytes(p.wanted.function.at, p.wanted.function.n)),
		(uint32_t)p.wanted.line);
	uint32_t id = hash_find(&lines->index, hash, same_line, &p);

	if (id == NONE) {
		id = (uint32_t)lines->at.n;
		if (!vec_push(&lines->at, p.wanted) || !hash_add(&lines->index, hash, id))
			return false;
	}
	lines->of_view[view] = id;
	return true;
}

static bool find_lines(struct lines *lines, const struct tree *tree)
{
	*lines = (struct lines){.tree = tree};
	lines->of_view = mem_zero_array(tree->n, sizeof(*lines->of_view));
	if (!lines->of_view)
		return false;
	for (uint32_t view = 1; view < tree->n; view++)
		if (!find_line(lines, view))
			return false;
	lines->n_open = mem_zero_array(lines->at.n, sizeof(*lines->n_open));
	return lines->n_open;
}

static void clear_lines(struct lines *lines)
{
	vec_clear(&lines->at);
	hash_clear(&lines->index);
	mem_free(lines->of_view);
	mem_free(lines->n_open);
}

/* Adds up nodes by frame of the tree, then frames by line. */
static void add_own(const struct lines *lines, struct step_sums *frames, struct step_sums *own)
{
	const struct tree *t = lines->tree;

	for (uint32_t view = 1; view < t->n; view++) {
		for (uint32_t i = t->first_node[view]; i < t->first_node[view + 1]; i++)
			step_sums_add(frames, t->nodes[i], view);
		step_sums_merge(own, lines->of_view[view], frames, view);
	}
}

/* Counts only frames that are not below another frame of the same line. */
static void add_total(struct lines *lines, struct step_sums *frames, struct step_sums *total)
{
	const struct tree *t = lines->tree;
	uint32_t at = 0;

	for (uint32_t view = t->n; view-- > 1;)
		step_sums_merge(frames, t->parent[view], frames, view);
	for (uint32_t view = 1; view < t->n; view++) {
		uint32_t line = lines->of_view[view];

		for (; at != t->parent[view]; at = t->parent[at])
			lines->n_open[lines->of_view[at]]--;
		if (lines->n_open[line]++ == 0)
			step_sums_merge(total, line, frames, view);
		at = view;
	}
}

static void put_line(struct column_table *t, size_t row, const struct frame *line,
	const struct step_sums *own, const struct step_sums *total, size_t id, size_t place)
{
	struct table_column *c = t->columns;
	struct numbers numbers = step_sums_get(own, id, place);

	c[LINES_STEP].numbers[row] = step_list_number(&own->steps, place);
	table_put_text(&c[LINES_PATH], line->file);
	c[LINES_LINE].numbers[row] = line->line;
	table_put_text(&c[LINES_FUNCTION], line->function);
	table_put_numbers(&c[LINES_OWN], row, &numbers);
	numbers = step_sums_get(total, id, place);
	table_put_numbers(&c[LINES_TOTAL], row, &numbers);
	c[LINES_DEFINITIONS].numbers[row] = own->n_definitions[id];
}

static enum tfprof_status fill(struct column_table *t, struct lines *lines,
	const struct step_list *steps, struct tfprof_error *err)
{
	struct step_sums frames = {0}, own = {0}, total = {0};
	enum tfprof_status status = step_sums_init(&frames, steps, lines->tree->n, err);
	size_t row = 0;

	if (status == TFPROF_OK)
		status = step_sums_init(&own, steps, lines->at.n, err);
	if (status == TFPROF_OK)
		status = step_sums_init(&total, steps, lines->at.n, err);
	if (status == TFPROF_OK) {
		add_own(lines, &frames, &own);
		add_total(lines, &frames, &total);
		for (size_t id = 0; id < lines->at.n; id++)
			for (size_t place = 0; place < steps->n; place++)
				put_line(t, row++, &lines->at.at[id], &own, &total, id, place);
		status = column_table_finish(t, err);
	}
	step_sums_clear(&frames);
	step_sums_clear(&own);
	step_sums_clear(&total);
	return status;
}

enum tfprof_status table_make_lines(struct column_table *t, const struct table_source *source,
	struct tfprof_error *err)
{
	enum { N = sizeof(lines_infos) / sizeof(*lines_infos) };
	static const struct tree no_stacks = {0};
	struct lines lines;
	enum tfprof_status status = TFPROF_OK;

	if (!find_lines(&lines, source->code ? source->code : &no_stacks))
		status = error_no_memory(err);
	if (status == TFPROF_OK)
		status = table_start(t, lines_infos, N, &source->steps, lines.at.n, err);
	if (status == TFPROF_OK)
		status = fill(t, &lines, &source->steps, err);
	clear_lines(&lines);
	return status;
}
