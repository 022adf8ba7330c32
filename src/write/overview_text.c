/* A profile at a glance, for people. Commands to try are not in it: whoever shows it knows how
 * the files were named. */
#include <errno.h>
#include <math.h>

#include "base/visible.h"
#include "write/answer.h"
#include "query/format.h"

/* Files beyond these, such as a hundred steps, are only counted. */
enum { MAX_INPUTS = 8 };

struct page {
	const struct answer *a;
	const struct tfprof_column *parent, *name, *text, *bytes;
	struct buf out;
};

static const struct answer_field *find(const struct page *p, const char *key)
{
	return answer_find_field(p->a, key);
}

/* 0 if it is not known. */
static int64_t number(const struct page *p, const char *key)
{
	return find(p, key)->type == FIELD_INT ? find(p, key)->number : 0;
}

static bool is_known(const struct page *p, const char *key)
{
	return find(p, key)->type != FIELD_NULL;
}

/* The first row below a section, and how many there are. */
static size_t rows_of(const struct page *p, const char *section, size_t *first)
{
	size_t n = 0, row = 0, n_rows = p->a->table.n_rows;

	while (row < n_rows &&
		(p->parent->numbers[row] != 0 ||
			!span_equal(table_text(p->name, row), span_of(section))))
		row++;
	*first = row + 1;
	while (*first + n < n_rows && p->parent->numbers[*first + n] == (int64_t)row)
		n++;
	return n;
}

static void put_inputs(struct page *p)
{
	size_t first, n = rows_of(p, "inputs", &first);

	for (size_t i = 0; i < n && i < MAX_INPUTS; i++) {
		visible_put(&p->out, table_text(p->name, first + i));
		buf_text(&p->out, ": ");
		buf_span(&p->out, table_text(p->text, first + i));
		buf_text(&p->out, ", ");
		format_number(&p->out, UNIT_BYTES, p->bytes->numbers[first + i]);
		buf_char(&p->out, '\n');
	}
	if (n > MAX_INPUTS)
		buf_printf(&p->out, "and %zu more\n", n - MAX_INPUTS);
}

static void put_count(struct page *p, const char *key, const char *thing, const char *after)
{
	int64_t n = number(p, key);

	buf_printf(&p->out, "%lld %s%s%s", (long long)n, thing, n == 1 ? "" : "s", after);
}

static void put_counts(struct page *p)
{
	put_count(p, "n_nodes", "node", ", ");
	if (number(p, "n_steps"))
		put_count(p, "n_steps", "step", ", ");
	else
		buf_text(&p->out, "no steps, ");
	put_count(p, "n_devices", "device", "");
	if (is_known(p, "coverage"))
		buf_printf(&p->out, "; %.0f%% of the nodes ran", find(p, "coverage")->real * 100);
	buf_text(&p->out, "\n\n");
}

static void put_number(struct page *p, const char *before, enum unit unit, const char *key,
	const char *after)
{
	buf_text(&p->out, before);
	format_number(&p->out, unit, number(p, key));
	buf_text(&p->out, after);
}

static void put_mean(struct page *p)
{
	if (number(p, "n_steps") > 1)
		buf_printf(&p->out, ", mean of %lld steps", (long long)number(p, "n_steps"));
	buf_char(&p->out, '\n');
}

static void put_times(struct page *p)
{
	/* A sum over devices is no time that passed. */
	bool is_of_devices = number(p, "accelerator_exec_micros") > 0 && number(p, "n_devices") > 1;

	put_number(p,
		is_of_devices ? "operation time, added up over all devices  "
			      : "operation time, all threads  ",
		UNIT_MICROS, "exec_micros", "");
	put_number(p, " (cpu ", UNIT_MICROS, "cpu_exec_micros", "");
	put_number(p, ", accelerator ", UNIT_MICROS, "accelerator_exec_micros", ")");
	put_mean(p);
}

static void put_memory(struct page *p)
{
	put_number(p, "memory            ", UNIT_BYTES, "requested_bytes", " requested");
	put_mean(p);
}

static void put_totals(struct page *p)
{
	if (is_known(p, "exec_micros"))
		put_times(p);
	if (is_known(p, "requested_bytes"))
		put_memory(p);
	if (is_known(p, "trainable_parameters")) {
		put_number(p, "parameters        ", UNIT_COUNT, "trainable_parameters",
			" trainable");
		put_number(p, ", ", UNIT_COUNT, "parameters", " in all variables\n");
	} else if (number(p, "parameters")) {
		put_number(p, "parameters        ", UNIT_COUNT, "parameters", "\n");
	}
	if (is_known(p, "float_ops")) {
		put_number(p, "float operations  ", UNIT_COUNT, "float_ops", "");
		if (is_known(p, "uncounted"))
			buf_printf(&p->out, " (%s)", find(p, "uncounted")->text);
		if (is_known(p, "assumed_batch"))
			buf_text(&p->out, ", of a batch of 1: the file leaves it open");
		buf_char(&p->out, '\n');
	}
}

static void put_missing(struct page *p)
{
	size_t first, n = rows_of(p, "missing", &first);

	for (size_t i = 0; i < n; i++) {
		buf_text(&p->out, i ? "                  " : "missing           ");
		buf_span(&p->out, table_text(p->name, first + i));
		buf_text(&p->out, ": add ");
		buf_span(&p->out, table_text(p->text, first + i));
		buf_char(&p->out, '\n');
	}
}

void overview_text(const struct answer *a, struct sink *out)
{
	struct page p = {.a = a,
		.parent = column_table_find(&a->table, "parent"),
		.name = column_table_find(&a->table, "name"),
		.text = column_table_find(&a->table, "text"),
		.bytes = column_table_find(&a->table, "bytes")};

	if (is_known(&p, "headline")) {
		visible_put(&p.out, span_of(find(&p, "headline")->text));
		buf_text(&p.out, "\n\n");
	}
	put_inputs(&p);
	put_counts(&p);
	put_totals(&p);
	put_missing(&p);
	if (p.out.failed)
		sink_fail(out, ENOMEM);
	else
		sink_span(out, buf_get(&p.out));
	buf_clear(&p.out);
}
