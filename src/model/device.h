/* Devices: what their names say, found out once, when a name is added to a table.
 *
 *     /job:worker/replica:0/task:1/device:gpu:0/stream:all
 *     └─────────── task ─────────┘             └─ kind ──┘
 *          job = worker
 *
 *     id → device { name, kind, properties, task }     ids go up from 0
 *     task → device_task { name, job }                 task 0: of no task
 *
 * Everybody asks the table; only device.c looks for words in names. They are lower-cased
 * (device_lower()), except in a step timeline, which asks for streams and copy engines
 * only: those are lower-cased anyway. */
#ifndef TFPROF_MODEL_DEVICE_H
#define TFPROF_MODEL_DEVICE_H

#include "base/buf.h"
#include "base/strings.h"

/* A line per kind: what it is called, the word its names contain (the first line
 * that fits counts), whether time on it is accelerator time, and whether it is an
 * accelerator or a part of one. */
#define DEVICE_KINDS(X)                                                                 \
	X(COPY_ENGINE, "copy engine", "/memcpy", false, true)                           \
	X(STREAM, "stream", "/stream:", true, true) /* one, or all of an accelerator */ \
	X(TPU_CORE, "TPU core", "tpu:", true, true)                                     \
	/* its entries are the host's launches */                                       \
	X(ACCELERATOR, "accelerator", "gpu:", false, true)                              \
	X(CPU, "cpu", "cpu:", false, false)                                             \
	X(HOST_THREAD, "host thread", "/host:", false, false)                           \
	X(NETWORK, "network", "/network", false, false)                                 \
	X(OTHER, "other", "", false, false)

enum device_kind {
#define X(id, name, word, accelerator_time, is_accelerator) DEVICE_KIND_##id,
	DEVICE_KINDS(X)
#undef X
		N_DEVICE_KINDS
};

struct device_kind_info {
	const char *name, *word;
	bool accelerator_time, is_accelerator;
};

extern const struct device_kind_info device_kinds[N_DEVICE_KINDS];

/* What TensorFlow's profiler reads from a lower-cased name, each by itself: numbers
 * in reports follow from these, whatever the kind. */
enum device_property {
	DEVICE_CANONICAL = 1,   /* a node can be placed here; its time is cpu time */
	DEVICE_STREAM_ALL = 2,  /* its time is accelerator time */
	DEVICE_ACCELERATOR = 4, /* on or of a gpu */
	DEVICE_CPU = 8,         /* memory of its nodes is the host's */
	DEVICE_STREAM = 16,     /* timelines call it execution, not scheduling */
};

struct device {
	struct span name;
	enum device_kind kind;
	unsigned properties;
	uint32_t task;
};

struct device_task {
	struct span name; /* see device_get_task() */
	struct span job;
};

struct devices {
	struct strings names, task_names; /* a number is that of the name */
	VEC(struct device) at;
	VEC(struct device_task) tasks;
};

/* Zero is empty. */
void devices_clear(struct devices *d);

/* The id of a device, adding it if it is new; NONE on allocation failure. */
uint32_t devices_add(struct devices *d, struct span name);
/* NONE if it was not added. */
uint32_t devices_find(const struct devices *d, struct span name);

/* Whether time on it is accelerator time. Of streams only stream:all counts: it has
 * what ran on each of them. */
static inline bool device_has_accelerator_time(const struct device *d)
{
	return device_kinds[d->kind].accelerator_time &&
		(d->kind != DEVICE_KIND_STREAM || d->properties & DEVICE_STREAM_ALL);
}

/* Unlike DEVICE_ACCELERATOR, of any maker. */
static inline bool device_is_accelerator(const struct device *d)
{
	return device_kinds[d->kind].is_accelerator;
}

/* Whose operations the host launches one by one. */
static inline bool device_is_gpu(const struct device *d)
{
	return device_is_accelerator(d) && d->kind != DEVICE_KIND_TPU_CORE;
}

/* ---- names by themselves ------------------------------------------------- */

enum device_kind device_get_kind(struct span name);
/* A set of device_property. */
unsigned device_get_properties(struct span lower);

/* Up to and with the task number, or the host; empty for a device of neither. */
struct span device_get_task(struct span name);
/* "gpu:0" of "/host:vm/device:gpu:0/stream:7"; the whole name if it has no such part. */
struct span device_get_hardware(struct span name);
/* Of a task: "worker"; empty if it names no job. */
struct span device_get_job(struct span task);
/* A task for people: "/job:worker/task:1", without a replica of 0. An empty one is
 * "this machine". */
void device_put_task(struct buf *b, struct span task);

/* The name in lower case, written over what `b` held. */
void device_lower(struct buf *b, struct span name);

/* The host of a device: every gpu:<digits> replaced by cpu:0, written over
 * what `b` held. */
void device_host(struct buf *b, struct span lower);

#endif
