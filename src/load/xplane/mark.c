#include "load/xplane/mark.h"

#include "proto/fields.h"
#include "proto/wire.h"

/* The next field, which must be a message, text or bytes; it may be cut short. */
static bool next_piece(struct wire_reader *r, uint32_t *number, struct span *bytes)
{
	uint64_t tag, n, room;

	if (r->at >= r->end || !wire_varint(r, &tag) || (tag & 7) != WIRE_T_LEN ||
		!wire_varint(r, &n))
		return false;
	room = (uint64_t)(r->end - r->at);
	*number = (uint32_t)(tag >> 3);
	*bytes = (struct span){r->at, (size_t)(n < room ? n : room)};
	r->at += bytes->n;
	return true;
}

static bool is_plane_name(struct span name)
{
	return span_starts(name, SPAN("/host:")) || span_starts(name, SPAN("/device:")) ||
		span_equal(name, SPAN("Task Environment"));
}

/* A plane begins with its id, which may be absent, and its name. A NodeDef, which a
 * graph begins with, has a text where the id would be. */
static bool is_plane(struct span bytes)
{
	struct wire_reader r = wire_reader(bytes);
	uint32_t number;
	struct span name;
	uint64_t id;

	if (bytes.n && bytes.at[0] == (char)WIRE_VARINT(XPLANE_ID)) {
		r.at++;
		if (!wire_varint(&r, &id))
			return false;
	}
	return next_piece(&r, &number, &name) && number == XPLANE_NAME && is_plane_name(name);
}

bool xplane_has_mark(struct span bytes)
{
	enum { ENOUGH = 16 };
	struct wire_reader r = wire_reader(bytes);
	uint32_t number;
	struct span piece;

	for (int i = 0; i < ENOUGH && next_piece(&r, &number, &piece); i++) {
		if (number < XSPACE_PLANES || number > XSPACE_HOSTNAMES)
			return false;
		if (number == XSPACE_PLANES && is_plane(piece))
			return true;
	}
	return false;
}
