/* Opens an input: its bytes, as a binary message of the expected kind. Packed input is
 * unpacked and text is converted; a file of another kind is refused with what it looks
 * like. */
#ifndef TFPROF_LOAD_INPUT_H
#define TFPROF_LOAD_INPUT_H

#include "base/buf.h"
#include "base/spelling.h"
#include "load/inputs.h"
#include "model/source.h"
#include "proto/decoder.h"

#define RECOVER_HINT recover_hint(&(struct spelled){{0}})

/* " (--recover loads the intact parts)" */
const char *recover_hint(struct spelled *out);

/* Whether a path exists, or is a prefix of several files' names. */
bool input_exists(const char *path);

/* Finds what to open: for a directory, the path of what it holds, which goes to
 * `path`, the newest of `*n`. INPUT_UNKNOWN becomes the kind if the path alone determines
 * it. */
enum tfprof_status input_resolve(struct tfprof_input *in, enum input_kind *kind, struct buf *path,
	size_t *n, struct tfprof_error *err);

/* What kind an input is, without reading all of it. */
enum tfprof_status input_recognize(const struct tfprof_input *in, enum input_kind *kind,
	struct tfprof_error *err);

/* Opens an input of a kind; INPUT_UNKNOWN becomes what its content says. A kind that
 * is a path to files (TFPROF_INPUT_FILES) is left to its loader: then, and on
 * failure, `s` holds nothing. */
enum tfprof_status input_open(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct tfprof_error *err);

/* The same for one that may be damaged or cut short: `s` gets the intact parts, and
 * `notes` lines that say what was dropped (see recover.h). */
enum tfprof_status input_recover(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct buf *notes, struct tfprof_error *err);

/* Replaces packed bytes with their contents, and others not; with notes, with as many as there
 * are. */
enum tfprof_status input_unpack(struct source *s, const struct tfprof_input *in, struct buf *notes,
	struct tfprof_error *err);

/* Replaces a message in text form with its wire format. */
enum tfprof_status input_convert_text(struct source *s, const struct tfprof_input *in,
	enum input_kind kind, struct tfprof_error *err);

/* The result of decoding, with an error message on failure. */
enum tfprof_status input_status(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, const struct decoder *d, struct tfprof_error *err);

/* The path, or "the graph" and the like for memory. */
const char *input_name(const struct tfprof_input *in, enum input_kind kind);

#endif
