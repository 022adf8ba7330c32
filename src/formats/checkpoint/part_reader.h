/* Elements of one stored part, in the part's own row-major order.
 *
 *     V2, fixed size:  element element …                     jumped into
 *     V2, string:      length …, masked CRC of the lengths, bytes …
 *     V1:              a TensorProto, mostly packed varints
 *
 * The last two can only be walked, so a part reader remembers where it is. */
#ifndef TFPROF_FORMATS_CHECKPOINT_PART_READER_H
#define TFPROF_FORMATS_CHECKPOINT_PART_READER_H

#include "formats/checkpoint/impl.h"
#include "proto/wire.h"

struct part_reader {
	const struct part *part;
	struct box box; /* where it lies in the tensor */
	bool ready;
	struct span stored;

	uint64_t next;                     /* the element the walk stands before */
	struct wire_reader lengths;        /* V2 strings */
	const char *texts, *text;          /* where all begin, and the next */
	struct wire_reader message, items; /* V1 */
};

/* Finds the bytes and verifies them, as far as checkpoint.h promises. */
enum tfprof_status part_reader_ready(struct part_reader *p, struct checkpoint_reader *r,
	struct tfprof_error *err);

/* Elements first … first + n - 1 to values[at] and on. The part is ready and
 * has them. */
enum tfprof_status part_reader_read(struct part_reader *p, const struct checkpoint_reader *r,
	uint64_t first, uint64_t n, void *values, size_t at, struct tfprof_error *err);

#endif
