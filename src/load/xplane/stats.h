/* The stats of a trace's events, names and planes that mean something here. */
#ifndef TFPROF_LOAD_XPLANE_STATS_H
#define TFPROF_LOAD_XPLANE_STATS_H

#include <stdint.h>

#include "base/span.h"

#define XSTATS(X)                                                 \
	/* compiled operations */                                 \
	X(HLO_OP, "hlo_op")                                       \
	X(HLO_MODULE, "hlo_module")                               \
	X(PROGRAM_ID, "program_id")                               \
	X(RUN_ID, "run_id")                                       \
	X(HLO_PROTO, "Hlo Proto")                                 \
	X(OLD_HLO_PROTO, "HLO Proto")                             \
	/* operations by other names */                           \
	X(TF_OP, "tf_op")                                         \
	X(EAGER_OP, "eager_op")                                   \
	X(IS_FUNC, "is_func")                                     \
	X(NAME, "name")                                           \
	X(KERNEL_TYPE, "kernel_type")                             \
	X(HLO_CATEGORY, "hlo_category")                           \
	X(FLOPS, "flops")                                         \
	X(MODEL_FLOPS, "model_flops")                             \
	X(BYTES_ACCESSED, "bytes_accessed")                       \
	X(ANNOTATION, "annotation")                               \
	X(LEVEL_0, "level 0")                                     \
	/* devices */                                             \
	X(DEVICE_OFFSET, "device_offset_ps")                      \
	X(DEVICE_DURATION, "device_duration_ps")                  \
	X(KERNEL_DETAILS, "kernel_details")                       \
	X(MEMCPY_DETAILS, "memcpy_details")                       \
	X(MODULE_NAME, "module_name")                             \
	X(GROUP_ID, "group_id")                                   \
	/* what led to what */                                    \
	X(ROOT_LEVEL, "_r")                                       \
	X(ASYNC, "_a")                                            \
	X(PRODUCER_TYPE, "_pt")                                   \
	X(PRODUCER, "_p")                                         \
	X(CONSUMER_TYPE, "_ct")                                   \
	X(CONSUMER, "_c")                                         \
	X(STEP_NUM, "step_num")                                   \
	X(ID, "id")                                               \
	X(ITER_NUM, "iter_num")                                   \
	X(CORRELATION_ID, "correlation_id")                       \
	X(DEVICE_ID, "device_id")                                 \
	/* steps */                                               \
	X(TF_FUNCTION_CALL, "tf_function_call")                   \
	X(TRACING_COUNT, "tracing_count")                         \
	X(DEVICE_ORDINAL, "device_ordinal")                       \
	/* memory */                                              \
	X(ALLOCATOR_NAME, "allocator_name")                       \
	X(REQUESTED_BYTES, "requested_bytes")                     \
	X(ALLOCATION_BYTES, "allocation_bytes")                   \
	X(ADDRESS, "addr")                                        \
	X(BYTES_ALLOCATED, "bytes_allocated")                     \
	X(BYTES_RESERVED, "bytes_reserved")                       \
	X(REGION_TYPE, "region_type")                             \
	X(BYTES_AVAILABLE, "bytes_available")                     \
	X(PEAK_IN_USE, "peak_bytes_in_use")                       \
	X(INDEX_ON_HOST, "index_on_host")                         \
	X(TENSOR_SHAPE, "shape")                                  \
	/* planes */                                              \
	X(DEVICE_TYPE, "device_type_string")                      \
	X(DEVICE_VENDOR, "device_vendor")                         \
	X(CLOCK_RATE, "clock_rate")                               \
	X(CORE_COUNT, "core_count")                               \
	X(MEMORY_BANDWIDTH, "memory_bandwidth")                   \
	X(MEMORY_SIZE, "memory_size")                             \
	X(COMPUTE_MAJOR, "compute_cap_major")                     \
	X(COMPUTE_MINOR, "compute_cap_minor")                     \
	X(PEAK_TERAFLOPS, "peak_teraflops_per_second")            \
	X(PEAK_HBM_GIGABYTES, "peak_hbm_bw_gigabytes_per_second") \
	X(JAX_VERSION, "jax_version")                             \
	X(PROFILE_START_TIME, "profile_start_time")

enum xstat {
#define X(id, name) STAT_##id,
	XSTATS(X)
#undef X
		N_XSTATS
};

_Static_assert(N_XSTATS <= 64, "xstats.has is a set of them");

#define STAT_BIT(id) (UINT64_C(1) << STAT_##id)

/* A number, signed or not, as 64 bits; or a text. */
struct xvalue {
	uint64_t number;
	struct span text; /* .at is NULL for a number */
	double real;      /* of one that is a double; else 0 */
};

/* The stats of one event. */
struct xstats {
	uint64_t has; /* STAT_BIT(…) of those that are there */
	struct xvalue at[N_XSTATS];
};

static inline bool xstats_has_number(const struct xstats *s, enum xstat stat)
{
	return s->has >> stat & 1 && !s->at[stat].text.at;
}

/* 0 if it is not there, or a text. */
static inline uint64_t xstats_number(const struct xstats *s, enum xstat stat)
{
	return xstats_has_number(s, stat) ? s->at[stat].number : 0;
}

/* The number of a stat that may be a double. */
static inline double xstats_real(const struct xstats *s, enum xstat stat)
{
	double number = (double)(int64_t)xstats_number(s, stat);

	return xstats_has_number(s, stat) && s->at[stat].real != 0 ? s->at[stat].real : number;
}

/* Empty if it is not there, or a number. TensorFlow 2.15 writes "(null)" for none. */
static inline struct span xstats_text(const struct xstats *s, enum xstat stat)
{
	struct span text = {"", 0};

	if (s->has >> stat & 1 && s->at[stat].text.at &&
		!span_equal(s->at[stat].text, SPAN("(null)")))
		text = s->at[stat].text;
	return text;
}

#endif
