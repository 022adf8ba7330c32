#include "load/xplane/plane.h"

/* ---- ids ----------------------------------------------------------------- */

struct id_probe {
	const struct plane_ids *ids;
	uint64_t id;
};

static bool same_id(const void *context, uint32_t place)
{
	const struct id_probe *probe = context;

	return probe->ids->ids.at[place] == probe->id;
}

static uint64_t hash_of_id(uint64_t id)
{
	return hash_bytes(&id, sizeof(id));
}

uint32_t plane_ids_find_sparse(const struct plane_ids *ids, uint64_t id)
{
	struct id_probe probe = {ids, id};

	return hash_find(&ids->index, hash_of_id(id), same_id, &probe);
}

static bool index_by_table(struct plane_ids *ids, size_t n_places)
{
	ids->place = mem_array(n_places, sizeof(*ids->place));
	if (!ids->place)
		return false;
	ids->n_places = n_places;
	memset(ids->place, 0xff, n_places * sizeof(*ids->place));
	for (size_t i = 0; i < ids->ids.n; i++)
		ids->place[ids->ids.at[i]] = (uint32_t)i;
	return true;
}

/* If an id is repeated, the last entry counts in a table and the first in an index; no recorder
 * writes such a file. */
static bool index_ids(struct plane_ids *ids)
{
	uint64_t most = 0;

	for (size_t i = 0; i < ids->ids.n; i++)
		if (ids->ids.at[i] > most)
			most = ids->ids.at[i];
	if (most < 4 * ids->ids.n + 1024)
		return index_by_table(ids, (size_t)most + 1);
	for (size_t i = 0; i < ids->ids.n; i++)
		if (plane_ids_find_sparse(ids, ids->ids.at[i]) == NONE &&
			!hash_add(&ids->index, hash_of_id(ids->ids.at[i]), (uint32_t)i))
			return false;
	return true;
}

static void clear_ids(struct plane_ids *ids)
{
	vec_clear(&ids->ids);
	mem_free(ids->place);
	hash_clear(&ids->index);
}

/* ---- names --------------------------------------------------------------- */

static uint32_t stat_of(struct span name)
{
	static const struct span names[] = {
#define X(id, text) {text, sizeof(text) - 1},
		XSTATS(X)
#undef X
	};
	uint32_t stat = 0;

	while (stat < N_XSTATS && !span_equal(names[stat], name))
		stat++;
	return stat;
}

static void add_stat_name(struct plane *p, struct decoder *d, struct span message)
{
	struct map_entry entry = map_entry_read(d, message);
	struct wire_reader r = wire_reader(entry.value);
	struct stat_name name = {{"", 0}, 0};
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(XSTAT_META_NAME), &f))
		name.text = f.bytes;
	name.stat = stat_of(name.text);
	decoder_alloc(d,
		vec_push(&p->stat_ids.ids, (uint64_t)entry.key) && vec_push(&p->stat_names, name));
}

static void add_event_name(struct plane *p, struct decoder *d, struct span message)
{
	struct map_entry entry = map_entry_read(d, message);
	struct wire_reader r = wire_reader(entry.value);
	struct event_name name = {.text = {"", 0},
		.display = {"", 0},
		.message = entry.value,
		.id = (uint64_t)entry.key};
	struct wire_field f;

	while (decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(XEVENT_META_NAME): name.text = f.bytes; break;
		case WIRE_LEN(XEVENT_META_DISPLAY_NAME): name.display = f.bytes; break;
		}
	decoder_alloc(d,
		vec_push(&p->name_ids.ids, (uint64_t)entry.key) && vec_push(&p->names, name) &&
			vec_push(&p->roles,
				((struct event_role){.kind = event_kind_of(name.text),
					.op = NONE})));
}

/* ---- stats --------------------------------------------------------------- */

static uint64_t from_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (!(value > -9e18 && value < 9e18))
		return 0;
	return (uint64_t)(int64_t)value;
}

void plane_read_stat(const struct plane *p, struct decoder *d, struct span message,
	struct xstats *stats)
{
	struct wire_reader r = wire_reader(message);
	struct xvalue value = {0};
	uint32_t place, stat = N_XSTATS;
	struct wire_field f;

	while (decoder_next(d, &r, &f)) {
		switch (f.tag) {
		case WIRE_VARINT(XSTAT_METADATA_ID):
			place = plane_ids_find(&p->stat_ids, f.value);
			stat = place == NONE ? N_XSTATS : p->stat_names.at[place].stat;
			if (stat == N_XSTATS)
				return;
			break;
		case WIRE_VARINT(XSTAT_UINT64_VALUE):
		case WIRE_VARINT(XSTAT_INT64_VALUE):
			value = (struct xvalue){.number = f.value};
			break;
		case WIRE_I64(XSTAT_DOUBLE_VALUE):
			value = (struct xvalue){.number = from_double(f.value)};
			memcpy(&value.real, &f.value, sizeof(value.real));
			break;
		case WIRE_LEN(XSTAT_STR_VALUE):
		case WIRE_LEN(XSTAT_BYTES_VALUE): value = (struct xvalue){.text = f.bytes}; break;
		case WIRE_VARINT(XSTAT_REF_VALUE):
			value = (struct xvalue){.text = plane_get_text(p, f.value)};
			break;
		}
	}
	if (stat == N_XSTATS)
		return;
	stats->has |= UINT64_C(1) << stat;
	stats->at[stat] = value;
}

void plane_read_name_stats(const struct plane *p, struct decoder *d, const struct event_name *name,
	struct xstats *stats)
{
	struct wire_reader r = wire_reader(name->message);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(XEVENT_META_STATS), &f))
		plane_read_stat(p, d, f.bytes, stats);
}

/* ---- planes -------------------------------------------------------------- */

static enum plane_kind kind_of(struct span name)
{
	static const struct {
		const char *start;
		enum plane_kind kind;
	} kinds[] = {
		{"/host:CPU", PLANE_HOST},
		/* Calls of the drivers of GPUs: some recorders leave them apart. */
		{"/host:CUPTI", PLANE_HOST},
		{"/host:ROCTRACER", PLANE_HOST},
		{"/device:GPU:", PLANE_GPU},
		{"/device:TPU:", PLANE_TPU},
		{"/host:metadata", PLANE_MODULES},
		{"Task Environment", PLANE_TASK},
		{"/host:tfprof", PLANE_SAMPLES},
		{"/device:CUSTOM:", PLANE_NONE},
	};

	/* The cores that look up embeddings are separate devices. */
	if (span_contains(name, SPAN("SparseCore")))
		return PLANE_OTHER;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (span_starts(name, span_of(kinds[i].start)))
			return kinds[i].kind;
	return PLANE_OTHER;
}

int64_t plane_get_ordinal(const struct plane *p)
{
	int64_t ordinal = 0;
	size_t i = sizeof("/device:GPU:") - 1;

	for (; i < p->name.n && p->name.at[i] >= '0' && p->name.at[i] <= '9' && ordinal < 1 << 20;
		i++)
		ordinal = 10 * ordinal + (p->name.at[i] - '0');
	return ordinal;
}

static void index_short_stats(struct plane *p)
{
	for (uint64_t id = 0; id < sizeof(p->short_stats); id++) {
		uint32_t place = plane_ids_find(&p->stat_ids, id);

		p->short_stats[id] =
			place == NONE ? N_XSTATS : (uint8_t)p->stat_names.at[place].stat;
	}
}

/* Called last: reading stats needs the names of all stats. */
static void read_plane_stats(struct plane *p, struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;

	while (decoder_find(d, &r, WIRE_LEN(XPLANE_STATS), &f))
		plane_read_stat(p, d, f.bytes, &p->stats);
}

void plane_read(struct plane *p, struct decoder *d, struct span message)
{
	struct wire_reader r = wire_reader(message);
	struct wire_field f;
	bool has_stats = false;

	p->name = SPAN("");
	while (!d->failed && decoder_next(d, &r, &f))
		switch (f.tag) {
		case WIRE_LEN(XPLANE_NAME): p->name = f.bytes; break;
		case WIRE_LEN(XPLANE_LINES): decoder_alloc(d, vec_push(&p->lines, f.bytes)); break;
		case WIRE_LEN(XPLANE_EVENT_METADATA): add_event_name(p, d, f.bytes); break;
		case WIRE_LEN(XPLANE_STAT_METADATA): add_stat_name(p, d, f.bytes); break;
		case WIRE_LEN(XPLANE_STATS): has_stats = true; break;
		}
	p->kind = kind_of(p->name);
	if (d->failed || !decoder_alloc(d, index_ids(&p->name_ids) && index_ids(&p->stat_ids)))
		return;
	index_short_stats(p);
	if (has_stats)
		read_plane_stats(p, d, message);
}

void plane_clear(struct plane *p)
{
	vec_clear(&p->lines);
	vec_clear(&p->names);
	vec_clear(&p->roles);
	vec_clear(&p->stat_names);
	clear_ids(&p->name_ids);
	clear_ids(&p->stat_ids);
}
