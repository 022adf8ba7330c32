#include "hlo/buffers.h"

struct reader {
	struct hlo_buffers *b;
	const struct hlo_program *p;
	struct decoder *d;
	hlo_numbers index; /* scratch */
};

/* ---- ids ----------------------------------------------------------------- */

struct probe {
	const struct hlo_buffers *b;
	uint64_t id;
};

static bool same_id(const void *context, uint32_t i)
{
	const struct probe *probe = context;

	return probe->b->at.at[i].id == probe->id;
}

static uint32_t find_buffer(const struct hlo_buffers *b, uint64_t id)
{
	struct probe probe = {b, id};

	return hash_find(&b->by_id, hash_bytes(&id, sizeof(id)), same_id, &probe);
}

static int64_t size_of(struct hlo_buffers *b, uint64_t size)
{
	if (size <= (uint64_t)HLO_MOST)
		return (int64_t)size;
	b->n_damaged++;
	return 0;
}

/* ---- buffers ------------------------------------------------------------- */

/* Sets the value that a Location names. */
static void read_location(struct reader *r, struct span message, struct hlo_buffer *buffer)
{
	struct wire_reader fields = wire_reader(message);
	struct span name = {"", 0};
	uint64_t id = 0;
	struct wire_field f;

	r->index.n = 0;
	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(LOGICAL_BUFFER_LOCATION_INSTRUCTION_NAME): name = f.bytes; break;
		case WIRE_VARINT(LOGICAL_BUFFER_LOCATION_INSTRUCTION_ID): id = f.value; break;
		case WIRE_VARINT(LOGICAL_BUFFER_LOCATION_SHAPE_INDEX):
		case WIRE_LEN(LOGICAL_BUFFER_LOCATION_SHAPE_INDEX):
			hlo_add_numbers(r->d, &f, &r->index);
			break;
		}
	buffer->op =
		!id && name.n ? hlo_program_find_name(r->p, name) : hlo_program_find_id(r->p, id);
	if (buffer->op == NONE)
		return;
	buffer->value = r->p->ops.at[buffer->op].value;
	for (size_t i = 0; i < r->index.n && buffer->value != NONE; i++)
		buffer->value = hlo_element(r->p, buffer->value, r->index.at[i]);
	if (buffer->value == NONE)
		buffer->op = NONE;
}

static void read_buffer(struct reader *r, struct span message)
{
	struct hlo_buffer buffer = {.op = NONE, .value = NONE};
	struct wire_reader fields = wire_reader(message);
	struct hlo_buffers *b = r->b;
	struct wire_field f;

	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_VARINT(LOGICAL_BUFFER_ID): buffer.id = f.value; break;
		case WIRE_VARINT(LOGICAL_BUFFER_SIZE): buffer.bytes = size_of(b, f.value); break;
		case WIRE_LEN(LOGICAL_BUFFER_DEFINED_AT): read_location(r, f.bytes, &buffer); break;
		}
	b->n_damaged += buffer.op == NONE;
	if (r->d->failed || find_buffer(b, buffer.id) != NONE)
		return;
	decoder_alloc(r->d,
		b->at.n < NONE - 1 && vec_push(&b->at, buffer) &&
			hash_add(&b->by_id, hash_bytes(&buffer.id, sizeof(buffer.id)),
				(uint32_t)b->at.n - 1));
}

/* ---- allocations --------------------------------------------------------- */

static void read_assigned(struct reader *r, struct span message)
{
	struct hlo_assigned a = {0};
	struct wire_reader fields = wire_reader(message);
	uint64_t id = 0;
	struct wire_field f;

	while (decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_VARINT(BUFFER_ALLOCATION_ASSIGNED_LOGICAL_BUFFER_ID): id = f.value; break;
		case WIRE_VARINT(BUFFER_ALLOCATION_ASSIGNED_OFFSET):
			a.offset = size_of(r->b, f.value);
			break;
		case WIRE_VARINT(BUFFER_ALLOCATION_ASSIGNED_SIZE):
			a.bytes = size_of(r->b, f.value);
			break;
		}
	a.buffer = find_buffer(r->b, id);
	if (a.buffer == NONE)
		r->b->n_damaged++;
	else
		decoder_alloc(r->d, r->b->assigned.n < NONE - 1 && vec_push(&r->b->assigned, a));
}

struct flags {
	bool is_parameter, is_constant, is_thread_local, is_live_out, is_aliased;
};

static enum hlo_class class_of(const struct flags *f)
{
	return f->is_parameter       ? HLO_PARAMETERS
		: f->is_constant     ? HLO_CONSTANTS
		: f->is_thread_local ? HLO_THREAD_LOCAL
		: f->is_live_out     ? HLO_OUTPUTS
				     : HLO_TEMPORARIES;
}

/* Those that lie outside are no longer assigned. */
static void check_places(struct hlo_buffers *b, struct hlo_allocation *a)
{
	uint32_t kept = a->first;

	for (uint32_t i = a->first; i < b->assigned.n; i++) {
		const struct hlo_assigned *at = &b->assigned.at[i];

		if (at->offset > a->bytes || at->bytes > a->bytes - at->offset)
			b->n_damaged++;
		else
			b->assigned.at[kept++] = *at;
	}
	b->assigned.n = kept;
	a->n = kept - a->first;
}

static void read_allocation(struct reader *r, struct span message)
{
	struct hlo_allocation a = {.first = (uint32_t)r->b->assigned.n};
	struct wire_reader fields = wire_reader(message);
	struct flags flags = {0};
	struct wire_field f;

	while (!r->d->failed && decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_VARINT(BUFFER_ALLOCATION_SIZE): a.bytes = size_of(r->b, f.value); break;
		case WIRE_VARINT(BUFFER_ALLOCATION_COLOR): a.space = f.value; break;
		case WIRE_VARINT(BUFFER_ALLOCATION_PARAMETER_NUMBER): a.parameter = f.value; break;
		case WIRE_VARINT(BUFFER_ALLOCATION_IS_THREAD_LOCAL):
			flags.is_thread_local = f.value;
			break;
		case WIRE_VARINT(BUFFER_ALLOCATION_IS_ENTRY_COMPUTATION_PARAMETER):
			flags.is_parameter = f.value;
			break;
		case WIRE_VARINT(BUFFER_ALLOCATION_MAYBE_LIVE_OUT):
			flags.is_live_out = f.value;
			break;
		case WIRE_VARINT(BUFFER_ALLOCATION_IS_CONSTANT): flags.is_constant = f.value; break;
		case WIRE_VARINT(BUFFER_ALLOCATION_IS_PARAMETER_ALIASED_WITH_OUTPUT):
			flags.is_aliased = f.value;
			break;
		case WIRE_LEN(BUFFER_ALLOCATION_ASSIGNED): read_assigned(r, f.bytes); break;
		}
	if (r->d->failed)
		return;
	a.class = class_of(&flags);
	a.is_aliased = flags.is_parameter && (flags.is_aliased || flags.is_live_out);
	check_places(r->b, &a);
	decoder_alloc(r->d, r->b->allocations.n < NONE - 1 && vec_push(&r->b->allocations, a));
}

/* ---- traces of the heap -------------------------------------------------- */

static void read_event(struct reader *r, struct span message)
{
	struct hlo_heap_event e = {.op = {"", 0}};
	struct wire_reader fields = wire_reader(message);
	uint64_t id = 0, shared = 0;
	struct wire_field f;

	while (decoder_next(r->d, &fields, &f))
		switch (f.tag) {
		case WIRE_VARINT(HEAP_SIMULATOR_TRACE_EVENT_KIND):
			e.kind = f.value <= HLO_HEAP_SHARE ? (enum hlo_heap_kind)f.value
							   : HLO_HEAP_FREE;
			break;
		case WIRE_VARINT(HEAP_SIMULATOR_TRACE_EVENT_BUFFER_ID): id = f.value; break;
		case WIRE_VARINT(HEAP_SIMULATOR_TRACE_EVENT_SHARE_WITH_CANONICAL_ID):
			shared = f.value;
			break;
		case WIRE_LEN(HEAP_SIMULATOR_TRACE_EVENT_INSTRUCTION_NAME): e.op = f.bytes; break;
		}
	e.buffer = find_buffer(r->b, id);
	e.shared = find_buffer(r->b, shared);
	if (e.buffer == NONE || (e.kind == HLO_HEAP_SHARE && e.shared == NONE))
		r->b->n_damaged++;
	else
		decoder_alloc(r->d, r->b->events.n < NONE - 1 && vec_push(&r->b->events, e));
}

static void read_trace(struct reader *r, struct span message)
{
	struct hlo_heap_trace t = {.allocation = NONE, .first = (uint32_t)r->b->events.n};
	struct wire_reader fields = wire_reader(message);
	struct wire_field f;

	while (!r->d->failed &&
		decoder_find(r->d, &fields, WIRE_LEN(HEAP_SIMULATOR_TRACE_EVENTS), &f))
		read_event(r, f.bytes);
	t.n = (uint32_t)r->b->events.n - t.first;
	if (t.n)
		decoder_alloc(r->d, vec_push(&r->b->traces, t));
}

/* A trace belongs to the allocation that its first buffer is in: what the file says about that is
 * not reliable. */
static bool find_owners(struct hlo_buffers *b)
{
	uint32_t *owner = mem_array(b->at.n + 1, sizeof(*owner));

	if (!owner)
		return false;
	for (size_t i = 0; i < b->at.n; i++)
		owner[i] = NONE;
	for (uint32_t i = 0; i < b->allocations.n; i++) {
		const struct hlo_allocation *a = &b->allocations.at[i];

		for (uint32_t k = a->first; k < a->first + a->n; k++)
			owner[b->assigned.at[k].buffer] = i;
	}
	for (size_t i = 0; i < b->traces.n; i++)
		b->traces.at[i].allocation = owner[b->events.at[b->traces.at[i].first].buffer];
	mem_free(owner);
	return true;
}

/* Buffers first, since the others name them. */
bool hlo_buffers_read(struct hlo_buffers *b, const struct hlo_program *p, struct decoder *d)
{
	struct reader r = {.b = b, .p = p, .d = d};
	struct wire_reader fields = wire_reader(p->assignment);
	struct wire_field f;

	while (!d->failed &&
		decoder_find(d, &fields, WIRE_LEN(BUFFER_ASSIGNMENT_LOGICAL_BUFFERS), &f))
		read_buffer(&r, f.bytes);
	fields = wire_reader(p->assignment);
	while (!d->failed && decoder_next(d, &fields, &f))
		switch (f.tag) {
		case WIRE_LEN(BUFFER_ASSIGNMENT_BUFFER_ALLOCATIONS):
			read_allocation(&r, f.bytes);
			break;
		case WIRE_LEN(BUFFER_ASSIGNMENT_HEAP_SIMULATOR_TRACES):
			read_trace(&r, f.bytes);
			break;
		}
	if (!d->failed)
		decoder_alloc(d, find_owners(b));
	vec_clear(&r.index);
	return !d->failed;
}

void hlo_buffers_clear(struct hlo_buffers *b)
{
	vec_clear(&b->at);
	vec_clear(&b->allocations);
	vec_clear(&b->assigned);
	vec_clear(&b->events);
	vec_clear(&b->traces);
	hash_clear(&b->by_id);
}
