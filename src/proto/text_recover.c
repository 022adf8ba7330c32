/* What is whole of a text that is damaged or cut short.
 *
 *     node {          node {          node {
 *       name: "a"       name: "b        name: "c"
 *     }               }               }
 *     kept            dropped         kept
 *
 * At an error, all of the field that it is in is taken back, and reading goes on where a message
 * of an open container begins: at a line as far indented as its other fields, or after a closing
 * bracket. The text is gone through once. */
#include "proto/text_parser.h"

struct recovery {
	struct parser p;
	bool (*is_container)(const struct schema_message *);
	text_drops *drops;
	const char *counted; /* lines up to here … */
	size_t line;         /* … are this many, and one */
};

/* Leaves only containers open, and takes back the field that the innermost is at. Returns where
 * that begins. */
static const char *take_back(struct recovery *r)
{
	struct parser *p = &r->p;
	size_t keep = 1;
	struct frame *f;

	while (keep < p->frames.n && r->is_container(p->frames.at[keep].type))
		keep++;
	p->frames.n = keep;
	f = top(p);
	p->out->n = f->mark.out;
	p->longer.n = f->mark.longer;
	f->extra = f->mark.extra;
	f->list = NULL;
	if (f->packed && f->packed_open > f->mark.out)
		f->packed = NULL;
	return f->mark.at;
}

/* The indentation of what begins here; SIZE_MAX if something is before it in its line. */
static size_t indentation(const struct recovery *r, const char *at)
{
	enum { MOST = 1000 };
	const char *begin = at;

	while (begin > r->p.scan.start && at - begin < MOST &&
		(begin[-1] == ' ' || begin[-1] == '\t'))
		begin--;
	return begin == r->p.scan.start || begin[-1] == '\n' ? (size_t)(at - begin) : SIZE_MAX;
}

static bool follows_bracket(const struct recovery *r, const char *at)
{
	while (at > r->p.scan.start && scan_is(at[-1], SCAN_SPACE))
		at--;
	return at > r->p.scan.start && strchr("}>],;", at[-1]);
}

/* Comments are not skipped: one after each name would be gone through for each. */
static bool opens_message(const struct recovery *r, const char *at)
{
	while (at < r->p.scan.end && (scan_is(*at, SCAN_SPACE) || *at == ':'))
		at++;
	return at < r->p.scan.end && (*at == '{' || *at == '<');
}

static bool has_message(const struct schema_message *type, struct span name)
{
	for (uint32_t i = 0; i < type->n_fields; i++)
		if (type->fields[i].kind == SCHEMA_MESSAGE && type->fields[i].name_n == name.n &&
			memcmp(type->fields[i].name, name.at, name.n) == 0)
			return true;
	return false;
}

/* How many frames stay open if reading goes on with this name; 0 if it cannot. */
static size_t frames_for(const struct recovery *r, struct span name)
{
	size_t indent = indentation(r, name.at);

	if (!opens_message(r, name.at + name.n) ||
		(indent == SIZE_MAX && !follows_bracket(r, name.at)))
		return 0;
	for (size_t i = r->p.frames.n; i-- > 0;) {
		const struct frame *f = &r->p.frames.at[i];

		if (has_message(f->type, name) &&
			(indent == SIZE_MAX || indent == indentation(r, f->mark.at)))
			return i + 1;
	}
	return 0;
}

/* Finds where reading goes on, or the end, and closes the messages that end before. */
static void find_next(struct recovery *r, const char *at)
{
	struct text_scan *s = &r->p.scan;
	size_t keep = 1;

	for (s->at = at; s->at < s->end; s->at++) {
		const char *begin = s->at;
		struct span name = scan_name(s);

		if (!name.n)
			continue;
		if (begin > s->start && scan_is(begin[-1], SCAN_LETTER | SCAN_DIGIT)) {
			s->at--;
			continue;
		}
		keep = frames_for(r, name);
		if (keep) {
			s->at = begin;
			break;
		}
		s->at--; /* onto its last character */
	}
	while (r->p.frames.n > (keep ? keep : 1))
		parser_pop(&r->p);
}

static bool add_drop(struct recovery *r, const char *from)
{
	const char *to = r->p.scan.at;
	struct text_drop drop = {(size_t)(from - r->p.scan.start), (size_t)(to - from), 0};

	for (; r->counted < from; r->counted++)
		r->line += *r->counted == '\n';
	drop.line = r->line;
	return vec_push(r->drops, drop);
}

static enum tfprof_status run(struct recovery *r, struct tfprof_error *err)
{
	struct parser *p = &r->p;
	enum tfprof_status status;

	while ((status = parser_run(p)) == TFPROF_FORMAT) {
		const char *from = take_back(r);

		find_next(r, p->scan.bad > from ? p->scan.bad : from + (from < p->scan.end));
		if (p->out->failed || !add_drop(r, from))
			return error_no_memory(err);
	}
	return status == TFPROF_OK ? parser_finish(p) : error_no_memory(err);
}

enum tfprof_status text_recover(const struct schema_message *type, struct span text,
	bool (*is_container)(const struct schema_message *), struct buf *out, text_drops *drops,
	struct tfprof_error *err)
{
	struct recovery r = {.is_container = is_container, .drops = drops, .line = 1};
	/* No texts of errors: the line of each would be counted from the first one on. */
	enum tfprof_status status = parser_init(&r.p, type, text, out, NULL);

	r.p.marks_fields = true;
	r.counted = r.p.scan.start;
	status = status == TFPROF_OK ? run(&r, err) : error_no_memory(err);
	parser_clear(&r.p);
	return status;
}
