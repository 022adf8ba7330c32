/* Prints what compiled programs cost and hold, one line of JSON per program. The input is a list of
 * programs, each eight bytes of length, lowest first, and an HloProto. */
#include <stdio.h>
#include <stdlib.h>

#include "hlo/cost.h"
#include "hlo/memory.h"
#include "hlo/op_name.h"
#include "hlo/shape.h"

static void put_text(struct span text)
{
	putchar('"');
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] == '"' || text.at[i] == '\\')
			printf("\\%c", text.at[i]);
		else
			putchar(text.at[i]);
	putchar('"');
}

static void put_cost(const struct hlo_cost *c)
{
	printf("[%lld,%lld,%lld,%lld,%lld,%lld]", (long long)c->float_ops,
		(long long)c->matrix_float_ops, (long long)c->transcendentals, (long long)c->bytes,
		(long long)c->sent_bytes, (long long)c->unknown);
}

/* ---- memory -------------------------------------------------------------- */

static void put_buf(const char *key, struct buf *b)
{
	printf(",\"%s\":", key);
	put_text(buf_get(b));
	b->n = 0;
}

static void put_live(const struct hlo_program *p, const struct hlo_live *l)
{
	struct buf b = {0};

	printf("{\"bytes\":%lld,\"instruction\":", (long long)l->bytes);
	put_text(l->op == NONE ? SPAN("") : p->ops.at[l->op].name);
	if (l->op != NONE)
		hlo_put_shape(&b, p, l->value);
	put_buf("shape", &b);
	if (l->name.from != NONE)
		buf_span(&b, p->ops.at[l->name.from].op_name);
	put_buf("op_name", &b);
	hlo_put_layer(&b, p, &l->name);
	put_buf("layer", &b);
	hlo_put_line(&b, p, l->name.from);
	put_buf("line", &b);
	buf_text(&b, hlo_borrowed_texts[l->name.how]);
	put_buf("how", &b);
	if (l->name.via != NONE)
		buf_span(&b, p->ops.at[l->name.via].name);
	put_buf("via", &b);
	putchar('}');
	buf_clear(&b);
}

static void put_arena(const struct hlo_program *p, const struct hlo_memory *m,
	const struct hlo_arena *a)
{
	printf("{\"space\":%llu,\"size\":%lld,\"peak\":%lld,\"method\":\"%s\",\"peak_at\":",
		(unsigned long long)a->space, (long long)a->bytes, (long long)a->peak,
		a->is_from_schedule ? "schedule" : "heap trace");
	put_text(a->at);
	printf(",\"live\":[");
	for (uint32_t i = a->first; i < a->first + a->n; i++) {
		printf(i > a->first ? "," : "");
		put_live(p, &m->live.at[i]);
	}
	printf("]}");
}

static void put_space(const struct hlo_space *s)
{
	printf("\"%llu\":{\"parameters\":%lld,\"outputs\":%lld,\"aliased\":%lld,\"temporaries\":%"
	       "lld,"
	       "\"constants\":%lld,\"thread_local\":%lld}",
		(unsigned long long)s->number, (long long)s->parameters, (long long)s->outputs,
		(long long)s->aliased, (long long)s->temporaries, (long long)s->constants,
		(long long)s->thread_local);
}

static void put_memory(const struct hlo_program *p, enum hlo_peak_source source)
{
	struct hlo_memory m = {0};
	struct decoder d = {0};

	if (!hlo_memory_read(&m, p, source, &d)) {
		printf("null");
	} else {
		printf("{\"spaces\":{");
		for (size_t i = 0; i < m.spaces.n; i++) {
			printf(i ? "," : "");
			put_space(&m.spaces.at[i]);
		}
		printf("},\"arenas\":[");
		for (size_t i = 0; i < m.arenas.n; i++) {
			printf(i ? "," : "");
			put_arena(p, &m, &m.arenas.at[i]);
		}
		printf("],\"donatable\":[%zu,%lld],\"n_damaged\":%zu}", m.n_donatable,
			(long long)m.donatable_bytes, m.n_damaged);
	}
	hlo_memory_clear(&m);
}

/* What the source calls each op: layer, primitive, gradient, recomputed, line. */
static void put_names(const struct hlo_program *p)
{
	struct buf layer = {0};

	for (uint32_t i = 0; i < p->ops.n; i++) {
		struct hlo_op_name name;

		layer.n = 0;
		name = hlo_op_name_read(p->ops.at[i].op_name, &layer);
		printf(i ? "," : "");
		put_text(p->ops.at[i].name);
		printf(":[");
		put_text(buf_get(&layer));
		putchar(',');
		put_text(name.primitive);
		printf(",%d,%d,", name.is_gradient, name.is_recomputed);
		layer.n = 0;
		hlo_put_line(&layer, p, i);
		put_text(buf_get(&layer));
		putchar(']');
	}
	buf_clear(&layer);
}

static bool dump(struct span message)
{
	struct hlo_program p = {0};
	struct hlo_costs costs = {0};
	struct decoder d = {0};
	bool ok = hlo_program_read(&p, &d, message) && hlo_costs_count(&costs, &p);

	if (!ok) {
		printf("null\n");
	} else {
		printf("{\"name\":");
		put_text(p.name);
		printf(",\"total\":");
		put_cost(&costs.total);
		printf(",\"ops\":{");
		for (size_t i = 0; i < p.ops.n; i++) {
			printf(i ? "," : "");
			put_text(p.ops.at[i].name);
			putchar(':');
			put_cost(&costs.of_op[i]);
		}
		printf("},\"names\":{");
		put_names(&p);
		printf("},\"memory\":");
		put_memory(&p, HLO_PEAK_OF_HEAP);
		printf(",\"by_schedule\":");
		put_memory(&p, HLO_PEAK_OF_SCHEDULE);
		printf(",\"n_damaged\":%zu}\n", p.n_damaged);
	}
	hlo_costs_clear(&costs);
	hlo_program_clear(&p);
	return true;
}

int main(int n_arguments, char **arguments)
{
	FILE *file = n_arguments == 2 ? fopen(arguments[1], "rb") : NULL;
	unsigned char head[8];

	if (!file)
		return 2;
	while (fread(head, 1, 8, file) == 8) {
		size_t n = 0;
		char *bytes;

		for (int i = 8; i--;)
			n = n << 8 | head[i];
		bytes = malloc(n + 1);
		if (!bytes || fread(bytes, 1, n, file) != n)
			return 2;
		dump((struct span){bytes, n});
		free(bytes);
	}
	fclose(file);
	return 0;
}
