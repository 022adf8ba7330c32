#include "load/profile_parts.h"

#include "base/parallel.h"
#include "proto/fields.h"
#include "proto/wire.h"

enum {
	NODE = WIRE_LEN(PROFILE_NODES), /* an entry of the map of nodes: */
	NODE_KEY = WIRE_VARINT(MAP_KEY),
	NODE_VALUE = WIRE_LEN(MAP_VALUE),
};

struct cut {
	struct span profile;
	struct profile_part *parts;
	const char *begin[PARALLEL_MAX + 1]; /* of each part, guessed; the last: the end */
};

/* The next field, if it is this one. Others are not even looked at: some take
 * reading all that follows. */
static bool next_is(struct wire_reader *r, unsigned char tag, struct wire_field *f)
{
	return r->at < r->end && (unsigned char)*r->at == tag && wire_next(r, f);
}

/* A map entry { key, value } as every writer puts it, and nothing behind. */
static bool is_node(struct span entry)
{
	struct wire_reader r = wire_reader(entry);
	struct wire_field f;

	return next_is(&r, NODE_KEY, &f) && next_is(&r, NODE_VALUE, &f) && r.at == r.end;
}

/* Bytes of a name or an attribute may happen to read as one node, hardly as
 * several in a row. Behind the last node come other fields, or the end. */
static bool looks_like_nodes(struct span bytes)
{
	enum { IN_A_ROW = 4 };
	struct wire_reader r = wire_reader(bytes);
	struct wire_field f;
	int n = 0;

	while (n < IN_A_ROW && next_is(&r, NODE, &f)) {
		if (!is_node(f.bytes))
			return false;
		n++;
	}
	return n && !r.bad;
}

static const char *guess_begin(struct span profile, const char *from, const char *to)
{
	const char *end = profile.at + profile.n, *at;

	for (; from < to; from = at + 1) {
		at = memchr(from, NODE, (size_t)(to - from));
		if (!at)
			break;
		if (looks_like_nodes((struct span){at, (size_t)(end - at)}))
			return at;
	}
	return to;
}

/* From field to field, up to the one that begins at `to` or behind. A step needs
 * bytes that are some cache lines away, and depends on the step before: without
 * prefetching, each would be waited for, and load takes 30 % longer. */
static void walk(struct span profile, const char *from, const char *to, struct profile_part *part)
{
	enum { AHEAD = 2048, LINE = 64 };
	const char *end = profile.at + profile.n, *asked = from;
	struct wire_reader r = wire_reader((struct span){from, (size_t)(end - from)});
	struct wire_field f;

	part->n_nodes = 0;
	while (r.at < to && wire_next(&r, &f)) {
		part->n_nodes += f.tag == NODE;
		if (asked < r.at)
			asked = r.at;
		for (; asked < end && asked - r.at < AHEAD; asked += LINE)
			prefetch_line(asked);
	}
	part->bytes = (struct span){from, (size_t)((r.bad ? end : r.at) - from)};
}

static void walk_part(void *context, size_t i)
{
	struct cut *c = context;

	walk(c->profile, c->begin[i], c->begin[i + 1], &c->parts[i]);
}

void profile_cut(struct span profile, struct profile_part *parts, size_t n)
{
	struct cut c = {.profile = profile, .parts = parts};
	const char *at = profile.at;

	c.begin[0] = profile.at;
	for (size_t i = 1; i <= n; i++) {
		const char *from = profile.at + parallel_begin(profile.n, n, i);

		if (from < c.begin[i - 1])
			from = c.begin[i - 1];
		c.begin[i] = i == n ? profile.at + profile.n
				    : guess_begin(profile, from,
					      profile.at + parallel_begin(profile.n, n, i + 1));
	}
	parallel_run(n, walk_part, &c);
	for (size_t i = 0; i < n; i++) {
		if (at != c.begin[i])
			walk(profile, at, c.begin[i + 1], &parts[i]);
		at = parts[i].bytes.at + parts[i].bytes.n;
	}
}
