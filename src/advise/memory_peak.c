/* The peak memory of an accelerator's allocator, and what held it.
 *
 * Traces say how much memory there is, run metadata does not: without the option limit_bytes
 * its peak is only reported. */
#include "advise/advise.h"
#include "advise/top.h"
#include "base/sort.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"limit_bytes", "0", "Memory the allocator may use, in bytes; 0: as recorded."},
	{"warning", "0.9", "Minimum share of the limit for a warning."},
	{"high", "0.97", "Minimum share for level high."},
	{"top", "3", "Number of nodes holding memory to list."},
	{NULL, NULL, NULL},
};

struct peak {
	uint32_t device;             /* string id */
	int64_t bytes, micros, step; /* step: NO_STEP if not known */
	int64_t capacity;            /* as recorded; 0: not */
};

typedef VEC(struct peak) peaks_vec;

struct reading {
	struct peak *peak;
	int64_t step;
};

static bool read_memory(void *context, const struct exec_memory *memory)
{
	struct reading *r = context;

	if (memory->micros > 0 && memory->allocator_bytes_in_use > r->peak->bytes) {
		r->peak->bytes = memory->allocator_bytes_in_use;
		r->peak->micros = memory->micros;
		r->peak->step = r->step;
	}
	return true;
}

/* NULL on allocation failure. */
static struct peak *get_peak(peaks_vec *peaks, uint32_t *place, uint32_t device)
{
	if (!place[device]) {
		if (!vec_push(peaks, ((struct peak){.device = device})))
			return NULL;
		place[device] = (uint32_t)peaks->n;
	}
	return &peaks->at[place[device] - 1];
}

/* What the device's own pool says counts; when it was is known if a node saw the same. */
static bool add_recorded(const struct model *m, peaks_vec *peaks, uint32_t *place)
{
	for (size_t i = 0; i < m->accelerators.n; i++) {
		const struct accelerator *a = &m->accelerators.at[i];
		struct peak *peak = a->peak_bytes > 0 ? get_peak(peaks, place, a->device) : NULL;

		if (a->peak_bytes <= 0)
			continue;
		if (!peak)
			return false;
		if (peak->bytes != a->peak_bytes)
			*peak = (struct peak){a->device, a->peak_bytes, 0, NO_STEP, 0};
		peak->capacity = a->capacity_bytes > 0 ? a->capacity_bytes : 0;
	}
	return true;
}

static bool find_peaks(struct check *c, peaks_vec *peaks)
{
	const struct model *m = c->model;
	uint32_t *place = check_alloc(c, m->strings.text.n, sizeof(*place));

	for (uint32_t node = 0; place && node < m->nodes.n; node++) {
		struct peak *peak;

		if (!device_is_accelerator(check_device(c, node)))
			continue;
		peak = get_peak(peaks, place, m->nodes.device[node]);
		if (!peak)
			return false;
		for (uint32_t row = m->nodes.first_exec[node]; row != NONE;
			row = exec_at(&m->execs, row)->next) {
			struct reading r = {peak, exec_at(&m->execs, row)->step};
			struct exec_visitor visitor = {.memory = read_memory, .context = &r};

			exec_visit(m, row, &visitor);
		}
	}
	return place && add_recorded(m, peaks, place);
}

/* ---- what holds it ----------------------------------------------------------------- */

struct holding {
	int64_t until; /* micros */
	int64_t bytes, persistent;
};

static bool add_allocation(void *context, const struct exec_allocation *allocation)
{
	struct holding *h = context;

	if (allocation->micros < h->until)
		add_clamped(&h->bytes, allocation->bytes);
	return true;
}

static bool add_persistent(void *context, const struct exec_memory *memory)
{
	struct holding *h = context;

	add_clamped(&h->persistent, memory->accelerator_persistent_bytes);
	return true;
}

static void find_holders(struct check *c, const struct peak *peak, struct top *holders)
{
	const struct model *m = c->model;

	for (uint32_t node = 0; node < m->nodes.n; node++) {
		struct holding h = {.until = peak->micros};
		struct exec_visitor visitor = {.allocation = add_allocation,
			.memory = add_persistent,
			.context = &h};
		uint32_t row = m->nodes.device[node] == peak->device
			? exec_find(m, node, peak->step)
			: NONE;

		if (row == NONE)
			continue;
		exec_visit(m, row, &visitor);
		add_clamped(&h.bytes, h.persistent);
		top_add(holders, node, h.bytes);
	}
}

static void report(struct check *c, const struct peak *peak)
{
	bool is_given = check_number(c, "limit_bytes") > 0;
	double limit = is_given ? check_number(c, "limit_bytes") : (double)peak->capacity,
	       share = limit > 0 ? (double)peak->bytes / limit : 0;
	enum tfprof_level level = limit > 0
		? check_level(share, NEVER, check_number(c, "warning"), check_number(c, "high"))
		: TFPROF_LEVEL_NONE;
	struct top holders;
	struct buf *b = &c->text;
	struct finding *f;

	if (!top_init(&holders, c, "top"))
		return;
	if (peak->step != NO_STEP)
		find_holders(c, peak, &holders);
	buf_span(b, model_text(c->model, peak->device));
	buf_text(b, " had at most ");
	format_number(b, UNIT_BYTES, peak->bytes);
	buf_text(b, " in use");
	if (peak->step != NO_STEP)
		buf_printf(b, ", in step %lld", (long long)peak->step);
	if (limit > 0)
		buf_printf(b, ": %.0f%% of its %s", 100 * share, is_given ? "limit" : "memory");
	for (size_t i = 0; i < holders.n; i++) {
		struct place place = check_node(c, holders.at[i].id);

		buf_text(b, "\n  ");
		format_number(b, UNIT_BYTES, holders.at[i].value);
		buf_text(b, ": ");
		place_put(b, &place);
	}
	f = check_find(c, level != TFPROF_LEVEL_NONE ? "memory_near_limit" : "memory_peak", level,
		CONFIDENCE_HIGH);
	f->step = peak->step;
	f->stake_bytes = peak->bytes;
	f->stake_share = share;
	f->remedy = level != TFPROF_LEVEL_NONE
		? "Use a smaller batch, recompute activations instead of keeping them, "
		  "or free what is held longest."
		: limit > 0
		? "Nothing: there is room."
		: "Set limit_bytes to the accelerator's memory to have the peak judged.";
	for (size_t i = 0; i < holders.n; i++) {
		struct place place = check_node(c, holders.at[i].id);

		place.bytes = holders.at[i].value;
		check_place(c, f, place);
	}
}

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	peaks_vec peaks = {0};
	bool ok = find_peaks(c, &peaks);
	struct span *names = check_alloc(c, peaks.n, sizeof(*names));
	uint32_t *order = check_alloc(c, peaks.n, sizeof(*order));

	ok = ok && names && order;
	for (size_t i = 0; ok && i < peaks.n; i++)
		names[i] = model_text(c->model, peaks.at[i].device);
	ok = ok && sort_texts(names, order, peaks.n);
	for (size_t i = 0; ok && i < peaks.n; i++)
		if (peaks.at[order[i]].bytes > 0)
			report(c, &peaks.at[order[i]]);
	if (ok && !c->verdict->findings.n)
		check_skip(c, check_lacks(c, "no allocations on accelerators"),
			"No accelerator memory in the profile. Skip MemoryPeakChecker");
	vec_clear(&peaks);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker memory_peak_checker = {
	.info = {"MemoryPeakChecker",
		"Peak memory of accelerators and what held it, compared with its memory or "
		"limit_bytes.",
		options},
	.needs_run_meta = true,
	.run = run,
};
