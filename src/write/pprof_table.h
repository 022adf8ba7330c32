/* The tables of a pprof profile while it is written: texts, functions and locations, each
 * written when it is first used. A frame is a function by its name; what has no file and no
 * line needs no more.
 *
 *     pprof_open(&p, out)
 *     pprof_put_sample_type(&p, "micros", "microseconds")
 *     pprof_put_sample(&p, &sample)
 *     pprof_close(&p, err)
 */
#ifndef TFPROF_WRITE_PPROF_TABLE_H
#define TFPROF_WRITE_PPROF_TABLE_H

#include "base/sink.h"
#include "base/strings.h"
#include "base/error.h"

struct pprof_label {
	const char *key;
	struct span text;
	int64_t number; /* if there is no text */
};

enum { PPROF_MAX_LABELS = 8, PPROF_MAX_VALUES = 2 };

struct pprof_sample {
	const uint64_t *stack; /* locations, the innermost first */
	size_t depth;
	int64_t values[PPROF_MAX_VALUES]; /* one for each sample type */
	size_t n_values;
	struct pprof_label labels[PPROF_MAX_LABELS];
	size_t n_labels;
};

struct pprof_table {
	struct sink *out;
	struct buf message; /* the field being made */
	struct strings strings;
	size_t n_strings_written;
	VEC(uint64_t) location_of; /* by string: the location of the function so called, or 0 */
	uint64_t n_locations;
	bool failed;
};

void pprof_open(struct pprof_table *p, struct sink *out);
enum tfprof_status pprof_close(struct pprof_table *p, struct tfprof_error *err);
void pprof_put_sample_type(struct pprof_table *p, const char *type, const char *unit);
/* The location of a function; 0 on allocation failure. */
uint64_t pprof_location(struct pprof_table *p, struct span name);
void pprof_put_sample(struct pprof_table *p, const struct pprof_sample *sample);

/* For fields that the functions above do not write: the index of a text, and writing
 * `message`. Each writes to the sink at once, so get all texts before opening a message. */
uint32_t pprof_string(struct pprof_table *p, struct span text);
void pprof_flush(struct pprof_table *p);

#endif
