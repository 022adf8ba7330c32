#include "load/input.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "load/recognize.h"
#include "proto/text.h"

const char *input_name(const struct tfprof_input *in, enum input_kind kind)
{
	return in->path ? in->path : input_get_subject(kind);
}

enum tfprof_status input_status(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, const struct decoder *d, struct tfprof_error *err)
{
	if (!d->failed)
		return TFPROF_OK;
	if (!d->bad)
		return error_no_memory(err);
	return error_set(err, TFPROF_FORMAT,
		"%s: not %s from byte %zu of %zu on: the file is damaged or cut short",
		input_name(in, kind), recognize_get_look(kind)->name,
		(size_t)(d->bad - s->bytes.at), s->bytes.n);
}

/* ---- what kind it is --------------------------------------------------------- */

static bool is_files(enum input_kind kind)
{
	return kind != INPUT_UNKNOWN && input_get_info(kind)->traits & TFPROF_INPUT_FILES;
}

/* A path that is none of a file may be what several begin with. */
static enum input_kind kind_of_path(const char *path)
{
	struct stat st;
	char file[4096];

	if (!path || stat(path, &st) == 0)
		return INPUT_UNKNOWN;
	for (int kind = 0; kind < N_INPUTS; kind++) {
		const char *suffix = recognize_get_look((enum input_kind)kind)->suffix;

		if (suffix &&
			snprintf(file, sizeof(file), "%s%s", path, suffix) < (int)sizeof(file) &&
			stat(file, &st) == 0)
			return (enum input_kind)kind;
	}
	return INPUT_UNKNOWN;
}

static enum tfprof_status wrong_kind(const struct tfprof_input *in, enum input_kind kind,
	const struct recognized *is, struct tfprof_error *err)
{
	const char *flag = is->kind == INPUT_UNKNOWN ? NULL : input_get_info(is->kind)->flag;

	return error_set(err, TFPROF_FORMAT, "%s: not %s: it looks like %s%s%s%s",
		input_name(in, kind), recognize_get_look(kind)->name, is->name,
		flag ? " (give it as --" : "", flag ? flag : "", flag ? ")" : "");
}

static enum tfprof_status not_recognized(const struct tfprof_input *in, const struct recognized *is,
	struct tfprof_error *err)
{
	char expected[sizeof(err->text)] = "";
	size_t n = 0;

	for (int kind = 0; kind < N_INPUTS && n < sizeof(expected); kind++)
		n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s%s", kind ? ", " : "",
			recognize_get_look((enum input_kind)kind)->name);
	return error_set(err, TFPROF_FORMAT, "%s: it looks like %s: expected one of: %s",
		input_name(in, INPUT_UNKNOWN), is->name, expected);
}

static enum tfprof_status check_kind(const struct tfprof_input *in, const struct recognized *is,
	enum input_kind *kind, struct tfprof_error *err)
{
	if (*kind == INPUT_UNKNOWN && is->kind == INPUT_UNKNOWN)
		return not_recognized(in, is, err);
	if (*kind == INPUT_UNKNOWN)
		*kind = is->kind;
	/* Memory comes from a program that knows what it gives. */
	if (in->path && is->is_certain && is->kind != *kind)
		return wrong_kind(in, *kind, is, err);
	if (!in->path && is_files(*kind))
		return error_set(err, TFPROF_ARGUMENT, "%s is read from files: give their path",
			input_get_subject(*kind));
	return TFPROF_OK;
}

/* ---- opening ------------------------------------------------------------------- */

static enum tfprof_status convert_text(struct source *s, const struct tfprof_input *in,
	enum input_kind kind, struct tfprof_error *err)
{
	struct buf wire = {0};
	enum tfprof_status status =
		text_to_wire(recognize_get_look(kind)->type, s->bytes, &wire, err);

	if (status != TFPROF_OK) {
		buf_clear(&wire);
		return error_prefix(err, status, input_name(in, kind));
	}
	source_close(s);
	*s = (struct source){.bytes = buf_get(&wire),
		.owner = wire.at ? SOURCE_HEAP : SOURCE_BORROWED};
	return TFPROF_OK;
}

enum tfprof_status input_open(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct tfprof_error *err)
{
	enum tfprof_status status;
	struct recognized is;

	*s = (struct source){0};
	if (*kind == INPUT_UNKNOWN)
		*kind = kind_of_path(in->path);
	if (is_files(*kind) && in->path)
		return TFPROF_OK;
	status = source_open(s, in, err);
	if (status != TFPROF_OK)
		return status;
	is = recognize(s->bytes);
	status = check_kind(in, &is, kind, err);
	if (status == TFPROF_OK && is.is_text && is.kind == *kind && !is_files(*kind))
		status = convert_text(s, in, *kind, err);
	if (status != TFPROF_OK || is_files(*kind))
		source_close(s);
	return status;
}
