#include "ask/capture.h"

#include "ask/gaps.h"
#include "model/executed.h"

static bool add_file(struct capture *c, const char *name, const char *kind, int64_t n_bytes,
	const char *side)
{
	struct captured_file file = {span_copy(span_of(name)), kind, n_bytes, side};

	if (file.name && vec_push(&c->files, file))
		return true;
	mem_free(file.name);
	return false;
}

static bool add_inputs(struct capture *c, const struct asked *q, const void *profile,
	const char *side)
{
	struct asked_input in;
	bool ok = true;

	for (size_t i = 0; ok && q->get_input(profile, i, &in); i++)
		ok = add_file(c, in.name, in.kind, (int64_t)in.n_bytes, side);
	return ok;
}

static bool add_side(struct capture *c, const struct asked *q, int k)
{
	static const char *const names[] = {"base", "new"};
	const struct asked_side *side = q->sides[k];
	bool ok = true;

	if (side->model && side->model->path)
		return add_file(c, side->model->path, "model", -1, names[k]);
	for (size_t i = 0; ok && i < side->n; i++)
		ok = add_inputs(c, q, side->profiles[i], names[k]);
	return ok;
}

/* Those that the table tells, which may be fewer: otherwise the profile's, or the one chosen. */
static void find_steps(struct capture *c, const struct answer *a, const struct asked *q)
{
	const struct tfprof_column *step =
		a->table.columns ? column_table_find(&a->table, "step") : NULL;
	const struct model *m = q->model;
	int64_t chosen = q->options->number[OPT_STEP];

	if (chosen >= 0) {
		c->n_steps = 1;
		c->first_step = c->last_step = chosen;
	} else if (m->steps.n) {
		c->n_steps = m->steps.n;
		c->first_step = m->steps.at[0];
		c->last_step = m->steps.at[m->steps.n - 1];
	}
	if (!step || step->type != TFPROF_COLUMN_INT64 || !a->table.is_tree)
		return;
	c->n_steps = 0;
	for (size_t i = 0; i < a->table.n_rows; i++) {
		int64_t number = step->numbers[i];

		if (table_is_null(step, i))
			continue;
		c->first_step = c->n_steps && c->first_step < number ? c->first_step : number;
		c->last_step = c->n_steps && c->last_step > number ? c->last_step : number;
		c->n_steps++;
	}
}

static bool add_device(struct capture *c, struct span name)
{
	char *copy;

	if (c->n_devices++ >= MOST_DEVICES)
		return true;
	copy = span_copy(name);
	if (copy && vec_push(&c->devices, copy))
		return true;
	mem_free(copy);
	return false;
}

/* Where nodes ran or, if nothing did, are placed; and accelerators of traces. */
static bool add_devices(struct capture *c, const struct model *m)
{
	bool *seen = mem_zero_array(m->strings.text.n + 1, sizeof(*seen)), ok = seen;

	for (uint32_t i = 0; ok && i < m->nodes.n; i++) {
		uint32_t device = m->execs.n_rows ? m->nodes.device[i] : m->nodes.placed[i];

		if (!device || seen[device])
			continue;
		seen[device] = true;
		ok = add_device(c, model_text(m, device));
	}
	for (size_t i = 0; ok && i < m->accelerators.n; i++) {
		uint32_t device = m->accelerators.at[i].device;

		if (seen[device])
			continue;
		seen[device] = true;
		ok = add_device(c, model_text(m, device));
	}
	mem_free(seen);
	return ok;
}

bool capture_read(struct capture *c, const struct answer *a, const struct asked *q)
{
	*c = (struct capture){0};
	if (q->sides[0])
		return add_side(c, q, 0) && add_side(c, q, 1);
	if (q->file && !a->question->loads_model)
		return !q->file->path || add_file(c, q->file->path, "model", -1, NULL);
	c->has_model = true;
	find_steps(c, a, q);
	for (int gap = 0; gap < N_GAPS; gap++)
		if (gap_is_open(q->model, (enum gap)gap))
			c->missing |= 1u << gap;
	return add_inputs(c, q, q->profile, NULL) && add_devices(c, q->model);
}

void capture_clear(struct capture *c)
{
	for (size_t i = 0; i < c->files.n; i++)
		mem_free(c->files.at[i].name);
	for (size_t i = 0; i < c->devices.n; i++)
		mem_free(c->devices.at[i]);
	vec_clear(&c->files);
	vec_clear(&c->devices);
	*c = (struct capture){0};
}
