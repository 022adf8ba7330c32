#include "model/nest.h"

#include "base/sort.h"

/* An execution that has not ended, by row. */
struct open {
	int64_t start, end;
};

struct nester {
	const struct events *e;
	VEC(struct open) open;  /* the last of each row of the lane */
	uint32_t n_open;        /* rows that may have one that has not ended */
	uint32_t *row_of;       /* by place in by_lane */
	VEC(uint32_t) n_in_row; /* of all lanes */
	/* Places, by start, the longer first of those that start together. */
	struct sort_item *order, *scratch;
};

/* Whether a lies within b. */
static bool is_within(int64_t start, int64_t end, struct open b)
{
	return b.start <= start && end <= b.end && start < b.end;
}

/* The first row below all that it lies within, whose last one has ended. False on allocation
 * failure. */
static bool place(struct nester *n, uint32_t at, uint32_t first_row)
{
	uint32_t event = n->e->by_lane[at], row;
	int64_t start = n->e->start_us[event], end = events_end(n->e, event);

	while (n->n_open && n->open.at[n->n_open - 1].end <= start)
		n->n_open--;
	for (row = n->n_open; row > 0; row--)
		if (is_within(start, end, n->open.at[row - 1]))
			break;
	while (row < n->n_open && n->open.at[row].end > start)
		row++;
	if (row == n->open.n &&
		(!vec_push(&n->open, ((struct open){0})) || !vec_push(&n->n_in_row, 0)))
		return false;
	n->open.at[row] = (struct open){start, end};
	if (row >= n->n_open)
		n->n_open = row + 1;
	n->row_of[at] = first_row + row;
	n->n_in_row.at[first_row + row]++;
	return true;
}

/* Puts the longer first of those that start together: they are sorted by start. */
static void order_lane(struct nester *n, uint32_t begin, uint32_t end)
{
	const struct events *e = n->e;
	uint32_t next;

	for (uint32_t i = begin; i < end; i = next) {
		for (next = i + 1;
			next < end && e->start_us[e->by_lane[next]] == e->start_us[e->by_lane[i]];
			next++)
			;
		for (uint32_t k = i; k < next; k++)
			n->order[k] = (struct sort_item){sort_key_descending(
								 e->duration_us[e->by_lane[k]]),
				k};
		if (next - i > 1)
			sort_items(n->order + i, n->scratch, next - i);
	}
}

static bool place_all(struct nester *n, struct nest *nest, size_t n_lanes)
{
	const struct events *e = n->e;

	for (uint32_t lane = 0; lane < n_lanes; lane++) {
		uint32_t first_row = (uint32_t)n->n_in_row.n, begin = e->first_in_lane[lane];

		nest->first[lane] = first_row;
		n->open.n = n->n_open = 0;
		order_lane(n, begin, e->first_in_lane[lane + 1]);
		for (uint32_t i = begin; i < e->first_in_lane[lane + 1]; i++)
			if (!place(n, n->order[i].id, first_row))
				return false;
	}
	nest->first[n_lanes] = (uint32_t)n->n_in_row.n;
	return true;
}

/* Rows are lanes of their own from here on. */
static bool make_rows(const struct nester *n, struct nest *nest, size_t n_events)
{
	struct events *rows = &nest->rows;
	size_t n_rows = n->n_in_row.n;
	uint32_t *next = arena_zero(&rows->arena, n_rows + 2, sizeof(*next));

	rows->by_lane = arena_array(&rows->arena, n_events, sizeof(*rows->by_lane));
	rows->busy_us = arena_array(&rows->arena, n_events, sizeof(*rows->busy_us));
	rows->reach_us = arena_array(&rows->arena, n_events, sizeof(*rows->reach_us));
	rows->first_in_lane = next;
	if (!next || !rows->by_lane || !rows->busy_us || !rows->reach_us)
		return false;
	/* Each row counts one place further, so that in the end that is where it begins. */
	for (size_t row = 0; row < n_rows; row++)
		next[row + 2] = next[row + 1] + n->n_in_row.at[row];
	for (size_t i = 0; i < n_events; i++)
		rows->by_lane[next[n->row_of[n->order[i].id] + 1]++] =
			n->e->by_lane[n->order[i].id];
	for (uint32_t row = 0; row < n_rows; row++)
		events_sum_lane(rows, row);
	return true;
}

bool nest_build(struct nest *nest, const struct events *e)
{
	struct nester n = {.e = e};
	size_t n_lanes = e->n ? e->first_lane[e->n_groups] : 0;
	bool ok;

	*nest = (struct nest){.rows = *e};
	nest->rows.arena = (struct arena){0};
	nest->first = arena_zero(&nest->rows.arena, n_lanes + 1, sizeof(*nest->first));
	n.row_of = mem_array(e->n, sizeof(*n.row_of));
	n.order = mem_array(e->n, sizeof(*n.order));
	n.scratch = mem_array(e->n, sizeof(*n.scratch));
	ok = nest->first && n.row_of && n.order && n.scratch && place_all(&n, nest, n_lanes) &&
		make_rows(&n, nest, e->n);
	mem_free(n.row_of);
	mem_free(n.order);
	mem_free(n.scratch);
	vec_clear(&n.open);
	vec_clear(&n.n_in_row);
	return ok;
}

bool nest_select(struct nest *only, const struct nest *whole, const unsigned char *selected,
	size_t n_nodes)
{
	size_t n_lanes = whole->rows.n ? whole->rows.first_lane[whole->rows.n_groups] : 0;

	only->first = whole->first;
	return events_select_rows(&only->rows, &whole->rows, n_lanes ? whole->first[n_lanes] : 0,
		selected, n_nodes);
}

void nest_clear(struct nest *nest)
{
	arena_clear(&nest->rows.arena);
	*nest = (struct nest){0};
}
