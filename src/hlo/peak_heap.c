#include "hlo/peak.h"

/* A buffer in the heap: those that share a place are references to one of them. */
struct place {
	uint32_t canonical;    /* that one; NONE: none so far */
	uint32_t n_references; /* to it */
	bool is_referring;
};

struct heap {
	const struct hlo_buffers *b;
	struct place *places; /* by buffer */
	int64_t bytes;
};

static void start(struct heap *h)
{
	h->bytes = 0;
	for (size_t i = 0; i < h->b->at.n; i++)
		h->places[i] = (struct place){.canonical = NONE};
}

/* Also one that was given back: at an op that updates in place, that happens first. */
static void refer(struct heap *h, uint32_t buffer, uint32_t canonical)
{
	if (h->places[buffer].is_referring)
		return;
	h->places[buffer].canonical = canonical;
	h->places[buffer].is_referring = true;
	if (!h->places[canonical].n_references++)
		hlo_add(&h->bytes, h->b->at.at[canonical].bytes);
}

static void give_back(struct heap *h, uint32_t buffer)
{
	uint32_t canonical = h->places[buffer].canonical;

	if (!h->places[buffer].is_referring)
		return;
	h->places[buffer].is_referring = false;
	if (--h->places[canonical].n_references)
		return;
	h->bytes -= h->b->at.at[canonical].bytes;
	if (h->bytes < 0) /* after a sum that was too large */
		h->bytes = 0;
}

static void replay(struct heap *h, const struct hlo_heap_event *e)
{
	uint32_t canonical;

	switch (e->kind) {
	case HLO_HEAP_ALLOC: refer(h, e->buffer, e->buffer); break;
	case HLO_HEAP_SHARE:
		canonical = h->places[e->shared].canonical;
		refer(h, e->buffer, canonical == NONE ? e->shared : canonical);
		break;
	case HLO_HEAP_FREE: give_back(h, e->buffer); break;
	}
}

bool hlo_peak_of_heap(struct hlo_peak *peak, const struct hlo_buffers *b, uint32_t trace)
{
	const struct hlo_heap_trace *t = &b->traces.at[trace];
	struct heap h = {.b = b, .places = mem_array(b->at.n + 1, sizeof(*h.places))};
	uint32_t at = t->first;
	bool ok = h.places != NULL;

	peak->at = SPAN("");
	for (uint32_t i = t->first; ok && i < t->first + t->n; i++) {
		if (i == t->first)
			start(&h);
		replay(&h, &b->events.at[i]);
		if (h.bytes > peak->bytes) {
			peak->bytes = h.bytes;
			peak->at = b->events.at[i].op;
			at = i;
		}
	}
	/* Once more, up to there. */
	if (ok)
		start(&h);
	for (uint32_t i = t->first; ok && i <= at; i++)
		replay(&h, &b->events.at[i]);
	for (uint32_t i = 0; ok && i < b->at.n; i++)
		if (h.places[i].n_references)
			ok = vec_push(&peak->live, i);
	mem_free(h.places);
	return ok;
}

void hlo_peak_clear(struct hlo_peak *peak)
{
	vec_clear(&peak->live);
}
