/* The names of a tree's nodes against what is to be shown and to be hidden: what
 * takes the time of many a query, so it is done in parts, at the same time. */
#include "base/parallel.h"
#include "base/prefetch.h"
#include "query/query.h"

struct job {
	struct query *q;
	size_t n, parts;
	/* Expressions are for one thread at a time; those of part 0 are the query's. */
	struct regexes *show[PARALLEL_MAX], *hide[PARALLEL_MAX];
};

PREFETCHES prefetch_label(const struct job *job, size_t v, size_t end)
{
	enum { AHEAD = 8 };
	struct span label;

	if (end - v <= 2 * AHEAD || !(job->q->flags[v + AHEAD] & ROW_SHOWN))
		return;
	label = *tree_label_at(job->q->tree, (uint32_t)v + AHEAD);
	prefetch_bytes(label.at, label.n);
	__builtin_prefetch(tree_label_at(job->q->tree, (uint32_t)v + 2 * AHEAD));
}

static void filter_part(void *context, size_t part)
{
	struct job *job = context;
	struct query *q = job->q;
	size_t end = parallel_begin(job->n, job->parts, part + 1);

	for (size_t v = parallel_begin(job->n, job->parts, part); v < end; v++) {
		prefetch_label(job, v, end);
		if (v % 4096 == 0 && query_cancelled(q))
			return;
		if (v && q->flags[v] & ROW_SHOWN &&
			!regexes_let_show(job->show[part], job->hide[part],
				tree_label(q->tree, (uint32_t)v)))
			q->flags[v] &= (uint8_t)~ROW_SHOWN;
	}
}

/* The same expressions for every part. */
static enum tfprof_status copy_regexes(struct job *job, struct tfprof_error *err)
{
	const struct tfprof_options *o = job->q->options;
	const struct word_list *show = &o->list[OPT_SHOW_NAME_REGEXES];
	const struct word_list *hide = &o->list[OPT_HIDE_NAME_REGEXES];
	enum tfprof_status status = TFPROF_OK;

	job->show[0] = job->q->show;
	job->hide[0] = job->q->hide;
	for (size_t i = 1; status == TFPROF_OK && i < job->parts; i++) {
		status = regexes_new(&job->show[i], "show_name_regexes", show->at, show->n, err);
		if (status == TFPROF_OK)
			status = regexes_new(&job->hide[i], "hide_name_regexes", hide->at, hide->n,
				err);
	}
	return status;
}

enum tfprof_status query_filter_names(struct query *q, size_t n, struct tfprof_error *err)
{
	enum { LEAST_PART = 4096 };
	struct job job = {.q = q, .n = n, .parts = parallel_parts(n, LEAST_PART)};
	enum tfprof_status status;

	if (regexes_accept_all(q->show) && !regexes_count(q->hide))
		return TFPROF_OK;
	status = copy_regexes(&job, err);
	if (status == TFPROF_OK)
		parallel_run(job.parts, filter_part, &job);
	for (size_t i = 1; i < job.parts; i++) {
		if (status == TFPROF_OK)
			status = regexes_check(job.show[i], err);
		if (status == TFPROF_OK)
			status = regexes_check(job.hide[i], err);
		regexes_free(job.show[i]);
		regexes_free(job.hide[i]);
	}
	return status == TFPROF_OK ? query_check_cancelled(q, err) : status;
}
