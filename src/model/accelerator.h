/* The accelerators of traces: what each is, and what it did by its own clock. Times are
 * picoseconds. */
#ifndef TFPROF_MODEL_ACCELERATOR_H
#define TFPROF_MODEL_ACCELERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a device is. */
struct accelerator_facts {
	double peak_flops;     /* per second, as recorded; 0: not recorded */
	double sheet_flops;    /* as computed from its cores and clock; 0: not known */
	double peak_bandwidth; /* bytes per second; 0: not known */
	bool is_doubled;       /* the recorded bandwidth is half of that */
};

/* Numbers that are not known are -1. */
struct accelerator {
	uint32_t device;  /* string id: "/host:vm/device:gpu:0" */
	uint32_t product; /* string id; 0: not known */
	bool is_tpu;
	struct accelerator_facts facts;
	uint32_t n_lanes;
	int64_t n_programs_run; /* 0: what ran is of no program */
	int64_t n_executions;
	int64_t span_ps;         /* from the first start to the last end */
	int64_t busy_ps;         /* at least one lane ran something, copies included */
	int64_t kernel_busy_ps;  /* … other than copies */
	int64_t waiting_ps;      /* of operations that only wait for a copy or a collective */
	int64_t collective_ps;   /* it runs nothing but collectives, or waits for them */
	int64_t late_ps;         /* of the gaps: until the host launched what ended them */
	int64_t unknown_gap_ps;  /* … whose launch is not recorded, if others are */
	int64_t stalled_ps;      /* of a core: waiting for other cores, or for what comes first */
	int64_t launch_delay_ps; /* median from the launch to the start */
	/* Most of what ran began before it was launched: the clocks of host and device differ, and
	 * nothing is known of launches. */
	bool is_before_launch;
	/* Of steps that the device recorded, added up. 0: none. */
	int64_t n_steps, step_ps, step_busy_ps;
	int64_t peak_bytes, lifetime_peak_bytes, capacity_bytes;
};

/* A GPU is device-bound while it has work if kernels wait between launch and start: in an empty
 * queue they start at once, and the host cannot launch them fast enough. */
static inline bool accelerator_is_device_bound(const struct accelerator *a)
{
	enum { EMPTY_QUEUE_US = 100 };

	return a->launch_delay_ps >= EMPTY_QUEUE_US * INT64_C(1000000);
}

/* What limits it, in words. NULL: not known. */
static inline const char *accelerator_get_bound(const struct accelerator *a)
{
	if (a->launch_delay_ps < 0)
		return NULL;
	return accelerator_is_device_bound(a) ? "device-bound" : "launch-bound";
}

/* A kernel of GPUs, as launched for a node: all of its runs with the same grid and block. */
struct accelerator_kernel {
	uint32_t name;    /* string id, as recorded */
	uint32_t details; /* string id: "regs:38 shm:0 grid:160,1,1 block:1024,1,1"; 0: none */
	uint32_t node;
	int64_t n_runs;
	int64_t total_ps, min_ps, max_ps;
};

/* Words for people. */
#define TRANSFER_DIRECTIONS(X)         \
	X(UNKNOWN, "")                 \
	X(TO_DEVICE, "host to device") \
	X(TO_HOST, "device to host")   \
	X(WITHIN, "within the device") \
	X(BETWEEN, "between devices")

enum transfer_direction {
#define X(id, text) GOES_##id,
	TRANSFER_DIRECTIONS(X)
#undef X
		N_GOES
};

/* A copy or collective that runs beside operations, or may do so: all of its runs, on all devices.
 *
 *     TPU   copy-start.2 ─ add ─ mul ─ copy-done.2 ───┤     in flight: from the first to the end
 *                                      └─ exposed ────┘     the core only waits
 *     GPU   ncclAllReduce ────────────────┤                 in flight: its own time
 *           add ─── mul ───┤              exposed: while no other kernel runs
 */
struct accelerator_transfer {
	uint32_t name;   /* string id: the instruction, or the copy */
	uint32_t begun;  /* string id: the instruction that begins it; 0: itself */
	uint32_t opcode; /* string id: "copy", "all-reduce" */
	uint32_t node;
	uint32_t served; /* string id: the operation that it was added for; 0: not known */
	enum transfer_direction direction;
	bool is_collective;
	int64_t n, in_flight_ps, exposed_ps;
	int64_t bytes;  /* of all; -1: not known */
	double fastest; /* bytes per second of the fastest; 0: not known */
	/* Of a collective: on each device, what the fastest device took is the transfer, the rest
	 * is waiting for others. -1: not known. */
	int64_t transfer_ps, skew_ps;
};

/* The program that has most of the accelerators' time, over all that ran it. */
struct accelerator_program {
	uint32_t name; /* string id */
	uint64_t id;   /* hosts that run the same program have the same */
	uint32_t n_devices;
	int64_t n_runs;                /* of all; 0: there is no such program */
	int64_t least_runs, most_runs; /* of a device */
	int64_t run_ps;                /* from the first start to the last end of each, added up */
	int64_t transfer_wait_ps;      /* for copies between the host's memory and the device's */
	int64_t wait_ps;               /* for other copies */
	int64_t collective_ps;         /* collectives, and waits for them */
	int64_t transfer_bytes;        /* of the largest */
	double transfer_rate;          /* of the fastest, bytes per second while in flight */
	int64_t computing_ps;          /* none of the above */
	/* Of the operation that takes longest, if it has a good part of computing_ps: per second;
	 * 0: not known. */
	double computing_rate; /* bytes */
	double computing_flops;
	bool is_mixed; /* not all files of a profile have the same such program: there is none */
};

#endif
