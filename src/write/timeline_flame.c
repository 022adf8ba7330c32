/* A flame chart: each shown node is below its parent, after its earlier siblings, as
 * wide as its total time. Every level is a process, except for Perfetto, which finds
 * the levels itself. */
#include <stdio.h>

#include "write/chrome_trace.h"
#include "base/clamped.h"
#include "write/timeline.h"

static void put_level(struct json *j, int64_t depth)
{
	char number[24];

	snprintf(number, sizeof(number), "%lld", (long long)depth);
	chrome_put_process(j, depth, "Scope:", span_of(number), "");
}

static void put_bar(struct json *j, int64_t depth, struct span name, int64_t start_us,
	int64_t duration_us)
{
	chrome_open_event(j, "X", "Op", name, (struct chrome_place){depth, 0}, start_us);
	json_put_int(j, "dur", duration_us);
	chrome_open_args(j);
	json_put_string(j, "name", name);
	json_put_string(j, "op", name);
	chrome_close_args(j);
	chrome_close_event(j);
}

enum tfprof_status timeline_flame_write(struct query *q, struct sink *out, struct tfprof_error *err)
{
	/* Where each row's next child begins; -1: the row is left out. */
	int64_t *next = arena_array(&q->arena, q->n, sizeof(*next));
	struct json j = json_writer(out);
	bool perfetto = timeline_is_for_perfetto(q);
	int32_t deepest = -1;

	if (!next)
		return error_no_memory(err);
	chrome_open(&j);
	if (perfetto)
		chrome_put_process(&j, 1, "", SPAN("Scope"), "");
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t parent = q->parent[i];
		int64_t micros = query_total(q, METRIC_MICROS, i);

		next[i] = i ? next[parent] : 0;
		if (i && (next[parent] < 0 || micros <= 0)) {
			next[i] = -1;
			continue;
		}
		if (i)
			add_clamped(&next[parent], micros);
		if (q->depth[i] > deepest && !perfetto)
			put_level(&j, deepest = q->depth[i]);
		put_bar(&j, perfetto ? 1 : q->depth[i], tree_label(q->tree, q->view[i]), next[i],
			micros);
		if (i % 1024 == 0 && query_cancelled(q))
			break;
	}
	chrome_close(&j);
	return query_check_cancelled(q, err);
}
