/* The totals of a query as a text file for Prometheus: for the node exporter's textfile
 * collector, or a CI dashboard.
 *
 *     # TYPE tfprof_exec_micros gauge
 *     tfprof_exec_micros{view="op",step="average"} 1870939
 */
#include "write/writer.h"

static const char *const view_names[] = {
#define X(id, name, ...) #name,
	TFPROF_VIEW_LIST(X)
#undef X
};

static void put_total(const struct writing *w, const char *name, const char *meaning, int64_t value)
{
	int64_t step = w->q->options->number[OPT_STEP];

	sink_printf(w->out,
		"# HELP tfprof_%s %s\n# TYPE tfprof_%s gauge\ntfprof_%s{view=\"%s\",step=\"", name,
		meaning, name, name, view_names[w->q->kind]);
	if (step < 0)
		sink_text(w->out, "average");
	else
		sink_int(w->out, step);
	sink_printf(w->out, "\"} %lld\n", (long long)value);
}

enum tfprof_status prometheus_write(const struct writing *w, struct tfprof_error *err)
{
	for (enum metric m = 0; m < N_METRICS; m++)
		if (w->q->options->selected & metric_selects(m) && query_has(w->q, m))
			put_total(w, metric_infos[m].column, metric_infos[m].meaning,
				query_total(w->q, m, 0));
	return TFPROF_OK;
}
