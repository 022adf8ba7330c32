/* Lines of accelerators' operations that have none of their own: of a fusion, that of what it is
 * named after; of what the compiler added, that of the operation it serves (hlo/served.h). */
#include <stdlib.h>

#include "hlo/framework.h"
#include "hlo/served.h"
#include "load/xplane/apply.h"

static bool is_without_line(const struct trace_target *target)
{
	return target->on_device == DEVICE_COMPILED && target->module && target->module->frames.n &&
		!target->module->instructions.at[target->instruction].frame;
}

static int by_module(const void *a, const void *b, void *context)
{
	const struct trace_target *targets = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t i = targets[x].module->program, k = targets[y].module->program;

	return i != k ? (i > k) - (i < k) : (x > y) - (x < y);
}

/* False on allocation failure. */
static bool find_one(struct apply *a, uint32_t i, const struct hlo_users *users,
	const struct hlo_details *d, uint32_t op)
{
	bool ok = true;
	uint32_t named = hlo_find_named(&d->program, op, &ok);
	bool is_away = a->trace->targets.at[i].direction == GOES_TO_HOST;

	if (ok && named != NONE && d->program.ops.at[named].frame) {
		a->line_of[i] = named;
	} else if (ok) {
		a->served[i] = hlo_find_served(&d->program, users, op, is_away);
		a->line_of[i] = a->served[i];
	}
	return ok;
}

bool apply_served(struct apply *a)
{
	const struct trace *t = a->trace;
	const struct hlo_details *last = NULL;
	struct hlo_users users = {0};
	uint32_t op, *order = mem_array(t->targets.n + 1, sizeof(*order));
	size_t n = 0;
	bool ok = order;

	a->line_of = mem_array(t->targets.n + 1, sizeof(*a->line_of));
	a->served = mem_array(t->targets.n + 1, sizeof(*a->served));
	ok = ok && a->line_of && a->served;
	for (uint32_t i = 0; ok && i < t->targets.n; i++) {
		a->line_of[i] = a->served[i] = NONE;
		if (is_without_line(&t->targets.at[i]))
			order[n++] = i;
	}
	if (n)
		qsort_r(order, n, sizeof(*order), by_module, t->targets.at);
	for (size_t i = 0; ok && i < n; i++) {
		const struct trace_target *target = &t->targets.at[order[i]];
		const struct hlo_details *d =
			hlo_get_details(target->module, target->instruction, &op, &ok);

		if (!d || !ok)
			continue;
		if (d != last) {
			hlo_users_clear(&users);
			ok = hlo_users_find(&users, &d->program);
			last = d;
		}
		ok = ok && find_one(a, order[i], &users, d, op);
	}
	hlo_users_clear(&users);
	mem_free(order);
	return ok;
}
