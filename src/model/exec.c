#include "model/exec.h"

#include "base/arena.h"
#include "model/exec_profile.h"
#include "model/model.h"
#include "model/record.h"

void execs_clear(struct execs *x)
{
	for (size_t i = 0; i < x->blocks.n; i++)
		mem_free(x->blocks.at[i]);
	vec_clear(&x->blocks);
	x->n_rows = 0;
	vec_clear(&x->wide);
	vec_clear(&x->details);
	vec_clear(&x->records);
	vec_clear(&x->runs);
	vec_clear(&x->lanes);
}

uint32_t exec_find(const struct model *m, uint32_t node, int64_t step)
{
	uint32_t row = m->nodes.first_exec[node];

	while (row != NONE && exec_at(&m->execs, row)->step < step)
		row = exec_at(&m->execs, row)->next;
	return row != NONE && exec_at(&m->execs, row)->step == step ? row : NONE;
}

/* For n more rows. */
static bool make_room(struct execs *x, size_t n)
{
	while (x->blocks.n * EXEC_BLOCK - x->n_rows < n) {
		struct exec *block;

		if (x->blocks.n >= NONE / EXEC_BLOCK - 1 || !vec_reserve(&x->blocks, 1))
			return false;
		block = mem_array(EXEC_BLOCK, sizeof(*block));
		if (!block)
			return false;
		x->blocks.at[x->blocks.n++] = block;
	}
	return true;
}

bool execs_reserve(struct execs *x, size_t n_records, size_t n_rows)
{
	return make_room(x, n_rows) && vec_reserve(&x->details, n_rows) &&
		vec_reserve(&x->records, n_records);
}

uint32_t execs_row(struct execs *x, uint32_t *first, int64_t step)
{
	uint32_t row = *first, previous = NONE;

	while (row != NONE && exec_at(x, row)->step < step) {
		previous = row;
		row = exec_at(x, row)->next;
	}
	if (row != NONE && exec_at(x, row)->step == step)
		return row;
	if (!make_room(x, 1))
		return NONE;
	*exec_at(x, (uint32_t)x->n_rows) = (struct exec){.step = step, .next = row};
	row = (uint32_t)x->n_rows++;
	if (previous == NONE)
		*first = row;
	else
		exec_at(x, previous)->next = row;
	return row;
}

bool execs_take(struct execs *x, struct execs *other, uint32_t *first_row, uint32_t *first_wide)
{
	size_t first = x->blocks.n * EXEC_BLOCK;

	if (other->n_rows >= NONE - EXEC_BLOCK - first ||
		!vec_reserve(&x->blocks, other->blocks.n) || !vec_reserve(&x->wide, other->wide.n))
		return false;
	*first_row = (uint32_t)first;
	*first_wide = (uint32_t)x->wide.n;
	for (size_t i = 0; i < other->blocks.n; i++)
		x->blocks.at[x->blocks.n++] = other->blocks.at[i];
	for (size_t i = 0; i < other->wide.n; i++)
		x->wide.at[x->wide.n++] = other->wide.at[i];
	if (other->n_rows)
		x->n_rows = first + other->n_rows;
	x->has_accelerator_time |= other->has_accelerator_time;
	other->blocks.n = other->n_rows = other->wide.n = 0;
	return true;
}

/* Steps mostly come in order, so a node's chain is not walked each time: the row
 * is its last one, or comes behind it. */
uint32_t exec_row(struct model *m, uint32_t node, int64_t step)
{
	struct execs *x = &m->execs;
	uint32_t *last = &m->nodes.last_exec[node], from = *last - 1, row;

	if (*last && exec_at(x, from)->step == step)
		return from;
	if (*last && exec_at(x, from)->step < step)
		row = execs_row(x, &from, step);
	else
		row = execs_row(x, &m->nodes.first_exec[node], step);
	if (row != NONE && exec_at(x, row)->next == NONE)
		*last = row + 1;
	return row;
}

uint32_t execs_add_rows(struct execs *x, size_t n)
{
	uint32_t first = (uint32_t)x->n_rows;

	if (n >= NONE || !make_room(x, n))
		return NONE;
	x->n_rows += n;
	return first;
}

/* ---- sums --------------------------------------------------------------- */

/* Below 0 is not narrow either. */
static bool is_narrow(const struct exec_sums *sums)
{
	uint64_t any = (uint64_t)sums->run_count << 3;

#define X(sum) any |= (uint64_t)sums->sum;
	EXEC_SUMS(X)
#undef X
	return any <= UINT32_MAX;
}

bool exec_put_sums(struct execs *x, uint32_t row, const struct exec_sums *sums)
{
	struct exec *exec = exec_at(x, row);

	x->has_accelerator_time |= sums->accelerator_us != 0;
	if (exec->is_wide) {
		x->wide.at[exec->wide] = *sums;
		return true;
	}
	if (!is_narrow(sums)) {
		if (!vec_push(&x->wide, *sums))
			return false;
		exec->is_wide = true;
		exec->wide = (uint32_t)x->wide.n - 1;
		return true;
	}
	exec->run_count = (uint32_t)sums->run_count & EXEC_MOST_RUNS;
#define X(sum) exec->sum = (uint32_t)sums->sum;
	EXEC_AMOUNTS(X)
#undef X
	return true;
}

struct span exec_get_raw(const struct model *m, uint32_t row)
{
	return model_slice(m, exec_at(&m->execs, row)->raw);
}

struct exec_extent exec_get_extent(const struct model *m, uint32_t row)
{
	const struct exec *exec = exec_at(&m->execs, row);
	struct decoder d = {0};
	struct exec_extent extent;

	if (exec->has != EXEC_HAS_RAW) {
		struct exec_detail detail = exec_get_detail(&m->execs, row);

		return (struct exec_extent){detail.start_us, detail.end_us};
	}
	extent = exec_profile_extent(&d, exec_get_raw(m, row));
	model_note_damage(m, exec->raw, &d);
	return extent;
}

/* ---- adding ------------------------------------------------------------ */

static bool give_detail(struct model *m, uint32_t row)
{
	struct execs *x = &m->execs;
	struct exec_detail detail = {NONE, NONE, NONE, NONE, 0, 0, 0};

	if (exec_at(x, row)->has == EXEC_HAS_RUNS) {
		detail = exec_get_detail(x, row);
	} else if (exec_at(x, row)->raw.bits) {
		struct exec_extent extent = exec_get_extent(m, row);

		detail.start_us = extent.start_us;
		detail.end_us = extent.end_us;
	}
	if (!vec_push(&x->details, detail))
		return false;
	exec_at(x, row)->has = EXEC_HAS_DETAIL;
	exec_at(x, row)->detail = (uint32_t)x->details.n - 1;
	return true;
}

static bool add_record(struct execs *x, uint32_t row, uint32_t device, struct span bytes)
{
	struct exec_detail *detail = &x->details.at[exec_at(x, row)->detail];
	uint32_t id = (uint32_t)x->records.n;

	if (x->records.n >= NONE - 1 ||
		!vec_push(&x->records, ((struct exec_record){bytes, device, NONE})))
		return false;
	if (detail->first == NONE)
		detail->first = id;
	else
		x->records.at[detail->last].next = id;
	detail->last = id;
	return true;
}

/* Of runs of one device. */
static struct exec_detail detail_of_runs(const struct execs *x, uint32_t first)
{
	const struct exec_run *run = &x->runs.at[first];
	struct exec_detail detail = {NONE, NONE, first, first, x->lanes.at[run->lane].devices,
		run->start_us, run->start_us + run->duration_us};

	for (uint32_t i = run->next; i != NONE; i = run->next) {
		run = &x->runs.at[i];
		if (run->start_us < detail.start_us)
			detail.start_us = run->start_us;
		if (run->start_us + run->duration_us > detail.end_us)
			detail.end_us = run->start_us + run->duration_us;
		detail.last_run = i;
	}
	return detail;
}

static void extend(struct exec_detail *detail, int64_t start_us, int64_t end_us)
{
	if (!detail->start_us || start_us < detail->start_us)
		detail->start_us = start_us;
	if (end_us > detail->end_us)
		detail->end_us = end_us;
}

static bool add_device(struct model *m, struct exec_detail *detail, uint32_t device)
{
	uint32_t devices = sets_with(&m->sets, &m->strings, detail->devices, device);

	if (devices == NONE)
		return false;
	detail->devices = devices;
	return true;
}

/* Appends chained runs to a detail, with their devices and times. */
static bool chain_runs(struct model *m, struct exec_detail *detail, uint32_t first)
{
	struct execs *x = &m->execs;
	struct exec_detail more = detail_of_runs(x, first);
	bool ok = true;

	if (detail->first_run == NONE)
		detail->first_run = first;
	else
		x->runs.at[detail->last_run].next = first;
	detail->last_run = more.last_run;
	extend(detail, more.start_us, more.end_us);
	for (uint32_t i = first; ok && i != NONE; i = x->runs.at[i].next)
		ok = add_device(m, detail, x->lanes.at[x->runs.at[i].lane].device);
	return ok;
}

/* Nearly all rows of traces have only runs of one device and need no detail, which saves 40 of
 * 120 bytes per operation. */
static bool put_only_runs(struct exec *exec, const struct exec_added *added)
{
	if (!added->has_runs || added->on_several_devices || added->has_device || added->record.n ||
		exec->has != EXEC_HAS_RAW || exec->raw.bits)
		return false;
	exec->has = EXEC_HAS_RUNS;
	exec->first_run = added->first_run;
	return true;
}

static bool add_detail(struct model *m, uint32_t row, const struct exec_added *added)
{
	struct execs *x = &m->execs;
	struct exec_detail *detail;

	if (!exec_decode(m, row))
		return false;
	detail = &x->details.at[exec_at(x, row)->detail];
	if (added->has_device && !add_device(m, detail, added->device))
		return false;
	if (added->start_us)
		extend(detail, added->start_us, added->end_us);
	if (added->has_runs && !chain_runs(m, detail, added->first_run))
		return false;
	return !added->record.n || add_record(x, row, added->device, added->record);
}

bool exec_add(struct model *m, uint32_t row, const struct exec_added *added)
{
	struct exec_sums sums;

	if (!put_only_runs(exec_at(&m->execs, row), added) && !add_detail(m, row, added))
		return false;
	sums = exec_get_sums(&m->execs, row);
#define X(sum) add_clamped(&sums.sum, added->sums.sum);
	EXEC_SUMS(X)
#undef X
	m->has_negative |= exec_is_negative(&sums);
	return exec_put_sums(&m->execs, row, &sums);
}

bool exec_add_memory(struct model *m, uint32_t row, const struct exec_memory *memory)
{
	struct exec_added added = {0};
	struct buf bytes = {0};
	bool ok;

	exec_sums_add_memory(&added.sums, memory);
	record_put_memory(&bytes, memory, NULL, 0);
	added.record = bytes.failed ? (struct span){0} : arena_copy(&m->arena, buf_get(&bytes));
	ok = added.record.at && exec_add(m, row, &added);
	buf_clear(&bytes);
	return ok;
}

struct exec_detail exec_get_detail(const struct execs *x, uint32_t row)
{
	const struct exec *exec = exec_at(x, row);

	return exec->has == EXEC_HAS_DETAIL ? x->details.at[exec->detail]
					    : detail_of_runs(x, exec->first_run);
}

/* ---- reading everything ------------------------------------------------- */

static bool visit_times(const struct exec_visitor *v, const struct model *m,
	const struct exec_record *record)
{
	struct exec_time time = {.device = model_text(m, record->device)};
	struct wire_reader r = wire_reader(record->bytes);
	struct wire_field f;
	struct decoder d = {0};

	while (decoder_next(&d, &r, &f)) {
		if (f.tag != RECORD_ACCELERATOR && f.tag != RECORD_CPU)
			continue;
		exec_profile_time(&d, f.bytes, &time);
		time.accelerator = f.tag == RECORD_ACCELERATOR;
		if (!v->time(v->context, &time))
			return false;
	}
	return true;
}

static bool visit_runs(const struct exec_visitor *v, const struct model *m, uint32_t first)
{
	const struct execs *x = &m->execs;

	for (uint32_t i = first; i != NONE; i = x->runs.at[i].next) {
		const struct exec_run *run = &x->runs.at[i];
		const struct exec_lane *lane = &x->lanes.at[run->lane];
		struct exec_time time = {model_text(m, lane->device), lane->is_accelerator,
			run->lane + 1, run->start_us, run->duration_us};

		if (!v->time(v->context, &time))
			return false;
	}
	return true;
}

/* For what is not times: that is as in an ExecProfile. */
static bool visit_records(const struct exec_visitor *v, const struct execs *x, uint32_t first)
{
	struct decoder d = {0};

	for (uint32_t i = first; i != NONE; i = x->records.at[i].next)
		if (!exec_profile_visit(&d, x->records.at[i].bytes, v))
			return false;
	return true;
}

static bool visit_detail(const struct exec_visitor *v, const struct model *m,
	const struct exec_detail *d)
{
	const struct execs *x = &m->execs;
	const struct string_set *devices = sets_get(&m->sets, d->devices);
	const struct exec_visitor memory = {.output = v->output,
		.memory = v->memory,
		.context = v->context};
	const struct exec_visitor allocation = {.allocation = v->allocation, .context = v->context};

	for (uint32_t i = d->first; v->time && i != NONE; i = x->records.at[i].next)
		if (!visit_times(v, m, &x->records.at[i]))
			return false;
	if (v->time && !visit_runs(v, m, d->first_run))
		return false;
	if (v->memory && !visit_records(&memory, x, d->first))
		return false;
	if (v->allocation && !visit_records(&allocation, x, d->first))
		return false;
	for (uint32_t i = 0; v->device && i < devices->n; i++)
		if (!v->device(v->context, model_text(m, devices->at[i])))
			return false;
	return true;
}

bool exec_visit(const struct model *m, uint32_t row, const struct exec_visitor *v)
{
	const struct exec *exec = exec_at(&m->execs, row);
	struct decoder d = {0};
	bool ok;

	if (exec->has != EXEC_HAS_RAW) {
		struct exec_detail detail = exec_get_detail(&m->execs, row);

		return visit_detail(v, m, &detail);
	}
	ok = exec_profile_visit(&d, exec_get_raw(m, row), v);
	model_note_damage(m, exec->raw, &d);
	return ok;
}

/* ---- making records of bytes --------------------------------------------- */

struct decode {
	struct model *model;
	uint32_t row;
	VEC(struct exec_output) outputs; /* of the memory that follows */
	struct buf time, memories, allocations;
};

static bool keep_record(struct decode *t, uint32_t device, struct span bytes)
{
	struct span copy = arena_copy(&t->model->arena, bytes);

	return copy.at && add_record(&t->model->execs, t->row, device, copy);
}

static bool decode_time(void *context, const struct exec_time *time)
{
	struct decode *t = context;
	uint32_t device = strings_add(&t->model->strings, time->device);

	t->time.n = 0;
	record_put_time(&t->time, time->accelerator, time->start_us, time->duration_us);
	return device != NONE && !t->time.failed && keep_record(t, device, buf_get(&t->time));
}

static bool decode_output(void *context, const struct exec_output *output)
{
	struct decode *t = context;

	return vec_push(&t->outputs, *output);
}

static bool decode_memory(void *context, const struct exec_memory *memory)
{
	struct decode *t = context;

	record_put_memory(&t->memories, memory, t->outputs.at, t->outputs.n);
	t->outputs.n = 0;
	return !t->memories.failed;
}

static bool decode_allocation(void *context, const struct exec_allocation *allocation)
{
	struct decode *t = context;

	record_put_allocation(&t->allocations, allocation);
	return !t->allocations.failed;
}

static bool decode_device(void *context, struct span name)
{
	struct decode *t = context;
	struct model *m = t->model;
	struct exec_detail *detail = &m->execs.details.at[exec_at(&m->execs, t->row)->detail];
	uint32_t device = strings_add(&m->strings, name);

	return device != NONE && add_device(m, detail, device);
}

static bool make_records(struct decode *t, struct slice raw)
{
	struct exec_visitor visitor = {decode_time, decode_output, decode_memory, decode_allocation,
		decode_device, t};
	struct decoder d = {0};

	if (!exec_profile_visit(&d, model_slice(t->model, raw), &visitor))
		return false;
	model_note_damage(t->model, raw, &d);
	buf_span(&t->memories, buf_get(&t->allocations));
	return !t->memories.failed && (!t->memories.n || keep_record(t, 0, buf_get(&t->memories)));
}

bool exec_decode(struct model *m, uint32_t row)
{
	struct execs *x = &m->execs;
	struct decode t = {.model = m, .row = row};
	struct slice raw = exec_at(x, row)->raw;
	bool ok, has_raw = exec_at(x, row)->has == EXEC_HAS_RAW && raw.bits;

	if (exec_at(x, row)->has == EXEC_HAS_DETAIL)
		return true;
	if (!give_detail(m, row))
		return false;
	if (!has_raw)
		return true;
	ok = make_records(&t, raw);
	vec_clear(&t.outputs);
	buf_clear(&t.time);
	buf_clear(&t.memories);
	buf_clear(&t.allocations);
	return ok;
}
