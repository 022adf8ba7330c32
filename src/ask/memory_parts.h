/* For the files of the question memory: its columns, and what each file adds. */
#ifndef TFPROF_ASK_MEMORY_PARTS_H
#define TFPROF_ASK_MEMORY_PARTS_H

#include "ask/curves.h"
#include "ask/question.h"
#include "base/strings.h"
#include "hlo/memory.h"

/* id, name, type, unit */
/* clang-format off */
#define MEMORY_COLUMNS(X)                                                      \
	X(BYTES, "bytes", INT64, "bytes")                                      \
	X(PEAK, "peak_bytes", INT64, "bytes")                                  \
	X(BUFFERS, "buffers", INT64, NULL)                                     \
	X(SHAPE, "shape", TEXT, NULL)                                          \
	X(LAYER, "layer", TEXT, NULL)                                          \
	X(LINE, "line", TEXT, NULL)                                            \
	X(BORROWED, "borrowed", TEXT, NULL)                                    \
	MEMORY_POOL_COLUMNS(X)
/* Only if there are allocators. */
#define MEMORY_POOL_COLUMNS(X)                                                 \
	X(LIFETIME_PEAK, "lifetime_peak_bytes", INT64, "bytes")                \
	X(CAPACITY, "capacity_bytes", INT64, "bytes")
/* clang-format on */

enum {
#define X(id, ...) COLUMN_##id,
	MEMORY_COLUMNS(X)
#undef X
		N_COLUMNS,
	N_COLUMNS_WITHOUT_POOLS = COLUMN_LIFETIME_PEAK
};

static inline double memory_megabytes(int64_t bytes)
{
	return (double)bytes / 1e6;
}

/* ---- programs (memory_program.c) ------------------------------------------- */

/* A buffer that is alive at a peak, with its texts. */
struct live_row {
	const struct hlo_live *live;
	uint32_t layer, line; /* text ids */
};

/* The live buffers of a layer. */
struct live_layer {
	uint32_t text;
	uint32_t n;
	int64_t bytes;
};

/* A program that is being asked about. */
struct memory_program {
	struct answer *a;
	struct hlo_program program;
	struct hlo_memory memory;
	struct strings texts;
	struct buf scratch;
	VEC(struct live_row) rows;
	VEC(struct live_layer) layers;
	uint32_t *layer_of; /* by text: its place + 1; 0: none */
};

enum program_reading { MEMORY_READ, MEMORY_DAMAGED, MEMORY_FAILED };

/* Clear it in any case. */
enum program_reading memory_program_read(struct memory_program *x, struct answer *a,
	struct span message, enum hlo_peak_source source);
void memory_program_clear(struct memory_program *x);

/* What it holds in device memory. */
int64_t memory_program_bytes(const struct memory_program *x);
/* These return false on allocation failure. */
bool memory_program_put(struct memory_program *x, struct span name);
/* The program's largest buffer, in a sentence. `has_failed`: it was called, and did not run. */
bool memory_program_put_headline(struct memory_program *x, struct span name, bool has_failed,
	struct buf *b);
void memory_program_note(struct memory_program *x, struct span name);

/* ---- model files (memory_model.c) -------------------------------------------- */

/* The answer if a model file is asked about. */
enum tfprof_status memory_of_model(struct answer *a, const struct asked *q,
	struct tfprof_error *err);

/* ---- allocators (memory_pools.c) ------------------------------------------- */

/* A block that programs ask for: several of the same size may be meant. */
struct program_block {
	int64_t bytes;
	uint32_t program; /* of the model */
	bool is_output;   /* else its temporaries */
};

struct program_blocks {
	VEC(struct program_block) at;
};

struct memory_pools {
	struct answer *a;
	const struct model *m;
	struct memory_curves curves;
	struct program_blocks blocks; /* sorted by bytes */
	struct buf headline;          /* of the largest holder with a name; empty: there is none */
	int64_t headline_bytes;
	enum tfprof_status status;
	struct tfprof_error *err;
};

/* A row per allocator, and what it held at its peak. */
bool memory_pools_put(struct memory_pools *p);
void memory_pools_clear(struct memory_pools *p);

#endif
