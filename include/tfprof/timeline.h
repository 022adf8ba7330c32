/* Steps over time: what ran, and how much memory was in use. Part of tfprof.h, which
 * includes it. */
#ifndef TFPROF_TIMELINE_H
#define TFPROF_TIMELINE_H

#include <tfprof/tfprof.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What ran in a step, by lane, to draw and add up any stretch of it. A lane
 * is a thread, a stream or a core where the input has them; otherwise executions that
 * overlap on a device are laid out in as many lanes as they need. Does not change with
 * the profile and may outlive it. */
typedef struct tfprof_timeline tfprof_timeline;

/* Of one step, or of all steps if it is negative. */
TFPROF_API enum tfprof_status tfprof_timeline_new(tfprof_profile *profile, int64_t step,
	tfprof_timeline **timeline, struct tfprof_error *err);
TFPROF_API void tfprof_timeline_free(tfprof_timeline *timeline);

/* The name of an event of threads, and what it is for: "python", "input", "compile", "copy",
 * "runtime", "dispatch", "operation" or "other"; of the lanes of steps also "step", "compute",
 * "communication", "callback" and "unknown". NULL if there is no such node. */
TFPROF_API const char *tfprof_timeline_get_name(const tfprof_timeline *timeline, uint64_t node,
	size_t *length, const char **kind);

struct tfprof_lane {
	const char *device; /* `device_length` bytes */
	size_t device_length;
	const char *kind;   /* kind of device: "cpu", "gpu", "stream", … */
	int is_accelerator; /* time on the device is accelerator time */
	uint32_t number;    /* within the device */
	size_t n_executions;
	int64_t busy_micros;               /* while at least one ran */
	int64_t first_micros, last_micros; /* the first start, the last end */
	const char *name; /* name of a trace's thread or stream, `name_length` bytes; or empty */
	size_t name_length;
	uint32_t n_rows; /* that its executions need: one within another is below it */
};
/* False past the last. Lanes of a device are neighbours. */
TFPROF_API int tfprof_timeline_read_lane(const tfprof_timeline *timeline, size_t i,
	struct tfprof_lane *lane);

/* The step at a glance. Times of the processor and of accelerators are sums over lanes. */
struct tfprof_step_info {
	int64_t start_micros, wall_micros; /* from the first start to the last end */
	int64_t cpu_micros, accelerator_micros;
	size_t n_executions;
	size_t n_accelerator_lanes;
	uint64_t n_hidden;           /* events of threads that were too many, all of them … */
	int64_t hidden_below_micros; /* … shorter than this */
};
TFPROF_API void tfprof_timeline_read_step(const tfprof_timeline *timeline,
	struct tfprof_step_info *info);

struct tfprof_slice {
	uint64_t node;       /* or, of several, one of the longest */
	size_t n_executions; /* joined into it */
	int64_t start_micros, end_micros;
	int64_t busy_micros; /* while at least one ran */
};
typedef int tfprof_slice_fn(void *context, const struct tfprof_slice *slice);

/* In place of a row: the whole lane. */
#define TFPROF_ALL_ROWS UINT32_MAX

/* Calls `fn` with what to draw of a lane between two points of time, by start:
 * executions of at least `min_micros`, and shorter ones joined. Takes time in proportion
 * to the number of slices. Non-zero from `fn` stops. In one row of a lane no two executions
 * overlap, and one within another is in a row below it, so a slice of one execution is exactly as
 * long as that. */
TFPROF_API void tfprof_timeline_find_slices(const tfprof_timeline *timeline, size_t lane,
	uint32_t row, int64_t from_micros, int64_t until_micros, int64_t min_micros,
	tfprof_slice_fn *fn, void *context);

/* Calls `fn` with each execution of a lane that overlaps a stretch of time: its node and
 * how much of it lies within. */
typedef int tfprof_execution_fn(void *context, uint64_t node, int64_t micros);
TFPROF_API void tfprof_timeline_each(const tfprof_timeline *timeline, size_t lane,
	int64_t from_micros, int64_t until_micros, tfprof_execution_fn *fn, void *context);

/* How long at least one execution of a lane ran within a stretch of time. */
TFPROF_API int64_t tfprof_timeline_get_busy(const tfprof_timeline *timeline, size_t lane,
	int64_t from_micros, int64_t until_micros);

/* The same timeline, lane by lane, with the executions of some nodes only: those whose
 * `selected` is not 0, of the first `n_nodes`. */
TFPROF_API enum tfprof_status tfprof_timeline_select(const tfprof_timeline *timeline,
	const unsigned char *selected, size_t n_nodes, tfprof_timeline **only,
	struct tfprof_error *err);

/* ---- memory over time ------------------------------------------------ */

/* What the allocators of devices had in use in a step, as far as they were read, and which
 * nodes held it. Does not change with the profile and may outlive it. */
typedef struct tfprof_memory tfprof_memory;

TFPROF_API enum tfprof_status tfprof_memory_new(tfprof_profile *profile, int64_t step,
	tfprof_memory **memory, struct tfprof_error *err);
TFPROF_API void tfprof_memory_free(tfprof_memory *memory);

/* The devices whose allocator was read. False past the last. */
struct tfprof_memory_device {
	const char *device; /* `device_length` bytes */
	size_t device_length;
	size_t n_readings;
	int64_t first_micros, last_micros; /* times of the first and the last reading */
	int64_t peak_bytes, peak_micros;   /* the highest reading */
};
TFPROF_API int tfprof_memory_read_device(const tfprof_memory *memory, size_t i,
	struct tfprof_memory_device *device);

/* The curve between two points of time: the lowest and the highest of what was in use in each
 * of `n` equal parts. A reading holds until the next; -1 before the first. */
TFPROF_API void tfprof_memory_read(const tfprof_memory *memory, size_t device, int64_t from_micros,
	int64_t until_micros, size_t n, int64_t *lowest, int64_t *highest);

/* Calls `fn` with the nodes that hold the most at a point of time, the largest first, at
 * most `n` of them; with none on allocation failure. */
typedef int tfprof_holder_fn(void *context, uint64_t node, int64_t bytes);
TFPROF_API void tfprof_memory_find_holders(const tfprof_memory *memory, size_t device,
	int64_t at_micros, size_t n, tfprof_holder_fn *fn, void *context);

/* ---- step timeline --------------------------------------------------- */

/* Writes the Chrome trace (JSON) of one step from its run metadata, without a
 * profile: every entry on its device, optionally with arrows from producers to
 * consumers (`show_dataflow`) and with tensors and the bytes of each allocator
 * (`show_memory`). The events are those of TensorFlow's
 * `timeline.Timeline(step_stats).generate_chrome_trace_format`.
 *
 * A file is written completely or not at all, and compressed if its name ends in
 * `.gz`. If `path` is NULL, the trace goes to `*bytes`, freed with
 * tfprof_bytes_free; otherwise `bytes` and `size` are not used. */
TFPROF_API enum tfprof_status tfprof_step_timeline_write(const struct tfprof_input *run_meta,
	int show_dataflow, int show_memory, const char *path, void **bytes, size_t *size,
	struct tfprof_error *err);

#ifdef __cplusplus
}
#endif

#endif
