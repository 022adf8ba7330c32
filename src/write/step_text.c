/* The anatomy of a step for people: a sentence, the parts of an average step with what they are
 * most in, and the walls of all steps. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "ask/step.h"
#include "base/visible.h"
#include "write/answer.h"

/* A part, summed over the steps that stand for the rest. */
struct line {
	struct span name;
	double micros, hidden;
};

typedef VEC(struct line) lines;

struct report {
	const struct answer *a;
	struct sink *out;
	const struct tfprof_column *depth, *name, *wall, *gap, *steady, *micros, *hidden;
	lines parts;
	size_t n_steps;
	size_t n_gaps; /* steps that another one came before */
	double wall_sum, gap_sum, least, most;
	bool failed;
};

static double number(const struct tfprof_column *c, size_t row)
{
	return table_is_null(c, row) ? 0 : c->doubles[row];
}

/* ---- sums ---------------------------------------------------------------------------- */

static size_t find_part(struct report *r, struct span name)
{
	size_t i = 0;

	while (i < r->parts.n && !span_equal(r->parts.at[i].name, name))
		i++;
	if (i == r->parts.n)
		r->failed |= !vec_push(&r->parts, ((struct line){name, 0, 0}));
	return i;
}

static void add_step(struct report *r, size_t row)
{
	double wall = number(r->wall, row);

	r->n_steps++;
	r->n_gaps += row > 1;
	r->wall_sum += wall;
	r->gap_sum += number(r->gap, row);
	if (r->n_steps == 1 || wall < r->least)
		r->least = wall;
	if (wall > r->most)
		r->most = wall;
}

/* Rows come in pre-order: a step, its parts, their causes. */
static void sum(struct report *r)
{
	bool is_steady = false;

	for (size_t row = 0; !r->failed && row < r->a->table.n_rows; row++) {
		size_t part;

		if (r->depth->numbers[row] == 1) {
			is_steady = r->steady->numbers[row] > 0;
			if (is_steady)
				add_step(r, row);
		}
		if (!is_steady || r->depth->numbers[row] != 2 || table_is_null(r->micros, row))
			continue;
		part = find_part(r, table_text(r->name, row));
		if (r->failed)
			return;
		r->parts.at[part].micros += number(r->micros, row);
		r->parts.at[part].hidden += number(r->hidden, row);
	}
}

/* ---- text ---------------------------------------------------------------------------- */

static void put(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct report *r, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	sink_text(r->out, text);
}

static void put_visible(struct report *r, struct span text)
{
	struct buf shown = {0};

	visible_put(&shown, text);
	r->failed |= shown.failed;
	sink_span(r->out, buf_get(&shown));
	buf_clear(&shown);
}

/* Milliseconds per step, with three digits; those of steps of microseconds with more. */
static const char *ms(const struct report *r, char *text, size_t size, double micros_sum, size_t n)
{
	double value = n ? micros_sum / 1000 / (double)n : 0;
	double wall = r->wall_sum / 1000 / (double)r->n_steps;
	int more = wall < 0.0995 ? 2 : wall < 0.995;

	snprintf(text, size, "%.*f", more + (value < 9.995 ? 2 : value < 99.95 ? 1 : 0), value);
	return text;
}

#define MS_OF(value, n) ms(r, (char[32]){0}, 32, value, n)
#define MS(value) MS_OF(value, r->n_steps)

static bool is_of(const struct step_cause *c, struct span part)
{
	return span_equal(part,
		c->part < N_ANATOMY_PARTS ? span_of(anatomy_part_name(c->part)) : SPAN("gap"));
}

static void put_causes(struct report *r, size_t part, size_t n_steps)
{
	const struct step_detail *d = r->a->detail;
	size_t n = 0;

	for (size_t i = 0; i < d->causes.n; i++) {
		const struct step_cause *c = &d->causes.at[i];

		/* Of the others, less than a tenth of the part is not worth a word. */
		if (!is_of(c, r->parts.at[part].name) ||
			(n && c->micros < 0.1 * r->parts.at[part].micros))
			continue;
		sink_text(r->out, n++ ? ", " : "   ");
		put_visible(r, c->name);
		put(r, " %s", MS_OF(c->micros, n_steps));
	}
	sink_char(r->out, '\n');
}

static void put_part(struct report *r, size_t part)
{
	const struct line *p = &r->parts.at[part];

	put(r, "%-14.*s%9s%6.0f%9s", (int)p->name.n, p->name.at, MS(p->micros),
		r->wall_sum ? 100 * p->micros / r->wall_sum : 0,
		p->hidden >= 0.01 * r->wall_sum ? MS(p->hidden) : "");
	put_causes(r, part, r->n_steps);
}

/* The time between steps is none of the wall. */
static void put_gap(struct report *r, size_t part)
{
	put(r, "%-14s%9s%15s", "between steps", MS_OF(r->gap_sum, r->n_gaps), "");
	put_causes(r, part, r->n_gaps);
}

static bool is_worth_a_line(const struct report *r, size_t part)
{
	const struct line *p = &r->parts.at[part];

	return p->micros >= 0.0005 * r->wall_sum || p->hidden >= 0.01 * r->wall_sum;
}

static void put_parts(struct report *r)
{
	size_t gap = find_part(r, SPAN("gap"));
	bool *is_put = mem_zero_array(r->parts.n + 1, sizeof(*is_put));

	r->failed |= !is_put;
	sink_text(r->out, "part            ms/step     %   hidden   most in\n");
	for (size_t n = 0; !r->failed && n < r->parts.n; n++) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < r->parts.n; i++)
			if (!is_put[i] && i != gap &&
				(best == SIZE_MAX ||
					r->parts.at[i].micros > r->parts.at[best].micros))
				best = i;
		if (best == SIZE_MAX)
			break;
		is_put[best] = true;
		if (is_worth_a_line(r, best))
			put_part(r, best);
	}
	put(r, "%-14s%9s%6d\n", "wall", MS(r->wall_sum), 100);
	if (!r->failed && is_worth_a_line(r, gap))
		put_gap(r, gap);
	mem_free(is_put);
}

static void put_field(struct report *r, const char *key)
{
	const struct answer_field *f = answer_find_field(r->a, key);

	if (f && f->text)
		put_visible(r, span_of(f->text));
}

static void put_summary(struct report *r)
{
	const struct answer_field *left_out = answer_find_field(r->a, "left_out");
	long long n = (long long)r->n_steps + (left_out ? (long long)left_out->number : 0);

	put(r, "\n%lld %s by ", n, n == 1 ? "step" : "steps");
	put_field(r, "steps_by");
	put(r, "; wall %s \u2026 %s ms", MS_OF(r->least, 1), MS_OF(r->most, 1));
	if (r->gap_sum > 0)
		put(r, ", %s ms between steps", MS_OF(r->gap_sum, r->n_gaps));
	sink_text(r->out, "\n");
}

/* The walls of all steps, as many as fit a line. */
static void put_walls(struct report *r)
{
	enum { WIDTH = 78 };
	size_t column = 0;

	for (size_t row = 0; row < r->a->table.n_rows; row++) {
		char text[96];
		int n;

		if (r->depth->numbers[row] != 1)
			continue;
		n = snprintf(text, sizeof(text), "%.*s %s%s",
			(int)(r->name->offsets[row + 1] - r->name->offsets[row]),
			r->name->bytes + r->name->offsets[row], MS_OF(number(r->wall, row), 1),
			r->steady->numbers[row] > 0 ? "" : "*");
		if (column && column + 2 + (size_t)n > WIDTH) {
			sink_char(r->out, '\n');
			column = 0;
		}
		put(r, "%s%s", column ? "  " : "", text);
		column += (size_t)n + (column ? 2 : 0);
	}
	if (column)
		sink_char(r->out, '\n');
}

void step_text(const struct answer *a, struct sink *out)
{
	struct report r = {.a = a,
		.out = out,
		.depth = column_table_find(&a->table, "depth"),
		.name = column_table_find(&a->table, "name"),
		.wall = column_table_find(&a->table, "wall_micros"),
		.gap = column_table_find(&a->table, "gap_micros"),
		.steady = column_table_find(&a->table, "steady"),
		.micros = column_table_find(&a->table, "micros"),
		.hidden = column_table_find(&a->table, "hidden_micros")};

	put_field(&r, "headline");
	sink_char(out, '\n');
	sum(&r);
	if (r.n_steps) {
		put_summary(&r);
		if (r.parts.n)
			put_parts(&r);
		put_walls(&r);
	}
	if (r.failed)
		sink_fail(out, ENOMEM);
	vec_clear(&r.parts);
}
