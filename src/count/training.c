#include "count/training.h"

/* Of the walk, by buffer or by record. */
struct pass {
	struct training *t;
	const struct walk *w;
	const struct training_scale *scale;
	bool all_is_trainable;
	bool *needs_gradient; /* by buffer */
	bool *is_kept;        /* by buffer */
	uint32_t *maker;      /* by buffer: its record + 1; 0: an input */
	bool *has_parameter;  /* by parameter: its gradient is accounted for */
	int64_t *scratch;     /* by record */
	uint32_t *record_of;  /* by serial number: the record + 1 */
};

static int64_t scaled(int64_t bytes, int part, int whole)
{
	return part == whole ? bytes : bytes / whole * part;
}

/* ---- weights ----------------------------------------------------------------------- */

/* The parameter that an input is, + 1; 0: none. */
static uint32_t parameter_of(const struct pass *p, uint32_t source)
{
	const struct walk *w = p->w;
	uint32_t id = source & WALK_PARAMETER ? source & ~WALK_PARAMETER
		: source <= w->serial && p->record_of[source]
		? w->records.at[p->record_of[source] - 1].parameter
		: 0;

	return id <= w->parameters->n ? id : 0;
}

/* Bytes of the trainable weights that a record reads; *has_any says whether it reads any. */
static int64_t weights_of(struct pass *p, const struct record *r, bool *has_any)
{
	const struct walk *w = p->w;
	int64_t bytes = 0;

	*has_any = false;
	if (r->weights) {
		const struct layer_weights *own = &w->weights.at[r->weights];

		*has_any = own->parameters > 0;
		return count_multiply(p->all_is_trainable ? own->parameters : own->trainable,
			dtype_bytes(own->dtype));
	}
	for (uint32_t k = 0; k < r->n_sources; k++) {
		uint32_t id = parameter_of(p, w->sources.at[r->first_source + k]);
		const struct parameter *x;

		if (!id)
			continue;
		x = &w->parameters->at[id - 1];
		*has_any = true;
		if (x->is_trainable || (p->all_is_trainable && dtype_is_real(x->tensor.dtype)))
			bytes = count_add(bytes, tensor_bytes(&x->tensor));
	}
	return bytes;
}

/* Weights that several operations read have one gradient. */
static int64_t new_gradients(struct pass *p, const struct record *r, int64_t bytes)
{
	const struct walk *w = p->w;

	if (r->weights)
		return w->weights.at[r->weights].parameters ? bytes : 0;
	for (uint32_t k = 0; k < r->n_sources; k++) {
		uint32_t id = parameter_of(p, w->sources.at[r->first_source + k]);
		int64_t own;

		if (!id)
			continue;
		own = tensor_bytes(&w->parameters->at[id - 1].tensor);
		if (p->has_parameter[id])
			bytes -= bytes < own ? bytes : own;
		p->has_parameter[id] = true;
	}
	return bytes;
}

/* ---- the forward pass ---------------------------------------------------------------- */

static struct keeps keeps_of(const struct pass *p, const struct record *r)
{
	return r->weights ? p->w->weights.at[r->weights].keeps
			  : keep_of_op(r->type, r->in_bytes, r->out_bytes);
}

static void keep(struct pass *p, uint32_t buffer, int64_t times)
{
	int64_t bytes = scaled(p->w->buffers.at[buffer], p->scale->activations, p->scale->whole);
	int64_t *kept;

	/* Inputs of the model are there all the time. */
	if (p->is_kept[buffer] || !p->maker[buffer])
		return;
	p->is_kept[buffer] = true;
	kept = &p->t->parts[p->maker[buffer] - 1].kept;
	*kept = count_add(*kept, count_multiply(bytes, times));
}

/* An operation that the backward pass comes to. */
static void add_backward(struct pass *p, uint32_t i, const struct keeps *k, bool has_inputs)
{
	const struct record *r = &p->w->records.at[i];
	struct training_part *part = &p->t->parts[i];
	int64_t times = r->times > 1 ? r->times : 1;
	int64_t gradients =
		count_multiply(k->copies ? k->copies : 1, count_add(r->out_bytes, r->in_bytes));

	for (uint32_t n = 0; has_inputs && n < r->n_uses; n++)
		keep(p, p->w->uses.at[r->first_use + n], times);
	for (uint32_t n = 0; k->results && n < r->n_buffers; n++)
		keep(p, r->first_buffer + n, times);
	part->kept = count_add(part->kept,
		scaled(count_multiply(k->inside, times), p->scale->activations, p->scale->whole));
	p->scratch[i] =
		scaled(count_add(gradients, k->scratch), p->scale->activations, p->scale->whole);
	p->t->indices = count_add(p->t->indices, k->indices);
	p->t->n_unknown += !k->is_known;
	p->t->has_loop |= times > 1 && !r->weights;
}

static bool keeps_inputs(const struct keeps *k, const struct record *r, bool has_weights,
	int64_t trainable)
{
	if (k->is_linear && has_weights && !trainable)
		return false;
	return k->inputs && !(k->are_factors && !has_weights && r->n_uses < 2);
}

static bool reads_gradient(const struct pass *p, const struct record *r)
{
	for (uint32_t k = 0; k < r->n_uses; k++)
		if (p->needs_gradient[p->w->uses.at[r->first_use + k]])
			return true;
	return false;
}

static void walk_forward(struct pass *p)
{
	for (uint32_t i = 0; i < p->w->records.n; i++) {
		const struct record *r = &p->w->records.at[i];
		struct keeps k = keeps_of(p, r);
		bool has_weights;
		int64_t weights = weights_of(p, r, &has_weights);
		bool passes = r->place == PLACE_NOWHERE || (!r->weights && r->place == PLACE_ALIAS);

		for (uint32_t n = 0; n < r->n_buffers; n++)
			p->maker[r->first_buffer + n] = i + 1;
		if (passes || (!weights && !reads_gradient(p, r)))
			continue;
		for (uint32_t n = 0; n < r->n_buffers && dtype_is_real(r->out_dtype); n++)
			p->needs_gradient[r->first_buffer + n] = true;
		p->t->parts[i].gradients = scaled(count_multiply(new_gradients(p, r, weights),
							  k.copies ? k.copies : 1),
			p->scale->gradients, p->scale->whole);
		add_backward(p, i, &k, keeps_inputs(&k, r, has_weights, weights));
	}
}

/* ---- the backward pass ----------------------------------------------------------------- */

static void find_peak(struct pass *p)
{
	struct training *t = p->t;
	int64_t kept, gradients = 0, most = -1;

	for (size_t i = 0; i < p->w->records.n; i++) {
		t->kept = count_add(t->kept, t->parts[i].kept);
		t->gradients = count_add(t->gradients, t->parts[i].gradients);
	}
	kept = t->kept;
	for (size_t i = p->w->records.n; i-- > 0 && kept < INT64_MAX;) {
		int64_t sum = count_add(count_add(kept, gradients), p->scratch[i]);

		if (p->scratch[i] && sum > most) {
			most = sum;
			t->peak = i;
			t->peak_kept = kept;
			t->peak_gradients = gradients;
			t->peak_scratch = p->scratch[i];
		}
		gradients = count_add(gradients, t->parts[i].gradients);
		kept -= t->parts[i].kept;
	}
}

/* The loss is computed from the results twice, and their gradient. */
static void add_loss(struct pass *p)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < p->w->kept.n; i++)
		bytes = count_add(bytes, p->w->buffers.at[p->w->kept.at[i]]);
	bytes = scaled(count_multiply(bytes, 2), p->scale->activations, p->scale->whole);
	for (size_t i = p->w->records.n; i-- > 0;) {
		if (!p->scratch[i])
			continue;
		p->scratch[i] = count_add(p->scratch[i], bytes);
		return;
	}
}

bool training_estimate(struct training *t, const struct walk *w, const struct training_scale *scale,
	bool all_is_trainable)
{
	struct pass p = {.t = t, .w = w, .scale = scale, .all_is_trainable = all_is_trainable};
	bool ok;

	*t = (struct training){.peak = SIZE_MAX};
	t->parts = mem_zero_array(w->records.n + 1, sizeof(*t->parts));
	p.record_of = mem_zero_array((size_t)w->serial + 1, sizeof(*p.record_of));
	p.scratch = mem_zero_array(w->records.n + 1, sizeof(*p.scratch));
	p.needs_gradient = mem_zero_array(w->buffers.n + 1, sizeof(bool));
	p.is_kept = mem_zero_array(w->buffers.n + 1, sizeof(bool));
	p.maker = mem_zero_array(w->buffers.n + 1, sizeof(*p.maker));
	p.has_parameter = mem_zero_array(w->parameters->n + 1, sizeof(bool));
	ok = t->parts && p.record_of && p.scratch && p.needs_gradient && p.is_kept && p.maker &&
		p.has_parameter;
	for (uint32_t i = 0; ok && i < w->records.n; i++)
		p.record_of[w->records.at[i].serial] = i + 1;
	if (ok) {
		walk_forward(&p);
		add_loss(&p);
		find_peak(&p);
	}
	mem_free(p.record_of);
	mem_free(p.scratch);
	mem_free(p.needs_gradient);
	mem_free(p.is_kept);
	mem_free(p.maker);
	mem_free(p.has_parameter);
	return ok;
}

void training_clear(struct training *t)
{
	mem_free(t->parts);
	*t = (struct training){0};
}
