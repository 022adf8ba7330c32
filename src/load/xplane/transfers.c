#include "load/xplane/transfers.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/clamped.h"
#include "load/xplane/intervals.h"

bool transfers_init(struct transfers *x, struct apply *a)
{
	*x = (struct transfers){.apply = a,
		.sum_of = mem_zero_array(a->trace->targets.n + 1, sizeof(*x->sum_of))};
	return x->sum_of;
}

void transfers_clear(struct transfers *x)
{
	mem_free(x->sum_of);
	vec_clear(&x->at);
	vec_clear(&x->begun);
	vec_clear(&x->collectives);
}

/* ---- what is what ---------------------------------------------------------- */

static struct span opcode_of(const struct trace *t, uint32_t target)
{
	return strings_get(&t->texts, t->targets.at[target].opcode);
}

static bool is_collective(struct span opcode)
{
	static const char *const words[] = {"all-reduce", "all-gather", "reduce-scatter",
		"all-to-all", "ragged-all-to-all", "collective-", "send", "recv"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (span_starts(opcode, span_of(words[i])))
			return true;
	return false;
}

bool transfers_is_collective(const struct trace *t, uint32_t target)
{
	return is_collective(opcode_of(t, target));
}

static bool is_begin(struct span opcode)
{
	return span_ends(opcode, SPAN("-start")) || span_equal(opcode, SPAN("send")) ||
		span_equal(opcode, SPAN("recv"));
}

/* "all-reduce" of "all-reduce-start". */
static struct span without_part(struct span opcode)
{
	static const char *const parts[] = {"-start", "-done"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (span_ends(opcode, span_of(parts[i])))
			return (struct span){opcode.at, opcode.n - strlen(parts[i])};
	return opcode;
}

static struct transfer_sum *sum_of(struct transfers *x, uint32_t target)
{
	struct transfer_sum fresh = {.target = target,
		.found = {.node = x->apply->nodes[target],
			.bytes = -1,
			.transfer_ps = -1,
			.skew_ps = -1,
			.direction = x->apply->trace->targets.at[target].direction}};

	if (!x->sum_of[target]) {
		if (!vec_push(&x->at, fresh))
			return NULL;
		x->sum_of[target] = (uint32_t)x->at.n;
	}
	return &x->at.at[x->sum_of[target] - 1];
}

static void add_bytes(struct accelerator_transfer *to, int64_t bytes, int64_t in_flight_ps)
{
	double rate = in_flight_ps > 0 ? (double)bytes / (double)in_flight_ps * 1e12 : 0;

	if (bytes <= 0)
		return;
	to->bytes = clamped_sum(to->bytes < 0 ? 0 : to->bytes, bytes);
	if (rate > to->fastest)
		to->fastest = rate;
}

static bool note_collective(struct transfers *x, struct transfer_sum *sum, uint32_t device,
	int64_t exposed_ps)
{
	sum->found.is_collective = true;
	return vec_push(&x->collectives,
		((struct collective_run){(uint32_t)(sum - x->at.at), device, x->collectives.n,
			exposed_ps}));
}

/* ---- cores ----------------------------------------------------------------- */

void transfers_begin_run(struct transfers *x)
{
	x->begun.n = 0;
}

/* The instruction that began what one waits for: its target; NONE. */
static uint32_t find_begin(struct trace *t, const struct trace_target *done)
{
	return done->begins ? trace_find_compiled(t, done->program, done->begins) : NONE;
}

/* What the first of those that were begun by it is waited for by; false if there is none. */
static bool take_begun(struct transfers *x, uint32_t target, int64_t *start_ps)
{
	for (size_t i = 0; i < x->begun.n; i++)
		if (x->begun.at[i].target == target) {
			*start_ps = x->begun.at[i].start_ps;
			x->begun.n--;
			memmove(x->begun.at + i, x->begun.at + i + 1,
				(x->begun.n - i) * sizeof(*x->begun.at));
			return true;
		}
	return false;
}

/* Recorded, or the size of its result. */
static int64_t bytes_of(const struct transfers *x, uint32_t target, bool is_collective)
{
	int64_t recorded = x->apply->trace->targets.at[target].bytes;

	return !is_collective && recorded > 0 ? recorded : x->apply->output_bytes[target];
}

static bool add_exposed(struct transfers *x, const struct trace_op *op, uint32_t device,
	uint32_t begin, int64_t in_flight_ps)
{
	struct transfer_sum *sum = sum_of(x, op->target);
	bool of_all = is_collective(opcode_of(x->apply->trace, op->target));
	int64_t exposed_ps = op->self_ps > 0 ? op->self_ps : 0;

	if (!sum)
		return false;
	sum->found.begun = begin == NONE ? 0 : begin + 1;
	sum->found.n++;
	sum->found.in_flight_ps = clamped_sum(sum->found.in_flight_ps, in_flight_ps);
	sum->found.exposed_ps = clamped_sum(sum->found.exposed_ps, exposed_ps);
	add_bytes(&sum->found, bytes_of(x, op->target, of_all), in_flight_ps);
	return !of_all || note_collective(x, sum, device, exposed_ps);
}

bool transfers_add(struct transfers *x, const struct trace_op *op, uint32_t device)
{
	enum { MOST_BEGUN = 4096 };
	struct trace *t = x->apply->trace;
	const struct trace_target *target = &t->targets.at[op->target];
	struct span opcode = opcode_of(t, op->target);
	uint32_t begin;
	int64_t start_ps, end_ps = op->start_ps + op->total_ps;

	if (is_begin(opcode))
		return x->begun.n >= MOST_BEGUN ||
			vec_push(&x->begun, ((struct transfer_begun){op->target, op->start_ps}));
	if (!target->is_waiting && is_collective(opcode))
		return add_exposed(x, op, device, NONE, op->total_ps);
	if (!target->is_waiting)
		return true;
	begin = find_begin(t, target);
	return begin == NONE || !take_begun(x, begin, &start_ps) || end_ps < start_ps ||
		add_exposed(x, op, device, begin, end_ps - start_ps);
}

/* ---- streams --------------------------------------------------------------- */

bool transfers_is_collective_kernel(const struct trace *t, const struct trace_device_op *op,
	uint32_t target)
{
	struct span name = strings_get(&t->texts, op->kernel);

	return span_starts(name, SPAN("nccl")) || span_starts(name, SPAN("rccl")) ||
		is_collective(opcode_of(t, target));
}

static enum transfer_direction direction_of(struct span type)
{
	return span_equal(type, SPAN("MemcpyH2D"))    ? GOES_TO_DEVICE
		: span_equal(type, SPAN("MemcpyD2H")) ? GOES_TO_HOST
		: span_equal(type, SPAN("MemcpyD2D")) ? GOES_WITHIN
		: span_equal(type, SPAN("MemcpyP2P")) ? GOES_BETWEEN
						      : GOES_UNKNOWN;
}

/* 112 of "size:112 dest:4 async:0"; 0: not recorded. */
static int64_t size_of_copy(struct span details)
{
	size_t at = span_find(details, SPAN("size:"));
	int64_t size = 0;

	for (at += 5; at < details.n && ascii_is_digit(details.at[at]) && size < INT64_MAX / 100;
		at++)
		size = 10 * size + (details.at[at] - '0');
	return size;
}

static bool add_kernel(struct transfers *x, uint32_t device, const struct trace_op *op,
	const struct trace_device_op *beside, const intervals *computing)
{
	const struct trace *t = x->apply->trace;
	bool of_all = transfers_is_collective_kernel(t, beside, op->target);
	int64_t exposed_ps = op->total_ps -
		intervals_overlap(computing, op->start_ps, op->start_ps + op->total_ps);
	struct transfer_sum *sum = sum_of(x, op->target);

	if (!sum)
		return false;
	sum->found.n++;
	sum->found.in_flight_ps = clamped_sum(sum->found.in_flight_ps, op->total_ps);
	sum->found.exposed_ps = clamped_sum(sum->found.exposed_ps, exposed_ps);
	if (of_all) {
		add_bytes(&sum->found, x->apply->output_bytes[op->target], op->total_ps);
		return note_collective(x, sum, device, op->total_ps);
	}
	sum->found.direction = direction_of(strings_get(&t->texts, t->targets.at[op->target].type));
	add_bytes(&sum->found, size_of_copy(strings_get(&t->texts, beside->details)), op->total_ps);
	return true;
}

/* First what computes, then what that may hide. */
static bool add_streams(struct transfers *x, uint32_t device, intervals *computing, bool is_first)
{
	const struct trace *t = x->apply->trace;
	bool ok = true;

	for (size_t line = 0; ok && line < t->lines.n; line++) {
		const struct trace_line *of = &t->lines.at[line];
		size_t end = line + 1 < t->lines.n ? of[1].first_op : t->ops.n;
		const struct trace_device_op *beside;

		if (of->device != device || of->first_device_op == NONE)
			continue;
		beside = &t->device_ops.at[of->first_device_op];
		for (size_t i = of->first_op; ok && i < end; i++, beside++) {
			const struct trace_op *op = &t->ops.at[i];
			bool is_transfer = apply_is_copy(t, op->target) ||
				transfers_is_collective_kernel(t, beside, op->target);

			if (is_first && !is_transfer)
				ok = vec_push(computing,
					((struct interval){.start_ps = op->start_ps,
						.end_ps = op->start_ps + op->total_ps}));
			else if (!is_first && is_transfer)
				ok = add_kernel(x, device, op, beside, computing);
		}
	}
	return ok;
}

bool transfers_add_gpu(struct transfers *x, uint32_t device)
{
	intervals computing = {0};
	bool ok = add_streams(x, device, &computing, true);

	intervals_sort(&computing);
	intervals_unite(&computing);
	ok = ok && add_streams(x, device, &computing, false);
	vec_clear(&computing);
	return ok;
}

/* ---- collectives ----------------------------------------------------------- */

static int by_device(const void *a, const void *b)
{
	const struct collective_run *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* All runs of one, by device: those of the same place belong together, if each device has as many.
 */
static void find_skew(struct accelerator_transfer *of, const struct collective_run *runs, size_t n)
{
	size_t each = 0, n_devices;
	int64_t all_ps = 0, least_ps = 0;

	while (each < n && runs[each].device == runs[0].device)
		each++;
	n_devices = n / each;
	if (n_devices < 2 || n % each)
		return;
	for (size_t i = 0; i < n; i++) {
		bool is_first = i % each == 0, is_same = i && runs[i].device == runs[i - 1].device;

		if (is_first == is_same)
			return;
		all_ps = clamped_sum(all_ps, runs[i].exposed_ps);
	}
	for (size_t i = 0; i < each; i++) {
		int64_t least = runs[i].exposed_ps;

		for (size_t k = 1; k < n_devices; k++)
			if (runs[k * each + i].exposed_ps < least)
				least = runs[k * each + i].exposed_ps;
		least_ps = clamped_sum(least_ps, least);
	}
	of->transfer_ps = least_ps * (int64_t)n_devices;
	of->skew_ps = all_ps - of->transfer_ps;
}

/* ---- the model ------------------------------------------------------------- */

static uint32_t add_text(struct transfers *x, struct span text)
{
	return strings_add(&x->apply->model->strings, text);
}

/* "copy-done.2" of "jit(f)/add/copy-done.2 (8x8)". */
static struct span instruction_of(const struct trace *t, uint32_t target)
{
	const struct trace_target *of = &t->targets.at[target];
	struct span name = strings_get(&t->texts, of->name);
	size_t end = span_find(name, SPAN(" ("));

	return of->module ? of->module->instructions.at[of->instruction].name
			  : span_after_last((struct span){name.at, end}, '/');
}

/* What the compiler added it for, as the source calls that. */
static struct span served_by(const struct transfers *x, uint32_t target)
{
	const struct trace_target *of = &x->apply->trace->targets.at[target];
	uint32_t served = x->apply->served[target];
	const struct hlo_op *op =
		served == NONE ? NULL : &of->module->details->program.ops.at[served];

	return !op ? SPAN("") : op->op_name.n ? op->op_name : op->name;
}

static bool put_one(struct transfers *x, struct transfer_sum *sum)
{
	const struct trace *t = x->apply->trace;
	struct accelerator_transfer *of = &sum->found;
	struct span opcode = opcode_of(t, sum->target);

	of->name = add_text(x, instruction_of(t, sum->target));
	of->begun = of->begun ? add_text(x, instruction_of(t, of->begun - 1)) : 0;
	of->opcode = add_text(x,
		opcode.n                    ? without_part(opcode)
			: of->is_collective ? SPAN("collective")
					    : SPAN("copy"));
	of->served = add_text(x, served_by(x, sum->target));
	return of->name != NONE && of->begun != NONE && of->opcode != NONE && of->served != NONE &&
		vec_push(&x->apply->model->device_transfers, *of);
}

bool transfers_put(struct transfers *x)
{
	size_t n = x->collectives.n, end;
	bool ok = true;

	if (n)
		qsort(x->collectives.at, n, sizeof(*x->collectives.at), by_device);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && x->collectives.at[end].sum == x->collectives.at[i].sum;
			end++)
			;
		find_skew(&x->at.at[x->collectives.at[i].sum].found, x->collectives.at + i,
			end - i);
	}
	for (size_t i = 0; ok && i < x->at.n; i++)
		ok = put_one(x, &x->at.at[i]);
	return ok;
}
