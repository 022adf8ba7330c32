/* Reads the elements of one stored part, in the part's own row-major order.
 *
 *     V2, fixed size:  element element …                     random access
 *     V2, string:      length …, masked CRC of the lengths, bytes …
 *     V1:              a TensorProto, mostly packed varints
 *
 * The last two can only be read in order, so a part reader keeps its position. */
#ifndef TFPROF_FORMATS_CHECKPOINT_PART_READER_H
#define TFPROF_FORMATS_CHECKPOINT_PART_READER_H

#include "formats/checkpoint/impl.h"
#include "proto/wire.h"

struct part_reader {
	const struct part *part;
	struct box box; /* position in the tensor */
	bool is_ready;
	struct span stored;

	uint64_t next;                     /* the next element in order */
	struct wire_reader lengths;        /* V2 strings */
	const char *texts, *text;          /* the first and the next */
	struct wire_reader message, items; /* V1 */
};

/* Finds and verifies the bytes, as described in checkpoint.h. */
enum tfprof_status part_reader_prepare(struct part_reader *p, struct checkpoint_reader *r,
	struct tfprof_error *err);

/* Reads elements first … first + n - 1 to values[at] and on. The part must be prepared
 * and contain them. */
enum tfprof_status part_reader_read(struct part_reader *p, const struct checkpoint_reader *r,
	uint64_t first, uint64_t n, void *values, size_t at, struct tfprof_error *err);

#endif
