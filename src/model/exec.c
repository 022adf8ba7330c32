#include "model/exec.h"

#include "base/arena.h"
#include "model/model.h"
#include "proto/wire.h"

void execs_clear(struct execs *x)
{
	for (size_t i = 0; i < x->blocks.n; i++)
		mem_free(x->blocks.at[i]);
	vec_clear(&x->blocks);
	x->n_rows = 0;
	vec_clear(&x->wide);
	vec_clear(&x->details);
	vec_clear(&x->events);
	vec_clear(&x->memories);
	vec_clear(&x->outputs);
	vec_clear(&x->allocations);
}

bool execs_reserve(struct execs *x, size_t n)
{
	return vec_reserve(&x->details, n) && vec_reserve(&x->events, n) &&
		vec_reserve(&x->memories, n) && vec_reserve(&x->outputs, n);
}

uint32_t exec_find(const struct model *m, uint32_t node, int64_t step)
{
	uint32_t row = m->nodes.first_exec[node];

	while (row != NONE && exec_at(&m->execs, row)->step < step)
		row = exec_at(&m->execs, row)->next;
	return row != NONE && exec_at(&m->execs, row)->step == step ? row : NONE;
}

/* For one more row. */
static bool make_room(struct execs *x)
{
	struct exec *block;

	if (x->n_rows < x->blocks.n * EXEC_BLOCK)
		return true;
	if (x->n_rows >= NONE - EXEC_BLOCK || !vec_reserve(&x->blocks, 1))
		return false;
	block = mem_array(EXEC_BLOCK, sizeof(*block));
	if (block)
		x->blocks.at[x->blocks.n++] = block;
	return block;
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
	if (!make_room(x))
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
	other->blocks.n = other->n_rows = other->wide.n = 0;
	return true;
}

uint32_t exec_row(struct model *m, uint32_t node, int64_t step)
{
	return execs_row(&m->execs, &m->nodes.first_exec[node], step);
}

/* ---- sums of a message ------------------------------------------------- */

/* Calls of these end at malformed bytes; the place is reported upwards. */

/* Tuple { repeated int64 = 1 }: the first two values. */
static bool read_pair(struct span tuple, int64_t pair[2], const char **bad)
{
	struct wire_reader r = wire_reader(tuple);
	struct wire_field f;
	size_t n = 0;
	uint64_t value;

	pair[0] = pair[1] = 0;
	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_VARINT(1)) {
			if (n < 2)
				pair[n++] = (int64_t)f.value;
		} else if (f.tag == WIRE_LEN(1)) {
			struct wire_reader packed = wire_reader(f.bytes);

			while (wire_packed_next(&packed, &value))
				if (n < 2)
					pair[n++] = (int64_t)value;
			if (packed.bad) {
				*bad = packed.bad;
				return false;
			}
		}
	}
	if (r.bad)
		*bad = r.bad;
	return !r.bad;
}

/* The key and the ExecTime of a map entry. */
static bool read_times_entry(struct span entry, struct span *device, struct span *times,
	const char **bad)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;

	*device = *times = (struct span){"", 0};
	while (wire_next(&r, &f)) {
		if (f.tag == WIRE_LEN(1))
			*device = f.bytes;
		else if (f.tag == WIRE_LEN(2))
			*times = f.bytes;
	}
	if (r.bad)
		*bad = r.bad;
	return !r.bad;
}

static bool sum_times(struct span entry, int64_t *sum, const char **bad)
{
	struct span device, times;
	struct wire_reader r;
	struct wire_field f;
	int64_t pair[2];

	if (!read_times_entry(entry, &device, &times, bad))
		return false;
	r = wire_reader(times);
	while (wire_next(&r, &f))
		if (f.tag == WIRE_LEN(1)) {
			if (!read_pair(f.bytes, pair, bad))
				return false;
			*sum = (int64_t)((uint64_t)*sum + (uint64_t)pair[1]);
		}
	if (r.bad)
		*bad = r.bad;
	return !r.bad;
}

static void add(int64_t *sum, uint64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + value);
}

static bool sum_memory(struct exec_sums *sums, struct span memory, const char **bad)
{
	struct wire_reader r = wire_reader(memory);
	struct wire_field f;

	while (wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_VARINT(6): add(&sums->requested_bytes, f.value); break;
		case WIRE_VARINT(7): add(&sums->peak_bytes, f.value); break;
		case WIRE_VARINT(8): add(&sums->residual_bytes, f.value); break;
		case WIRE_VARINT(9): add(&sums->output_bytes, f.value); break;
		}
	if (r.bad)
		*bad = r.bad;
	return !r.bad;
}

bool exec_read_sums(struct exec_sums *sums, struct span message, const char **bad)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	*sums = (struct exec_sums){0};
	while (wire_next(&r, &f)) {
		bool fine = true;

		switch (f.tag) {
		case WIRE_VARINT(1): sums->run_count = (int64_t)f.value; break;
		case WIRE_LEN(4): fine = sum_times(f.bytes, &sums->accelerator_us, bad); break;
		case WIRE_LEN(5): fine = sum_times(f.bytes, &sums->cpu_us, bad); break;
		case WIRE_LEN(7): fine = sum_memory(sums, f.bytes, bad); break;
		}
		if (!fine)
			return false;
	}
	if (r.bad)
		*bad = r.bad;
	return !r.bad;
}

/* Below 0 is not narrow either. */
static bool is_narrow(const struct exec_sums *sums)
{
	uint64_t any = (uint64_t)sums->run_count << 2;

#define X(sum) any |= (uint64_t)sums->sum;
	EXEC_SUMS(X)
#undef X
	return any <= UINT32_MAX;
}

bool exec_put_sums(struct execs *x, uint32_t row, const struct exec_sums *sums)
{
	struct exec *exec = exec_at(x, row);

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
	exec->run_count = (uint32_t)sums->run_count & 0x3fffffff;
	exec->accelerator_us = (uint32_t)sums->accelerator_us;
	exec->cpu_us = (uint32_t)sums->cpu_us;
	exec->requested_bytes = (uint32_t)sums->requested_bytes;
	exec->peak_bytes = (uint32_t)sums->peak_bytes;
	exec->residual_bytes = (uint32_t)sums->residual_bytes;
	exec->output_bytes = (uint32_t)sums->output_bytes;
	return true;
}

struct span exec_get_raw(const struct exec *exec)
{
	return wire_again(exec->raw);
}

struct exec_extent exec_get_extent(const struct execs *x, uint32_t row)
{
	const struct exec *exec = exec_at(x, row);
	struct exec_extent extent = {0, 0};
	struct wire_reader r;
	struct wire_field f;

	if (exec->has_detail) {
		const struct exec_detail *detail = &x->details.at[exec->detail];

		return (struct exec_extent){detail->start_us, detail->end_us};
	}
	r = wire_reader(exec_get_raw(exec));
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(2))
			extent.start_us = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(3))
			extent.end_us = (int64_t)f.value;
	return extent;
}

/* ---- adding ------------------------------------------------------------ */

static bool give_detail(struct execs *x, uint32_t row)
{
	struct exec_extent extent = exec_get_extent(x, row);
	struct exec_detail detail = {NONE, NONE, NONE, NONE, NONE, NONE, 0, extent.start_us,
		extent.end_us};

	if (!vec_push(&x->details, detail))
		return false;
	exec_at(x, row)->has_detail = true;
	exec_at(x, row)->detail = (uint32_t)x->details.n - 1;
	return true;
}

/* Puts item `new` at the end of a chain: the links are in `list`. */
#define CHAIN(list, first, last, new)                                          \
	do {                                                                   \
		if ((first) == NONE)                                           \
			(first) = (new);                                       \
		else                                                           \
			(list).at[last].next = (new);                          \
		(last) = (new);                                                \
	} while (0)

bool exec_add_event(struct execs *x, uint32_t row, struct exec_event event)
{
	uint32_t id = (uint32_t)x->events.n;
	struct exec_detail *detail = &x->details.at[exec_at(x, row)->detail];

	event.next = NONE;
	if (x->events.n >= NONE - 1 || !vec_push(&x->events, event))
		return false;
	CHAIN(x->events, detail->first_event, detail->last_event, id);
	return true;
}

bool exec_add_memory(struct execs *x, uint32_t row, struct exec_memory memory)
{
	uint32_t id = (uint32_t)x->memories.n;
	struct exec_detail *detail = &x->details.at[exec_at(x, row)->detail];

	memory.next = memory.first_output = memory.last_output = NONE;
	if (x->memories.n >= NONE - 1 || !vec_push(&x->memories, memory))
		return false;
	CHAIN(x->memories, detail->first_memory, detail->last_memory, id);
	return true;
}

bool exec_add_output(struct execs *x, uint32_t row, struct exec_output output)
{
	uint32_t id = (uint32_t)x->outputs.n;
	struct exec_memory *memory =
		&x->memories.at[x->details.at[exec_at(x, row)->detail].last_memory];

	/* A slot is a key: the last one written counts. */
	for (uint32_t i = memory->first_output; i != NONE; i = x->outputs.at[i].next)
		if (x->outputs.at[i].slot == output.slot) {
			output.next = x->outputs.at[i].next;
			x->outputs.at[i] = output;
			return true;
		}
	output.next = NONE;
	if (x->outputs.n >= NONE - 1 || !vec_push(&x->outputs, output))
		return false;
	CHAIN(x->outputs, memory->first_output, memory->last_output, id);
	return true;
}

bool exec_add_allocation(struct execs *x, uint32_t row, int64_t micros, int64_t bytes)
{
	uint32_t id = (uint32_t)x->allocations.n;
	struct exec_detail *detail = &x->details.at[exec_at(x, row)->detail];

	if (x->allocations.n >= NONE - 1 ||
		!vec_push(&x->allocations, ((struct exec_allocation){micros, bytes, NONE})))
		return false;
	CHAIN(x->allocations, detail->first_allocation, detail->last_allocation, id);
	return true;
}

/* ---- reading everything ------------------------------------------------- */

static bool visit_raw_times(const struct exec_visitor *v, struct span entry, bool accelerator)
{
	struct exec_time time = {.accelerator = accelerator};
	struct span times;
	struct wire_reader r;
	struct wire_field f;
	const char *bad;
	int64_t pair[2];

	if (!v->time || !read_times_entry(entry, &time.device, &times, &bad))
		return true;
	r = wire_reader(times);
	while (wire_next(&r, &f)) {
		if (f.tag != WIRE_LEN(1) || !read_pair(f.bytes, pair, &bad))
			continue;
		time.start_us = pair[0];
		time.duration_us = pair[1];
		if (!v->time(v->context, &time))
			return false;
	}
	return true;
}

static bool visit_raw_output(const struct exec_visitor *v, struct span entry)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;
	struct exec_output output = {.next = NONE};

	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1)) {
			output.slot = (int32_t)f.value;
		} else if (f.tag == WIRE_LEN(2)) {
			struct wire_reader inner = wire_reader(f.bytes);

			while (wire_next(&inner, &f))
				if (f.tag == WIRE_VARINT(1))
					output.bytes = (int64_t)f.value;
				else if (f.tag == WIRE_VARINT(2))
					output.address = f.value;
		}
	return v->output(v->context, &output);
}

static bool visit_raw_memory(const struct exec_visitor *v, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct exec_memory memory = {.first_output = NONE, .last_output = NONE, .next = NONE};

	if (!v->memory)
		return true;
	while (wire_next(&r, &f))
		switch (f.tag) {
#define X(number, field) case WIRE_VARINT(number): memory.field = (int64_t)f.value; break;
		MEMORY_FIELDS(X)
#undef X
		case WIRE_LEN(11):
			if (v->output && !visit_raw_output(v, f.bytes))
				return false;
			break;
		}
	return v->memory(v->context, &memory);
}

static bool visit_raw_allocation(const struct exec_visitor *v, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	struct exec_allocation a = {0, 0, NONE};

	if (!v->allocation)
		return true;
	while (wire_next(&r, &f))
		if (f.tag == WIRE_VARINT(1))
			a.micros = (int64_t)f.value;
		else if (f.tag == WIRE_VARINT(2))
			a.bytes = (int64_t)f.value;
	return v->allocation(v->context, &a);
}

static bool visit_raw(const struct exec_visitor *v, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	bool fine = true;

	while (fine && wire_next(&r, &f))
		switch (f.tag) {
		case WIRE_LEN(4): fine = visit_raw_times(v, f.bytes, true); break;
		case WIRE_LEN(5): fine = visit_raw_times(v, f.bytes, false); break;
		case WIRE_LEN(6): fine = !v->device || v->device(v->context, f.bytes); break;
		case WIRE_LEN(7): fine = visit_raw_memory(v, f.bytes); break;
		case WIRE_LEN(11): fine = visit_raw_allocation(v, f.bytes); break;
		}
	return fine;
}

static bool visit_memory(const struct exec_visitor *v, const struct execs *x,
	const struct exec_memory *memory)
{
	for (uint32_t i = memory->first_output; v->output && i != NONE; i = x->outputs.at[i].next)
		if (!v->output(v->context, &x->outputs.at[i]))
			return false;
	return v->memory(v->context, memory);
}

static bool visit_detail(const struct exec_visitor *v, const struct model *m,
	const struct exec_detail *d)
{
	const struct execs *x = &m->execs;
	const struct string_set *devices = sets_get(&m->sets, d->devices);
	uint32_t i;

	for (i = d->first_event; v->time && i != NONE; i = x->events.at[i].next) {
		const struct exec_event *e = &x->events.at[i];
		struct exec_time time = {model_text(m, e->device), e->accelerator, e->start_us,
			e->duration_us};

		if (!v->time(v->context, &time))
			return false;
	}
	for (i = d->first_memory; v->memory && i != NONE; i = x->memories.at[i].next)
		if (!visit_memory(v, x, &x->memories.at[i]))
			return false;
	for (i = d->first_allocation; v->allocation && i != NONE; i = x->allocations.at[i].next)
		if (!v->allocation(v->context, &x->allocations.at[i]))
			return false;
	for (i = 0; v->device && i < devices->n; i++)
		if (!v->device(v->context, model_text(m, devices->at[i])))
			return false;
	return true;
}

bool exec_visit(const struct model *m, uint32_t row, const struct exec_visitor *v)
{
	const struct exec *exec = exec_at(&m->execs, row);

	return exec->has_detail ? visit_detail(v, m, &m->execs.details.at[exec->detail])
				: visit_raw(v, exec_get_raw(exec));
}

/* ---- everything as arrays ------------------------------------------------ */

struct growing_view {
	VEC(struct exec_time) times;
	VEC(struct exec_memory) memories;
	VEC(struct exec_output) outputs;
	VEC(struct exec_allocation) allocations;
	VEC(struct span) devices;
	size_t n_settled;              /* outputs that have their memory record */
};

static bool keep_time(void *context, const struct exec_time *time)
{
	struct growing_view *g = context;

	return vec_push(&g->times, *time);
}

static bool keep_output(void *context, const struct exec_output *output)
{
	struct growing_view *g = context;

	return vec_push(&g->outputs, *output);
}

static bool keep_memory(void *context, const struct exec_memory *memory)
{
	struct growing_view *g = context;
	struct exec_memory kept = *memory;

	kept.first_output = (uint32_t)g->n_settled;
	kept.last_output = (uint32_t)g->outputs.n;
	g->n_settled = g->outputs.n;
	return vec_push(&g->memories, kept);
}

static bool keep_allocation(void *context, const struct exec_allocation *allocation)
{
	struct growing_view *g = context;

	return vec_push(&g->allocations, *allocation);
}

static bool keep_device(void *context, struct span device)
{
	struct growing_view *g = context;

	return vec_push(&g->devices, device);
}

/* Moves a growing list into the arena. */
#define SETTLE(list)                                                           \
	do {                                                                   \
		view->list = arena_array(arena, g.list.n, sizeof(*view->list)); \
		view->n_##list = g.list.n;                                     \
		if (!view->list)                                               \
			fine = false;                                          \
		else if (g.list.n)                                             \
			memcpy(view->list, g.list.at, g.list.n * sizeof(*view->list)); \
		vec_clear(&g.list);                                            \
	} while (0)

bool exec_get(const struct model *m, uint32_t row, struct arena *arena, struct exec_view *view)
{
	struct growing_view g = {0};
	struct exec_visitor keep = {keep_time, keep_output, keep_memory, keep_allocation,
		keep_device, &g};
	bool fine = exec_visit(m, row, &keep);

	*view = (struct exec_view){0};
	SETTLE(times);
	SETTLE(memories);
	SETTLE(outputs);
	SETTLE(allocations);
	SETTLE(devices);
	return fine;
}

bool exec_thaw(struct model *m, uint32_t row)
{
	struct execs *x = &m->execs;
	struct arena arena = {0};
	struct exec_view v;
	struct exec_detail *detail;
	bool fine = true;

	if (exec_at(x, row)->has_detail)
		return true;
	if (!exec_at(x, row)->raw)
		return give_detail(x, row);
	if (!exec_get(m, row, &arena, &v) || !give_detail(x, row)) {
		arena_clear(&arena);
		return false;
	}
	for (size_t i = 0; fine && i < v.n_times; i++) {
		struct exec_event event = {strings_add(&m->strings, v.times[i].device),
			v.times[i].accelerator, NONE, v.times[i].start_us, v.times[i].duration_us};

		fine = event.device != NONE && exec_add_event(x, row, event);
	}
	for (size_t i = 0; fine && i < v.n_memories; i++) {
		fine = exec_add_memory(x, row, v.memories[i]);
		for (size_t k = v.memories[i].first_output; fine && k < v.memories[i].last_output; k++)
			fine = exec_add_output(x, row, v.outputs[k]);
	}
	for (size_t i = 0; fine && i < v.n_allocations; i++)
		fine = exec_add_allocation(x, row, v.allocations[i].micros, v.allocations[i].bytes);
	detail = &x->details.at[exec_at(x, row)->detail];
	for (size_t i = 0; fine && i < v.n_devices; i++) {
		uint32_t device = strings_add(&m->strings, v.devices[i]);

		detail->devices = device == NONE ? NONE
			: sets_with(&m->sets, &m->strings, detail->devices, device);
		fine = detail->devices != NONE;
	}
	arena_clear(&arena);
	return fine;
}
