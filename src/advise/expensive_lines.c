/* The lines of code that take the most time, from where calls first branch:
 *
 *     train.py:35:build:logits = net(x), cpu: …          the largest first
 *       net.py:24:net:x = unit(x), cpu: …                then what it calls
 *         net.py:47:unit:x = conv(x), cpu: …
 *     train.py:36:build:cost = …, cpu: …
 *
 * Frames of libraries are left out: what they call counts as called by the user's line
 * above them. A line that calls a single other one is followed to where calls branch
 * again. TensorFlow's profiler shows libraries, too, and stops at a single call. */
#include "advise/expensive.h"
#include "base/sort.h"
#include "view/lineless.h"

/* The rows of a query that may be listed, as lists of children, largest first. */
struct outline {
	struct check *c;
	const struct query *q;
	uint32_t *parent; /* by row: the nearest row above that may be listed */
	bool *is_listed;  /* by row */
	uint32_t *first;  /* by row: its children are children[first[row]] … */
	uint32_t *children;
};

/* A row to list, and how far to indent it. */
struct line {
	uint32_t row;
	int64_t level;
};

typedef VEC(struct line) lines_vec;

/* What waits is not what makes a program slow. */
static enum metric rank_by(const struct check *c)
{
	return c->advice->as_tensorflow ? METRIC_MICROS : METRIC_WORK;
}

static uint32_t count(const struct outline *o, uint32_t row)
{
	return o->first[row + 1] - o->first[row];
}

static bool allocate(struct outline *o)
{
	size_t n = o->q->n;

	o->parent = check_alloc(o->c, n, sizeof(*o->parent));
	o->is_listed = check_alloc(o->c, n, sizeof(*o->is_listed));
	o->first = check_alloc(o->c, n + 3, sizeof(*o->first));
	o->children = check_alloc(o->c, n, sizeof(*o->children));
	return o->parent && o->is_listed && o->first && o->children;
}

/* If all code is a library's, all of it is of interest. */
static void choose(struct outline *o, bool libraries)
{
	const struct query *q = o->q;
	bool any = false;

	for (uint32_t i = 1; i < q->n; i++) {
		struct frame frame = tree_frame(q->tree, q->view[i]);

		o->is_listed[i] =
			!lineless_is_frame(&frame) && (libraries || !frame_is_library(frame.file));
		any |= o->is_listed[i];
	}
	for (uint32_t i = 1; i < q->n && !any; i++) {
		struct frame frame = tree_frame(q->tree, q->view[i]);

		o->is_listed[i] = !lineless_is_frame(&frame);
	}
	/* Rows are in preorder: a parent comes first. */
	for (uint32_t i = 1; i < q->n; i++)
		o->parent[i] = q->parent[i] && !o->is_listed[q->parent[i]] ? o->parent[q->parent[i]]
									   : q->parent[i];
}

/* In the order of the rows, which is by time below one parent. `next` is shifted by one,
 * so filling leaves `first` right. */
static void link(struct outline *o)
{
	uint32_t *next = o->first + 1;

	for (uint32_t i = 1; i < o->q->n; i++)
		if (o->is_listed[i])
			next[o->parent[i] + 1]++;
	for (uint32_t i = 1; i <= o->q->n; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 1; i < o->q->n; i++)
		if (o->is_listed[i])
			o->children[next[o->parent[i]]++] = i;
}

/* Children from below several frames of libraries are not in order yet. */
static bool sort_children(struct outline *o)
{
	size_t n = o->q->n;
	struct sort_item *items = check_alloc(o->c, n, sizeof(*items));
	struct sort_item *scratch = check_alloc(o->c, n, sizeof(*scratch));

	if (!items || !scratch)
		return false;
	for (uint32_t row = 0; row < n; row++) {
		uint32_t *children = o->children + o->first[row];

		if (count(o, row) < 2)
			continue;
		for (uint32_t i = 0; i < count(o, row); i++)
			items[i] = (struct sort_item){sort_key_descending(query_total(o->q,
							      METRIC_WORK, children[i])),
				children[i]};
		sort_items(items, scratch, count(o, row));
		for (uint32_t i = 0; i < count(o, row); i++)
			children[i] = items[i].id;
	}
	return true;
}

/* Where calls first branch, or end, at or below a row. */
static uint32_t find_branch(const struct outline *o, uint32_t row)
{
	while (count(o, row) == 1)
		row = o->children[o->first[row]];
	return row;
}

static void put_line(const struct outline *o, struct line line, places_vec *places)
{
	const struct query *q = o->q;
	struct span label = tree_label(q->tree, q->view[line.row]);
	struct buf *b = &o->c->text;

	buf_text(b, places->n ? "\n" : "");
	buf_fill(b, ' ', (size_t)line.level * 2);
	buf_span(b, label);
	expensive_put_times(b, query_total(q, METRIC_CPU_MICROS, line.row),
		query_total(q, METRIC_ACCELERATOR_MICROS, line.row),
		query_total(q, METRIC_MICROS, line.row));
	expensive_add_place(o->c, places,
		(struct place){.line = label, .micros = query_total(q, METRIC_MICROS, line.row)});
}

/* The first children of a row are to be listed next: the first of them is on top. */
static bool push_children(const struct outline *o, uint32_t row, int64_t level, lines_vec *lines)
{
	int64_t top = check_int(o->c, "top"), minimum = check_int(o->c, "min_code_micros");
	int64_t n = count(o, row) < top ? count(o, row) : top;

	while (n-- > 0) {
		uint32_t child = o->children[o->first[row] + (uint32_t)n];

		if (query_total(o->q, rank_by(o->c), child) >= minimum &&
			!vec_push(lines, ((struct line){child, level})))
			return false;
	}
	return true;
}

static bool put_lines(const struct outline *o, uint32_t from, places_vec *places)
{
	bool stops = o->c->advice->as_tensorflow;
	int64_t levels = check_int(o->c, "code_levels");
	lines_vec lines = {0};
	bool ok = levels <= 0 || push_children(o, from, 0, &lines);

	while (ok && lines.n) {
		struct line line = lines.at[--lines.n];
		uint32_t below = stops ? line.row : find_branch(o, line.row);

		put_line(o, line, places);
		if (count(o, below) > 1 && line.level + 1 < levels)
			ok = push_children(o, below, line.level + 1, &lines);
	}
	vec_clear(&lines);
	return ok;
}

enum tfprof_status expensive_lines(struct check *c, struct tfprof_error *err)
{
	const char *settings[] = {"max_depth", c->advice->as_tensorflow ? "100" : "1000000",
		"min_micros", "1", "order_by", metric_infos[rank_by(c)].word, NULL};
	bool as_tensorflow = c->advice->as_tensorflow, ok;
	struct query q;
	enum tfprof_status status = check_query(c, TFPROF_CODE, settings, &q, err);
	struct outline o = {.c = c, .q = &q};
	places_vec places = {0};
	uint32_t from;

	if (status != TFPROF_OK)
		goto out;
	ok = allocate(&o);
	if (ok) {
		choose(&o, as_tensorflow);
		link(&o);
		ok = as_tensorflow || sort_children(&o);
	}
	from = ok ? find_branch(&o, 0) : 0;
	if (ok && count(&o, from)) {
		ok = put_lines(&o, from, &places);
		if (ok && (places.n || as_tensorflow))
			expensive_find(c, "expensive_lines",
				"Change the innermost lines first; code view by micros shows the "
				"rest.",
				&places);
	}
	status = ok ? TFPROF_OK : error_no_memory(err);
out:
	vec_clear(&places);
	query_clear(&q);
	return status;
}
