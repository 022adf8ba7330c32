/* What a node did in a step: an exec, a row keyed (node, step).
 *
 *     exec ── sums            what reports need
 *          ── raw             ExecProfile bytes, if it came from a profile
 *          ── detail ──┬─ start, end
 *                      ├─ record → record → …   what each entry told (see record.h)
 *                      └─ run → run → …         what a trace recorded
 *          ── runs            the same without a detail, if all ran on one device
 *
 * An exec has raw bytes, a detail or runs, never two of these: adding to one makes a
 * detail of the others first (exec_decode). Records are bytes, too: few ask for more
 * than the sums, and saving copies them.
 *
 * Reports read rows all over the place, so a row is small: sums that fit 32 bits,
 * as nearly all do, stand in it, the others in a list of their own. Rows are kept
 * in blocks: adding rows, or taking over the rows of another list, moves none.
 */
#ifndef TFPROF_MODEL_EXEC_H
#define TFPROF_MODEL_EXEC_H

#include "base/clamped.h"
#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/slice.h"
#include "proto/fields.h"

/* The sums a view can request, besides the number of runs. */
#define EXEC_AMOUNTS(X)    \
	X(accelerator_us)  \
	X(cpu_us)          \
	X(busy_us)         \
	X(waiting_us)      \
	X(requested_bytes) \
	X(peak_bytes)      \
	X(residual_bytes)  \
	X(output_bytes)
#define EXEC_SUMS(X) X(run_count) EXEC_AMOUNTS(X)

struct exec_sums {
#define X(sum) int64_t sum;
	EXEC_SUMS(X)
#undef X
};

enum exec_has { EXEC_HAS_RAW, EXEC_HAS_DETAIL, EXEC_HAS_RUNS };

struct exec {
	int64_t step;
	union {
		struct slice raw;
		uint32_t detail, first_run;
	};
	uint32_t next; /* the node's next step, NONE at the end */
	uint32_t run_count : 29;
	uint32_t is_wide : 1;
	uint32_t has : 2; /* enum exec_has */
	union {
		struct {
#define X(sum) uint32_t sum;
			EXEC_AMOUNTS(X)
#undef X
		};
		uint32_t wide; /* if is_wide: where the sums are */
	};
};

/* The most runs that a row has room for. */
#define EXEC_MOST_RUNS ((UINT32_C(1) << 29) - 1)

struct exec_output {
	int32_t slot;
	uint32_t order; /* order of arrival, while records are made */
	int64_t bytes;
	uint64_t address;
};

#define MEMORY_FIELDS(X)                                                          \
	X(EXEC_MEMORY_MEMORY_MICROS, micros)                                      \
	X(EXEC_MEMORY_HOST_TEMP_BYTES, host_temp_bytes)                           \
	X(EXEC_MEMORY_HOST_PERSISTENT_BYTES, host_persistent_bytes)               \
	X(EXEC_MEMORY_ACCELERATOR_TEMP_BYTES, accelerator_temp_bytes)             \
	X(EXEC_MEMORY_ACCELERATOR_PERSISTENT_BYTES, accelerator_persistent_bytes) \
	X(EXEC_MEMORY_REQUESTED_BYTES, requested_bytes)                           \
	X(EXEC_MEMORY_PEAK_BYTES, peak_bytes)                                     \
	X(EXEC_MEMORY_RESIDUAL_BYTES, residual_bytes)                             \
	X(EXEC_MEMORY_OUTPUT_BYTES, output_bytes)                                 \
	X(EXEC_MEMORY_ALLOCATOR_BYTES_IN_USE, allocator_bytes_in_use)

struct exec_memory {
#define X(number, field) int64_t field;
	MEMORY_FIELDS(X)
#undef X
};

struct exec_allocation {
	int64_t micros, bytes;
};

struct exec_record {
	struct span bytes;
	uint32_t device; /* the device of the record's times: lower-cased, string id */
	uint32_t next;
};

/* An execution in a trace. What ran within it has taken own_us off the whole, so that
 * these add up; a timeline shows the whole. */
struct exec_run {
	int64_t start_us, duration_us, own_us;
	uint32_t lane;
	uint32_t next;
};

/* A thread, stream or core that a trace has a line for. */
struct exec_lane {
	uint32_t device, name; /* string ids */
	uint32_t devices;      /* set of that device */
	uint32_t number;       /* index among the lanes of its device */
	bool is_accelerator;
};

struct exec_detail {
	uint32_t first, last;         /* records; NONE if there is none */
	uint32_t first_run, last_run; /* runs, likewise */
	uint32_t devices;             /* set of string ids */
	int64_t start_us;             /* 0: no entry had a start time */
	int64_t end_us;
};

enum { EXEC_BLOCK = 4096 };

struct execs {
	VEC(struct exec *) blocks; /* of EXEC_BLOCK rows each */
	size_t n_rows;
	VEC(struct exec_sums) wide;
	bool has_accelerator_time; /* in some row that exec_put_sums() filled */
	VEC(struct exec_detail) details;
	VEC(struct exec_record) records;
	VEC(struct exec_run) runs;
	VEC(struct exec_lane) lanes;
};

void execs_clear(struct execs *x);
/* Room for more records and rows, so that adding them moves nothing. */
bool execs_reserve(struct execs *x, size_t n_records, size_t n_rows);

static inline struct exec *exec_at(const struct execs *x, uint32_t row)
{
	return &x->blocks.at[row / EXEC_BLOCK][row % EXEC_BLOCK];
}

struct model;

/* The row of a step among the rows chained from *first, made if there is none; NONE
 * on allocation failure. */
uint32_t execs_row(struct execs *x, uint32_t *first, int64_t step);
/* Takes over the rows of another list, which have no details: row i becomes the
 * i-th from *first_row on, wide sums likewise. False on allocation failure. */
bool execs_take(struct execs *x, struct execs *other, uint32_t *first_row, uint32_t *first_wide);
/* The node's row of a step, made if there is none; NONE on allocation failure. */
uint32_t exec_row(struct model *m, uint32_t node, int64_t step);
/* n rows one after the other, to be written and chained: the first; NONE on allocation
 * failure. */
uint32_t execs_add_rows(struct execs *x, size_t n);
/* The node's row of a step, if there is one; NONE. */
uint32_t exec_find(const struct model *m, uint32_t node, int64_t step);

/* The sums of a row that is not wide. */
static inline struct exec_sums exec_narrow_sums(const struct exec *exec)
{
#define X(sum) .sum = exec->sum,
	return (struct exec_sums){EXEC_SUMS(X)};
#undef X
}

/* The sums of a row. */
static inline struct exec_sums exec_get_sums(const struct execs *x, uint32_t row)
{
	const struct exec *exec = exec_at(x, row);

	return exec->is_wide ? x->wide.at[exec->wide] : exec_narrow_sums(exec);
}

/* False on allocation failure. */
bool exec_put_sums(struct execs *x, uint32_t row, const struct exec_sums *sums);

/* Whether some sum is below 0. */
static inline bool exec_is_negative(const struct exec_sums *sums)
{
	int64_t any = 0;

#define X(sum) any |= sums->sum;
	EXEC_SUMS(X)
#undef X
	return any < 0;
}

/* The bytes of an exec that has them. */
struct span exec_get_raw(const struct model *m, uint32_t row);

/* When it began and ended; began 0: no entry had a start time. */
struct exec_extent {
	int64_t start_us, end_us;
};

struct exec_extent exec_get_extent(const struct model *m, uint32_t row);

/* ---- adding: what loaders call ------------------------------------------- */

/* What a loader adds to a row: an entry of run metadata, the runs of a trace in a step, or
 * memory. What it does not know is left out. */
struct exec_added {
	struct exec_sums sums;    /* added to the row's sums */
	bool has_device;          /* else it has none, or the devices of the runs' lanes */
	uint32_t device;          /* string id, also of "" */
	int64_t start_us, end_us; /* when it ran; start 0: not known, or the times of the runs */
	struct span record;       /* what else is known, as bytes (record.h) that live as long
				     as the model */
	bool has_runs;
	bool on_several_devices; /* the runs */
	uint32_t first_run;      /* of runs that are in execs.runs and chained */
};

/* Adds to a row, which may have data of any kind. False on allocation failure. */
bool exec_add(struct model *m, uint32_t row, const struct exec_added *added);
/* Adds memory to a row. False on allocation failure. */
bool exec_add_memory(struct model *m, uint32_t row, const struct exec_memory *memory);

/* Time of an operation that does not only wait. */
static inline int64_t exec_work_us(const struct exec_sums *x)
{
	return x->waiting_us && !x->busy_us ? 0 : clamped_sum(x->accelerator_us, x->cpu_us);
}

static inline void exec_sums_add_time(struct exec_sums *sums, bool is_accelerator, int64_t us)
{
	add_clamped(is_accelerator ? &sums->accelerator_us : &sums->cpu_us, us);
}

static inline void exec_sums_add_memory(struct exec_sums *sums, const struct exec_memory *memory)
{
	add_clamped(&sums->requested_bytes, memory->requested_bytes);
	add_clamped(&sums->peak_bytes, memory->peak_bytes);
	add_clamped(&sums->residual_bytes, memory->residual_bytes);
	add_clamped(&sums->output_bytes, memory->output_bytes);
}

/* ---- reading -------------------------------------------------------------- */

/* The detail of an exec; made up for one that has runs. Not for one that has raw bytes. */
struct exec_detail exec_get_detail(const struct execs *x, uint32_t row);

struct exec_time {
	struct span device;
	bool accelerator;
	uint32_t lane; /* index of the trace's lane, + 1; 0: not known */
	int64_t start_us, duration_us;
};

/* Called with everything an exec knows, wherever it is kept, one by one; what
 * is NULL is passed over. A visitor that returns false ends the visit. */
struct exec_visitor {
	bool (*time)(void *context, const struct exec_time *time);
	bool (*output)(void *context, const struct exec_output *output);
	/* After its outputs. */
	bool (*memory)(void *context, const struct exec_memory *memory);
	bool (*allocation)(void *context, const struct exec_allocation *allocation);
	bool (*device)(void *context, struct span device);
	void *context;
};

/* False if the visitor ended it. Malformed bytes end their list, and are noted
 * (model_note_damage). */
bool exec_visit(const struct model *m, uint32_t row, const struct exec_visitor *visitor);

/* Gives a row a detail, from its raw bytes or runs if it has some; false on allocation
 * failure. */
bool exec_decode(struct model *m, uint32_t row);

#endif
