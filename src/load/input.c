#include "load/input.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/debug.h"
#include "base/spelling.h"
#include "formats/packed.h"
#include "load/recognize.h"
#include "load/recover.h"
#include "load/xplane/run.h"
#include "proto/text.h"

const char *input_name(const struct tfprof_input *in, enum input_kind kind)
{
	return in->path ? in->path : input_get_subject(kind);
}

enum tfprof_status input_status(const struct tfprof_input *in, enum input_kind kind,
	const struct source *s, const struct decoder *d, struct tfprof_error *err)
{
	/* Whatever was read of a file that changed meanwhile means nothing. */
	enum tfprof_status status = source_check(s, err);

	if (status != TFPROF_OK || !d->failed)
		return status;
	if (!d->bad)
		return error_no_memory(err);
	return error_set(err, TFPROF_FORMAT,
		"%s: not %s from byte %zu of %zu on: the file is damaged or cut "
		"short%s",
		input_name(in, kind), recognize_get_look(kind)->name,
		(size_t)(d->bad - s->bytes.at), s->bytes.n, RECOVER_HINT);
}

const char *recover_hint(struct spelled *out)
{
	snprintf(out->text, sizeof(out->text), " (%s loads the intact parts)", SWITCH("recover"));
	return out->text;
}

/* ---- what kind it is --------------------------------------------------------- */

static bool is_files(enum input_kind kind)
{
	return kind != INPUT_UNKNOWN && input_get_info(kind)->traits & TFPROF_INPUT_FILES;
}

/* A path that does not exist may be the prefix of several files. */
static enum input_kind kind_of_prefix(const char *path)
{
	struct stat st;
	char file[4096];

	for (int kind = 0; kind < N_INPUTS; kind++) {
		const char *suffix = recognize_get_look((enum input_kind)kind)->suffix;

		if (suffix &&
			snprintf(file, sizeof(file), "%s%s", path, suffix) < (int)sizeof(file) &&
			stat(file, &st) == 0)
			return (enum input_kind)kind;
	}
	return INPUT_UNKNOWN;
}

bool input_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 || kind_of_prefix(path) != INPUT_UNKNOWN;
}

/* The first kind a directory can be read as, or only this one, and how many it has of it. */
static enum input_kind kind_of_directory(const char *directory, enum input_kind only,
	struct buf *path, size_t *n)
{
	for (int kind = 0; kind < N_INPUTS; kind++) {
		const struct look *look = recognize_get_look((enum input_kind)kind);

		if ((only == INPUT_UNKNOWN || kind == (int)only) && look->claim &&
			(*n = look->claim(directory, path)))
			return (enum input_kind)kind;
	}
	return INPUT_UNKNOWN;
}

static bool has_folder(const char *directory, const char *name)
{
	struct buf path = {0};
	struct stat st;
	bool found;

	buf_printf(&path, "%s/%s", directory, name);
	found = !path.failed && stat(buf_get(&path).at, &st) == 0 && S_ISDIR(st.st_mode);
	buf_clear(&path);
	return found;
}

static enum tfprof_status not_a_directory_of_inputs(const char *directory, struct tfprof_error *err)
{
	struct buf expected = {0};
	enum tfprof_status status;

	if (has_folder(directory, "files") && has_folder(directory, "ops"))
		return error_set(err, TFPROF_IO,
			"cannot read: %.300s: tables of tfprof index, which lack graphs and single "
			"executions: ask them with tfprof sql, or give the files that they were "
			"made of",
			directory);
	for (int kind = 0; kind < N_INPUTS; kind++)
		if (recognize_get_look((enum input_kind)kind)->claim) {
			buf_text(&expected, expected.n ? ", " : "");
			buf_text(&expected, recognize_get_look((enum input_kind)kind)->name);
		}
	status = error_set(err, TFPROF_IO,
		"cannot read: %.300s: a directory without any of: %.*s: name the files in it",
		directory, ERROR_SPAN(buf_get(&expected)));
	buf_clear(&expected);
	return status;
}

static enum tfprof_status resolve_directory(struct tfprof_input *in, enum input_kind *kind,
	struct buf *path, size_t *n, struct tfprof_error *err)
{
	enum input_kind found = kind_of_directory(in->path, *kind, path, n);

	if (path->failed)
		return error_no_memory(err);
	if (found == INPUT_UNKNOWN && *kind == INPUT_UNKNOWN)
		return not_a_directory_of_inputs(in->path, err);
	/* The error for what should be a file says so. */
	if (found == INPUT_UNKNOWN)
		return TFPROF_OK;
	*kind = found;
	in->path = path->at;
	return TFPROF_OK;
}

enum tfprof_status input_resolve(struct tfprof_input *in, enum input_kind *kind, struct buf *path,
	size_t *n, struct tfprof_error *err)
{
	struct stat st;

	*n = 1;
	if (tfprof_input_is_memory(in))
		return TFPROF_OK;
	if (stat(in->path, &st) == 0)
		return S_ISDIR(st.st_mode) ? resolve_directory(in, kind, path, n, err) : TFPROF_OK;
	if (*kind == INPUT_UNKNOWN)
		*kind = kind_of_prefix(in->path);
	return TFPROF_OK;
}

/* For messages: ", compressed with gzip". */
struct packed_text {
	char at[32];
};

static struct packed_text packed(const struct recognized *is)
{
	struct packed_text text = {""};

	if (is->packing)
		snprintf(text.at, sizeof(text.at), ", compressed with %s", is->packing->name);
	return text;
}

static enum tfprof_status wrong_kind(const struct tfprof_input *in, enum input_kind kind,
	const struct recognized *is, struct tfprof_error *err)
{
	const char *name = is->kind == INPUT_UNKNOWN ? NULL : input_get_info(is->kind)->name;

	return error_set(err, TFPROF_FORMAT, "%s: not %s: it looks like %s%s%s%s%s",
		input_name(in, kind), recognize_get_look(kind)->name, is->name, packed(is).at,
		name ? " (give it as " : "", name ? INPUT(name) : "", name ? ")" : "");
}

static enum tfprof_status not_recognized(const struct tfprof_input *in, const struct recognized *is,
	struct tfprof_error *err)
{
	char expected[sizeof(err->text)] = "";
	size_t n = 0;

	for (int kind = 0; kind < N_INPUTS && n < sizeof(expected); kind++)
		n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s%s", kind ? ", " : "",
			recognize_get_look((enum input_kind)kind)->name);
	return error_set(err, TFPROF_FORMAT, "%s: it looks like %s%s: expected one of: %s",
		input_name(in, INPUT_UNKNOWN), is->name, packed(is).at, expected);
}

static enum tfprof_status check_kind(const struct tfprof_input *in, const struct recognized *is,
	enum input_kind *kind, struct tfprof_error *err)
{
	if (*kind == INPUT_UNKNOWN && is->kind == INPUT_UNKNOWN)
		return not_recognized(in, is, err);
	if (*kind == INPUT_UNKNOWN)
		*kind = is->kind;
	/* Memory without a name comes from a program that knows which message it passes. */
	if (is->kind != *kind && (is->is_marked || (in->path && is->is_certain)))
		return wrong_kind(in, *kind, is, err);
	if (tfprof_input_is_memory(in) && is_files(*kind))
		return error_set(err, TFPROF_ARGUMENT, "%s is read from files: give their path",
			input_get_subject(*kind));
	if (is->packing && is_files(*kind))
		return error_set(err, TFPROF_FORMAT,
			"%s: one of several files%s: unpack all of them first (%s)", in->path,
			packed(is).at, is->packing->unpacker);
	return TFPROF_OK;
}

/* ---- opening ------------------------------------------------------------------- */

enum tfprof_status input_convert_text(struct source *s, const struct tfprof_input *in,
	enum input_kind kind, struct tfprof_error *err)
{
	struct tfprof_error why = {0};
	struct buf wire = {0};
	enum tfprof_status status =
		text_to_wire(recognize_get_look(kind)->type, s->bytes, &wire, &why);

	if (status != TFPROF_OK) {
		buf_clear(&wire);
		return error_set(err, status, "%.300s: %s%s", input_name(in, kind), why.text,
			status == TFPROF_FORMAT ? RECOVER_HINT : "");
	}
	source_close(s);
	*s = (struct source){.bytes = buf_get(&wire),
		.owner = wire.at ? SOURCE_HEAP : SOURCE_BORROWED};
	return TFPROF_OK;
}

static enum tfprof_status unpack(struct source *s, const struct packing *packing,
	const struct tfprof_input *in, struct buf *notes, struct tfprof_error *err)
{
	size_t limit = gzip_get_limit(s->bytes.n);
	struct tfprof_error why = {0};
	struct buf out = {0};
	enum tfprof_status status;

	if (!packing)
		return TFPROF_OK;
	status = packing->unpack(s->bytes, limit, input_name(in, INPUT_UNKNOWN), &out, &why);
	if (status == TFPROF_FORMAT && notes && out.n && out.n <= limit) {
		buf_printf(notes, "%s\n", why.text);
		status = TFPROF_OK;
	}
	if (status != TFPROF_OK) {
		size_t out_n = status == TFPROF_FORMAT ? out.n : 0;

		buf_clear(&out);
		return error_set(err, status, "%s%s", why.text,
			out_n && out_n <= limit ? RECOVER_HINT : "");
	}
	source_close(s);
	*s = (struct source){.bytes = buf_get(&out),
		.owner = out.at ? SOURCE_HEAP : SOURCE_BORROWED};
	return TFPROF_OK;
}

enum tfprof_status input_unpack(struct source *s, const struct tfprof_input *in, struct buf *notes,
	struct tfprof_error *err)
{
	return unpack(s, packing_of(s->bytes), in, notes, err);
}

/* Some names say more than the bytes do. */
static enum tfprof_status open_named(struct source *s, const struct tfprof_input *in,
	struct tfprof_error *err)
{
	enum tfprof_status status = source_open(s, in, err);
	const char *reason = status == TFPROF_OK ? xplane_explain(in->path, s->bytes) : NULL;

	return reason ? error_set(err, TFPROF_FORMAT, "%s: %s", in->path, reason) : status;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* One that opens files itself. */
static bool is_left_to_loader(const struct tfprof_input *in, enum input_kind kind)
{
	if (tfprof_input_is_memory(in) || kind == INPUT_UNKNOWN)
		return false;
	return is_files(kind) ||
		(input_get_info(kind)->traits & TFPROF_INPUT_SEVERAL && is_directory(in->path));
}

/* With notes, what is whole of it. */
static enum tfprof_status open_input(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct buf *notes, struct tfprof_error *err)
{
	enum tfprof_status status;
	struct recognized is;
	const struct packing *packing;

	*s = (struct source){0};
	if (is_left_to_loader(in, *kind))
		return TFPROF_OK;
	status = open_named(s, in, err);
	if (status != TFPROF_OK) {
		source_close(s);
		return status;
	}
	packing = packing_of(s->bytes);
	status = unpack(s, packing, in, notes, err);
	is = recognize(s->bytes);
	is.packing = packing;
	if (status == TFPROF_OK)
		status = check_kind(in, &is, kind, err);
	if (status == TFPROF_OK && is.is_text && is.kind == *kind && !is_files(*kind))
		status = notes ? recover_text(s, *kind, input_name(in, *kind), notes, err)
			       : input_convert_text(s, in, *kind, err);
	else if (status == TFPROF_OK && notes && !is_files(*kind))
		status = recover(s, *kind, input_name(in, *kind), notes, err);
	if (status != TFPROF_OK || is_files(*kind))
		source_close(s);
	return status;
}

enum tfprof_status input_open(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct tfprof_error *err)
{
	return open_input(s, in, kind, NULL, err);
}

enum tfprof_status input_recover(struct source *s, const struct tfprof_input *in,
	enum input_kind *kind, struct buf *notes, struct tfprof_error *err)
{
	return open_input(s, in, kind, notes, err);
}

/* ---- only looking --------------------------------------------------------------- */

/* What is packed shows in its first bytes, but for tables, whose mark is their end. */
static struct recognized look_at(struct span bytes)
{
	enum { HEAD = 1 << 20 };
	const struct packing *packing = packing_of(bytes);
	struct buf head = {0};
	struct recognized is;

	if (!packing || !packing->unpack_head(bytes, HEAD, &head))
		is = recognize(bytes);
	else
		is = recognize(buf_get(&head));
	is.packing = head.n ? packing : NULL;
	buf_clear(&head);
	return is;
}

enum tfprof_status input_recognize(const struct tfprof_input *in, enum input_kind *kind,
	struct tfprof_error *err)
{
	struct tfprof_input at = *in;
	struct recognized is;
	struct buf path = {0};
	struct source s = {0};
	enum tfprof_status status;
	size_t n;

	*kind = INPUT_UNKNOWN;
	status = input_resolve(&at, kind, &path, &n, err);
	if (status == TFPROF_OK && *kind == INPUT_UNKNOWN) {
		status = open_named(&s, &at, err);
		if (status == TFPROF_OK) {
			is = look_at(s.bytes);
			/* What cannot be unpacked says why. */
			if (!is.packing)
				status = input_unpack(&s, &at, NULL, err);
			if (status == TFPROF_OK)
				status = check_kind(&at, &is, kind, err);
		}
		source_close(&s);
	}
	if (status == TFPROF_OK && debug_is_on(DEBUG_LOAD))
		debug_print(DEBUG_LOAD, "%s: recognized as %s%s%s", in->path ? in->path : "memory",
			input_get_info(*kind)->name, path.n ? ", of which this is read: " : "",
			path.n ? path.at : "");
	buf_clear(&path);
	return status;
}
