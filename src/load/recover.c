#include "load/recover.h"

#include "load/counts.h"
#include "load/recognize.h"
#include "proto/sniff.h"
#include "proto/text.h"
#include "proto/wire_write.h"

/* Messages whose fields are dropped one by one. They do not hold each other in a circle, so
 * that going into them ends. */
static const char *const containers[] = {"StepStats", "DeviceStepStats", "XPlane", "XLine",
	"MetaGraphDef", "GraphDef", "FunctionDefLibrary", "FunctionDef"};

struct drop {
	size_t from, n;
	size_t line; /* of a text, else 0 */
};

struct recovery {
	struct span whole; /* all bytes, for offsets */
	struct buf out;
	VEC(struct drop) drops;
	size_t n_messages; /* that were dropped, as far as their beginnings are known */
	size_t n_missing;  /* bytes, of what goes beyond the end */
	size_t work_left;  /* bytes that may still be searched for a place to go on */
	struct decoder decoder;
};

/* A field of a message from `at` on. */
struct place {
	struct wire_field f;
	const struct schema_field *field; /* NULL: unknown, or of another wire type */
	const char *end;                  /* NULL: it has none within the message */
};

static bool is_container_type(const struct schema_message *type)
{
	for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++)
		if (strcmp(type->name, containers[i]) == 0)
			return true;
	return false;
}

static bool is_container(const struct schema_field *field)
{
	return field && field->kind == SCHEMA_MESSAGE && is_container_type(field->of.message);
}

static struct place look_at(const struct schema_message *type, const char *at, const char *end)
{
	struct wire_reader r = wire_reader((struct span){at, (size_t)(end - at)});
	struct field_counts counts = {0};
	struct place p = {0};

	if (!wire_next(&r, &p.f))
		return p;
	p.end = r.at;
	p.field = audit_field(type, p.f.tag, &counts);
	return p;
}

/* Whether a field that was found is well-formed at every depth. */
static bool is_whole(struct recovery *r, const struct place *p, struct field_counts *counts)
{
	struct decoder d = {0};

	if (!p->end)
		return false;
	if (p->field && p->field->kind == SCHEMA_MESSAGE)
		audit_message(&d, p->field->of.message, p->f.bytes, counts);
	if (d.failed && !d.bad)
		decoder_fail(&r->decoder, NULL);
	return !d.failed;
}

/* Whether it is a known field without anything unknown in it. */
static bool is_known(struct recovery *r, const struct place *p)
{
	struct field_counts counts = {0};

	if (!p->field || p->f.bytes.n > r->work_left)
		return false;
	r->work_left -= p->f.bytes.n;
	return is_whole(r, p, &counts) && !counts.n_unknown && !counts.n_mistyped;
}

/* Whether fields go on here: a few known ones, or some up to the end. */
static bool goes_on(struct recovery *r, const struct schema_message *type, const char *at,
	const char *end)
{
	enum { ENOUGH = 3 };

	for (int n = 0; n < ENOUGH && at < end; n++) {
		struct place p = look_at(type, at, end);

		if (!is_known(r, &p))
			return false;
		at = p.end;
	}
	return true;
}

/* Whether a message has a name, as nodes and entries do: the first text of its type, if it
 * has any. Of an entry of a map, its value counts. */
static bool has_name(const struct schema_message *type, struct span message, bool is_entry)
{
	const struct schema_field *name = NULL,
				  *value = is_entry ? audit_find(type, MAP_VALUE) : NULL;
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	for (uint32_t i = type->n_fields; i--;)
		if (type->fields[i].kind == SCHEMA_STRING)
			name = &type->fields[i];
	while (wire_next(&r, &f)) {
		if (name && f.tag >> 3 == name->number && f.bytes.n)
			return sniff_is_text(f.bytes);
		if (value && f.tag >> 3 == MAP_VALUE && value->kind == SCHEMA_MESSAGE)
			return has_name(value->of.message, f.bytes, false);
	}
	return !name && !value;
}

/* Some bytes within a message look like fields of the one around it. What must hold for a
 * place to go on from is more than for one that a length led to. */
static bool begins_here(struct recovery *r, const struct schema_message *type, const char *at,
	const char *end)
{
	struct place p = look_at(type, at, end);

	return p.f.bytes.n && p.field && p.field->kind == SCHEMA_MESSAGE &&
		schema_is_repeated(p.field) && is_known(r, &p) &&
		has_name(p.field->of.message, p.f.bytes, p.field->how == SCHEMA_MAP) &&
		goes_on(r, type, p.end, end);
}

static const char *find_next(struct recovery *r, const struct schema_message *type, const char *at,
	const char *end)
{
	while (++at < end && r->work_left && !r->decoder.failed)
		if (begins_here(r, type, at, end))
			return at;
	return end;
}

static void drop(struct recovery *r, const char *from, const char *to)
{
	struct drop dropped = {(size_t)(from - r->whole.at), (size_t)(to - from), 0};
	struct drop *last = r->drops.n ? &r->drops.at[r->drops.n - 1] : NULL;

	if (last && last->from + last->n == dropped.from)
		last->n += dropped.n;
	else
		decoder_alloc(&r->decoder, vec_push(&r->drops, dropped));
}

/* A container that goes beyond the end was cut: its content ends where the bytes do. */
static bool enter(struct recovery *recovery, const struct schema_message *type, const char *at,
	const char *end, struct place *p)
{
	struct wire_reader r = wire_reader((struct span){at, (size_t)(end - at)});
	uint64_t tag, n;

	if (p->end)
		return is_container(p->field);
	if (!wire_varint(&r, &tag) || (tag & 7) != WIRE_T_LEN || tag > UINT32_MAX ||
		!wire_varint(&r, &n))
		return false;
	p->field = audit_find(type, (uint32_t)tag >> 3);
	p->f.bytes = (struct span){r.at, (size_t)(end - r.at)};
	if (!is_container(p->field))
		return false;
	p->end = end;
	if (!recovery->n_missing)
		recovery->n_missing = (size_t)n - p->f.bytes.n;
	return true;
}

/* Files of debug information are known by their position: behind a gap, it would be that of
 * another. */
static bool is_misplaced(const struct recovery *r, const struct schema_message *type,
	const struct place *p)
{
	return type == &schema_graph_debug_info && r->drops.n && p->field &&
		p->field->number == GRAPH_DEBUG_INFO_FILES;
}

static void recover_message(struct recovery *r, const struct schema_message *type,
	struct span message)
{
	const char *at = message.at, *end = at + message.n, *next;

	while (at < end && !r->decoder.failed) {
		struct place p = look_at(type, at, end);
		struct field_counts counts = {0};

		/* An unknown field may be a newer one, if what follows is known. */
		if (is_misplaced(r, type, &p)) {
			drop(r, at, p.end);
			at = p.end;
		} else if (is_whole(r, &p, &counts) && (p.field || goes_on(r, type, p.end, end))) {
			buf_put(&r->out, at, (size_t)(p.end - at));
			at = p.end;
		} else if (enter(r, type, at, end, &p)) {
			size_t open = wire_open(&r->out, p.field->number);

			recover_message(r, p.field->of.message, p.f.bytes);
			wire_close(&r->out, open);
			at = p.end;
		} else {
			next = p.end && goes_on(r, type, p.end, end) ? p.end
								     : find_next(r, type, at, end);
			r->n_messages++;
			drop(r, at, next);
			at = next;
		}
	}
}

static void put_note(const struct recovery *r, const struct recovered_links *links,
	const char *name, struct buf *notes)
{
	enum { MOST = 5 };
	const char *before = "; lost with them: ";
	size_t n_bytes = 0;

	for (size_t i = 0; i < r->drops.n; i++)
		n_bytes += r->drops.at[i].n;
	buf_printf(notes, "%s: recovered: dropped %zu of %zu bytes (%zu damaged message%s)", name,
		n_bytes, r->whole.n, r->n_messages, r->n_messages == 1 ? "" : "s");
	for (size_t i = 0; i < r->drops.n && i < MOST; i++) {
		buf_printf(notes, "%s%zu from byte %zu on", i ? ", " : ": ", r->drops.at[i].n,
			r->drops.at[i].from);
		if (r->drops.at[i].line)
			buf_printf(notes, " (line %zu)", r->drops.at[i].line);
	}
	if (r->drops.n > MOST)
		buf_printf(notes, ", and %zu more places", r->drops.n - MOST);
	if (r->n_missing)
		buf_printf(notes, "; %zu bytes are missing at its end", r->n_missing);
	counts_put_phrase(notes, &before, links->n_inputs, "input", "inputs");
	counts_put_phrase(notes, &before, links->n_stacks, "call stack", "call stacks");
	if (links->n_steps)
		buf_printf(notes, "%sthe list of steps (%zu found in nodes)", before,
			links->n_steps);
	buf_char(notes, '\n');
}

/* Replaces the bytes if anything was dropped. */
static enum tfprof_status replace(struct recovery *r, struct source *s, enum input_kind kind,
	const char *name, struct buf *notes, struct tfprof_error *err)
{
	struct recovered_links links = {0};
	struct buf linked = {0};

	if (r->decoder.failed || r->out.failed ||
		!recover_links(buf_get(&r->out), kind, &linked, &links) ||
		!buf_reserve(&linked, 1)) {
		buf_clear(&linked);
		return error_no_memory(err);
	}
	put_note(r, &links, name, notes);
	if (notes->failed) { /* nobody would know */
		buf_clear(&linked);
		return error_no_memory(err);
	}
	source_close(s);
	*s = (struct source){.bytes = buf_get(&linked), .owner = SOURCE_HEAP};
	return TFPROF_OK;
}

enum tfprof_status recover(struct source *s, enum input_kind kind, const char *name,
	struct buf *notes, struct tfprof_error *err)
{
	const struct schema_message *type = audit_get_type(kind);
	struct recovery r = {.whole = s->bytes, .work_left = 64 * s->bytes.n + (1 << 20)};
	enum tfprof_status status = TFPROF_OK;

	if (!type || !s->bytes.n)
		return TFPROF_OK;
	recover_message(&r, type, s->bytes);
	if (r.drops.n || r.n_missing || r.decoder.failed || r.out.failed)
		status = replace(&r, s, kind, name, notes, err);
	buf_clear(&r.out);
	vec_clear(&r.drops);
	return status;
}

/* The drops of a text, with its lines. */
static void take_drops(struct recovery *r, const text_drops *drops)
{
	for (size_t i = 0; i < drops->n; i++) {
		struct text_drop d = drops->at[i];

		decoder_alloc(&r->decoder,
			vec_push(&r->drops, ((struct drop){d.from, d.n, d.line})));
	}
	r->n_messages = drops->n;
}

enum tfprof_status recover_text(struct source *s, enum input_kind kind, const char *name,
	struct buf *notes, struct tfprof_error *err)
{
	struct recovery r = {.whole = s->bytes};
	text_drops drops = {0};
	enum tfprof_status status = text_recover(recognize_get_look(kind)->type, s->bytes,
		is_container_type, &r.out, &drops, err);

	if (status == TFPROF_OK && drops.n) {
		take_drops(&r, &drops);
		status = replace(&r, s, kind, name, notes, err);
	} else if (status == TFPROF_OK) {
		source_close(s);
		*s = (struct source){.bytes = buf_get(&r.out),
			.owner = r.out.at ? SOURCE_HEAP : SOURCE_BORROWED};
		r.out = (struct buf){0};
	}
	buf_clear(&r.out);
	vec_clear(&r.drops);
	vec_clear(&drops);
	return status;
}
