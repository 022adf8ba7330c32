/* A distributed run: links between tasks, parameter servers, waiting.
 *
 * All of it comes from the RecvTensor entries of the run metadata. */
#include "advise/advise.h"
#include "advise/links.h"
#include "advise/parameter_servers.h"
#include "advise/waiting.h"
#include "base/sort.h"
#include "query/format.h"

static const struct tfprof_checker_option_info options[] = {
	{"ps_job", "ps", "Name of the job whose tasks hold the variables."},
	{"max_links", "20", "Number of links, parameter servers and workers to list."},
	{"top", "3", "Number of slowest tensors to list."},
	{"imbalance_warning", "0.5",
		"Minimum imbalance of the parameter servers for a warning (0: even, 1: one has "
		"all)."},
	{"imbalance_high", "0.9", "Minimum imbalance for level high."},
	{"wait_notice", "0.1", "Minimum share of its step a worker waits in RecvTensor."},
	{"wait_warning", "0.3", "Minimum share for a warning."},
	{"wait_high", "0.6", "Minimum share for level high."},
	{"outlier_score", "3.5", "Modified z-score above which a link is slow."},
	{"outlier_factor", "2",
		"Minimum time per byte of a slow link, as a multiple of the median."},
	{NULL, NULL, NULL},
};

struct job {
	struct check *c;
	const struct activity *a;
	links_vec links, copies;
	struct parameter_servers servers;
	int64_t max_lines;
};

static struct span task_name(const struct job *j, uint32_t task)
{
	return task == NONE ? (struct span){"?", 1} : j->a->devices.tasks.at[task].name;
}

static void put_link(struct job *j, uint32_t from, uint32_t to)
{
	device_put_task(&j->c->text, task_name(j, from));
	buf_text(&j->c->text, " -> ");
	device_put_task(&j->c->text, task_name(j, to));
}

static void put_bandwidth(struct buf *b, int64_t bytes, int64_t micros)
{
	double mbits = micros > 0 ? (double)bytes * 8 / (double)micros : 0;

	buf_printf(b, mbits >= 1000 ? "%.2fGb/s" : "%.2fMb/s",
		mbits >= 1000 ? mbits / 1000 : mbits);
}

/* A count per step, with a decimal if it is not whole. */
static void put_count(struct buf *b, int64_t n, int64_t n_steps)
{
	if (n % n_steps == 0)
		buf_int(b, n / n_steps);
	else
		buf_printf(b, "%.1f", (double)n / (double)n_steps);
}

static struct place transfer_place(const struct job *j, const struct step_transfer *t)
{
	bool copy = t->entry.kind != TRANSFER_TENSOR;

	return (struct place){.device = activity_device(j->a, t->device)->name,
		.node = copy ? t->entry.name : t->entry.tensor,
		.micros = transfer_us(t),
		.bytes = t->entry.bytes};
}

/* ---- links ------------------------------------------------------------------------ */

/* "4 transfers, 786.43KB, 2.85ms per step, 2.21Gb/s; longest 2.13ms: NAME" */
static void put_figures(struct buf *b, const struct link *link, const char *per_step,
	struct span longest)
{
	put_count(b, link->n_transfers, link->n_steps);
	buf_text(b, link->n_transfers == link->n_steps ? " transfer, " : " transfers, ");
	if (link->bytes) {
		format_number(b, UNIT_BYTES, link->bytes / link->n_steps);
		buf_text(b, ", ");
	}
	format_number(b, UNIT_MICROS, link->time_us / link->n_steps);
	buf_text(b, per_step);
	if (link->bytes) {
		buf_text(b, ", ");
		put_bandwidth(b, link->bytes, link->busy_us);
	}
	buf_text(b, "; longest ");
	format_number(b, UNIT_MICROS, transfer_us(link->longest));
	if (longest.n) {
		buf_text(b, ": ");
		buf_span(b, longest);
	}
}

static void find_link(struct job *j, const struct link *link, const char *what)
{
	struct finding *f = check_find(j->c, what, TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);

	f->remedy = "Start with what takes the most time: send fewer, smaller or 16-bit tensors.";
	f->stake_us = link->time_us / link->n_steps;
	f->stake_bytes = link->bytes / link->n_steps;
	if (link->kind == TRANSFER_TENSOR) {
		f->from = task_name(j, link->from);
		f->to = task_name(j, link->to);
	}
	check_place(j->c, f, transfer_place(j, link->longest));
	check_figure(j->c, f, "transfers", (double)link->n_transfers / (double)link->n_steps);
	check_figure(j->c, f, "bytes", (double)link->bytes / (double)link->n_steps);
	check_figure(j->c, f, "micros", (double)link->time_us / (double)link->n_steps);
	check_figure(j->c, f, "busy_micros", (double)link->busy_us / (double)link->n_steps);
	check_figure(j->c, f, "mean_micros", (double)link->time_us / (double)link->n_transfers);
	check_figure(j->c, f, "longest_micros", (double)transfer_us(link->longest));
	if (link->busy_us)
		check_figure(j->c, f, "bits_per_second",
			(double)link->bytes * 8e6 / (double)link->busy_us);
}

static void report_links(struct job *j)
{
	size_t shown = 0;

	for (; shown < j->links.n && (int64_t)shown < j->max_lines; shown++) {
		const struct link *link = &j->links.at[shown];

		buf_text(&j->c->text, "link ");
		put_link(j, link->from, link->to);
		buf_text(&j->c->text, ": ");
		put_figures(&j->c->text, link, check_per_step(j->c), link->longest->entry.tensor);
		find_link(j, link, "link");
	}
	if (shown < j->links.n) {
		buf_printf(&j->c->text, "and %zu more links that took less time",
			j->links.n - shown);
		check_find(j->c, "more_links", TFPROF_LEVEL_NONE, CONFIDENCE_HIGH)->remedy =
			"Raise max_links to list them.";
	}
}

static void report_copies(struct job *j)
{
	static const char *const ways[] = {
		[TRANSFER_TO_DEVICE] = "to the device",
		[TRANSFER_TO_HOST] = "to the host",
		[TRANSFER_ON_DEVICE] = "between devices",
		[TRANSFER_COPY] = "in unknown direction",
	};

	for (size_t i = 0; i < j->copies.n && (int64_t)i < j->max_lines; i++) {
		const struct link *link = &j->copies.at[i];

		buf_printf(&j->c->text, "copies %s on ", ways[link->kind]);
		buf_span(&j->c->text, activity_device(j->a, link->device)->name);
		buf_text(&j->c->text, ": ");
		put_figures(&j->c->text, link, check_per_step(j->c), link->longest->entry.name);
		find_link(j, link, "copies");
	}
}

static double micros_per_byte(const struct link *link)
{
	return (double)link->busy_us / (double)link->bytes;
}

static void report_slow_link(struct job *j, const struct link *link, double factor, double score)
{
	struct buf *b = &j->c->text;
	struct finding *f;

	buf_text(b, "slow link ");
	put_link(j, link->from, link->to);
	buf_text(b, ": ");
	put_bandwidth(b, link->bytes, link->busy_us);
	buf_printf(b, ", %.1f times slower than usual between these jobs", factor);
	f = check_find(j->c, "slow_link", TFPROF_LEVEL_WARNING, CONFIDENCE_MEDIUM);
	f->stake_us = to_int((double)link->busy_us * (1 - 1 / factor)) / link->n_steps;
	f->from = task_name(j, link->from);
	f->to = task_name(j, link->to);
	f->remedy = "Check the network between the two machines, and what else they run.";
	check_place(j->c, f, transfer_place(j, link->longest));
	check_figure(j->c, f, "score", score);
	check_figure(j->c, f, "factor", factor);
}

/* Groups links by the jobs at their ends; group 0: not compared. */
static bool group_links(struct job *j, struct strings *kinds, uint32_t *group, size_t n)
{
	struct buf key = {0};
	bool ok = strings_init(kinds);

	for (size_t i = 0; ok && i < n; i++) {
		const struct link *link = &j->links.at[i];

		if (link->from == NONE || !link->bytes)
			continue;
		key.n = 0;
		buf_span(&key, j->a->devices.tasks.at[link->from].job);
		buf_text(&key, " -> ");
		buf_span(&key, j->a->devices.tasks.at[link->to].job);
		group[i] = key.failed ? NONE : strings_add(kinds, buf_get(&key));
		ok = group[i] != NONE;
	}
	buf_clear(&key);
	return ok;
}

/* A link is compared with the others between the same two jobs. If there are very many
 * links, the busiest are enough. */
static bool find_slow_links(struct job *j)
{
	enum { MAX_LINKS = 1000, MIN_LINKS = 3 };
	double limit = check_number(j->c, "outlier_score"),
	       factor = check_number(j->c, "outlier_factor");
	size_t n = j->links.n < MAX_LINKS ? j->links.n : MAX_LINKS;
	double *values = check_alloc(j->c, n, sizeof(*values));
	uint32_t *group = check_alloc(j->c, n, sizeof(*group));
	struct strings kinds = {0};
	bool ok = values && group && group_links(j, &kinds, group, n);

	for (uint32_t g = 1; ok && g < kinds.text.n; g++) {
		struct stats_spread spread;
		size_t n_links = 0;

		for (size_t i = 0; i < n; i++)
			if (group[i] == g)
				values[n_links++] = micros_per_byte(&j->links.at[i]);
		if (n_links < MIN_LINKS)
			continue;
		spread = stats_spread(values, n_links);
		for (size_t i = 0; i < n; i++) {
			double value = group[i] == g ? micros_per_byte(&j->links.at[i]) : 0;
			double score = stats_score(&spread, value);

			if (group[i] == g && score > limit && value >= factor * spread.median)
				report_slow_link(j, &j->links.at[i], value / spread.median, score);
		}
	}
	strings_clear(&kinds);
	return ok;
}

/* ---- tensors ----------------------------------------------------------------------- */

static bool seen_before(const struct job *j, const struct sort_item *items, size_t i)
{
	const struct step_transfer *t = &j->a->transfers.at[items[i].id];

	for (size_t k = 0; k < i; k++) {
		const struct step_transfer *other = &j->a->transfers.at[items[k].id];

		if (other->from == t->from && other->to == t->to &&
			span_equal(other->entry.tensor, t->entry.tensor))
			return true;
	}
	return false;
}

static bool report_tensors(struct job *j)
{
	/* A tensor comes once per step, so the slowest few distinct ones are among these. */
	enum { MAX_CANDIDATES = 1000 };
	const struct activity *a = j->a;
	struct sort_item *items = check_alloc(j->c, a->transfers.n, sizeof(*items));
	struct sort_item *scratch = check_alloc(j->c, a->transfers.n, sizeof(*scratch));
	int64_t top = check_int(j->c, "top"), shown = 0;
	struct buf *b = &j->c->text;
	VEC(struct place) places = {0};
	struct finding *f;
	size_t n = 0;

	if (!items || !scratch)
		return false;
	for (size_t i = 0; i < a->transfers.n; i++) {
		const struct transfer_entry *t = &a->transfers.at[i].entry;

		if (t->kind == TRANSFER_TENSOR && t->bytes && t->tensor.n)
			items[n++] =
				(struct sort_item){sort_key_descending(t->end_us - t->start_us),
					(uint32_t)i};
	}
	if (n)
		sort_items(items, scratch, n);
	for (size_t i = 0; i < n && i < MAX_CANDIDATES && shown < top; i++) {
		const struct step_transfer *t = &a->transfers.at[items[i].id];

		if (seen_before(j, items, i))
			continue;
		buf_text(b, shown ? "\n" : "");
		buf_printf(b, "slowest tensor %lld: ", (long long)++shown);
		buf_span(b, t->entry.tensor);
		buf_text(b, ", ");
		format_number(b, UNIT_BYTES, t->entry.bytes);
		buf_text(b, " in ");
		format_number(b, UNIT_MICROS, transfer_us(t));
		buf_text(b, ", ");
		put_link(j, t->from, t->to);
		if (!vec_push(&places, transfer_place(j, t)))
			j->c->advice->failed = true;
	}
	if (shown) {
		f = check_find(j->c, "slowest_tensors", TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);
		f->remedy = "Partition large tensors, or keep them where they are used.";
		for (size_t i = 0; i < places.n; i++)
			check_place(j->c, f, places.at[i]);
	}
	vec_clear(&places);
	return true;
}

/* ---- parameter servers --------------------------------------------------------------- */

static void report_server(struct job *j, const struct parameter_server *server)
{
	struct buf *b = &j->c->text;
	struct finding *f;

	buf_text(b, "parameter server ");
	device_put_task(b, server->task);
	buf_printf(b, ": %lld variable%s, ", (long long)server->n_variables,
		server->n_variables == 1 ? "" : "s");
	format_number(b, UNIT_BYTES, server->bytes);
	buf_text(b, ", ");
	format_number(b, UNIT_COUNT, server->parameters);
	buf_text(b, " parameters, ");
	format_number(b, UNIT_BYTES, server->moved_bytes);
	buf_text(b, " moved per step");
	f = check_find(j->c, "parameter_server", TFPROF_LEVEL_NONE, CONFIDENCE_HIGH);
	f->remedy = "Nothing, unless one holds or moves much more than the others.";
	f->stake_bytes = server->moved_bytes;
	check_place(j->c, f,
		(struct place){.device = check_copy(j->c, server->task), .bytes = server->bytes});
	check_figure(j->c, f, "variables", (double)server->n_variables);
	check_figure(j->c, f, "bytes", (double)server->bytes);
	check_figure(j->c, f, "parameters", (double)server->parameters);
	check_figure(j->c, f, "moved_bytes", (double)server->moved_bytes);
}

/* The load of a server: bytes of its variables, or of its traffic. */
static int64_t load_of(const struct parameter_server *server, bool variables)
{
	return variables ? server->bytes : server->moved_bytes;
}

/* Whether the load was found uneven. */
static bool check_balance(struct job *j, bool variables)
{
	double warning = check_number(j->c, "imbalance_warning"), sum = 0, imbalance;
	double high = check_number(j->c, "imbalance_high");
	const struct parameter_server *most = NULL;
	struct buf *b = &j->c->text;
	enum tfprof_level level;
	struct finding *f;
	int64_t n_variables = 0;

	for (size_t i = 0; i < j->servers.at.n; i++) {
		const struct parameter_server *server = &j->servers.at.at[i];

		sum += (double)load_of(server, variables);
		n_variables += server->n_variables;
		if (!most || load_of(server, variables) > load_of(most, variables))
			most = server;
	}
	if (!most || sum <= 0)
		return false;
	imbalance = stats_imbalance((double)load_of(most, variables), sum, j->servers.at.n);
	level = check_level(imbalance, NEVER, warning, high);
	if (level == TFPROF_LEVEL_NONE)
		return false;
	buf_text(b, "unbalanced parameter servers: ");
	device_put_task(b, most->task);
	if (variables) {
		buf_printf(b, " holds %lld of %lld variables, ", (long long)most->n_variables,
			(long long)n_variables);
		format_number(b, UNIT_BYTES, most->bytes);
	} else {
		buf_text(b, " moves ");
		format_number(b, UNIT_BYTES, most->moved_bytes);
		buf_text(b, " per step");
	}
	buf_printf(b, ", %.0f%% of the bytes; an even share of %zu is %.0f%%",
		100 * (double)load_of(most, variables) / sum, j->servers.at.n,
		100.0 / (double)j->servers.at.n);
	f = check_find(j->c, variables ? "unbalanced_variables" : "unbalanced_traffic", level,
		CONFIDENCE_HIGH);
	f->stake_bytes = load_of(most, variables) - to_int(sum / (double)j->servers.at.n);
	f->stake_share = (double)load_of(most, variables) / sum;
	f->remedy = variables
		? "Spread the variables by size over the parameter servers, and partition "
		  "large ones."
		: "Partition the variables that are read and updated most, or move them "
		  "to a task of their own.";
	check_place(j->c, f,
		(struct place){.device = check_copy(j->c, most->task),
			.bytes = load_of(most, variables)});
	check_figure(j->c, f, "imbalance", imbalance);
	return true;
}

static bool report_servers(struct job *j)
{
	struct span job = span_of(check_word(j->c, "ps_job"));

	if (!parameter_servers_find(&j->servers, j->c->model, j->a, &j->links, job))
		return false;
	for (size_t i = 0; i < j->servers.at.n && (int64_t)i < j->max_lines; i++)
		report_server(j, &j->servers.at.at[i]);
	if (!check_balance(j, true))
		check_balance(j, false);
	return true;
}

/* ---- waiting --------------------------------------------------------------------------- */

static void report_waiting(struct job *j, uint32_t task, const struct waiting *w)
{
	double share = (double)w->wait_us / (double)w->span_us;
	enum tfprof_level level = check_level(share, check_number(j->c, "wait_notice"),
		check_number(j->c, "wait_warning"), check_number(j->c, "wait_high"));
	struct buf *b = &j->c->text;
	const struct step_transfer *longest = NULL;
	struct finding *f;

	device_put_task(b, j->a->devices.tasks.at[task].name);
	buf_printf(b, " waits %.1f%% of its step in RecvTensor: ", 100 * share);
	format_number(b, UNIT_MICROS, w->wait_us / w->n_steps);
	buf_text(b, " of ");
	format_number(b, UNIT_MICROS, w->span_us / w->n_steps);
	f = check_find(j->c, "waiting", level, CONFIDENCE_MEDIUM);
	f->stake_us = w->wait_us / w->n_steps;
	f->stake_share = share;
	f->to = j->a->devices.tasks.at[task].name;
	f->remedy = level == TFPROF_LEVEL_NONE
		? "Nothing: the wait is short."
		: "Start computing before all tensors have arrived, send fewer or smaller "
		  "tensors, or use more parameter servers.";
	for (size_t i = 0; i < j->links.n; i++)
		if (j->links.at[i].to == task &&
			(!longest || transfer_us(j->links.at[i].longest) > transfer_us(longest)))
			longest = j->links.at[i].longest;
	if (longest)
		check_place(j->c, f, transfer_place(j, longest));
}

static bool report_workers(struct job *j)
{
	const struct activity *a = j->a;
	struct span servers = span_of(check_word(j->c, "ps_job"));
	struct waiting *waiting = check_alloc(j->c, a->devices.tasks.n, sizeof(*waiting));
	int64_t shown = 0;
	bool ok = waiting && waiting_find(waiting, a);

	for (uint32_t t = 0; ok && t < a->devices.tasks.n && shown < j->max_lines; t++)
		if (waiting[t].span_us > 0 && !span_equal(a->devices.tasks.at[t].job, servers)) {
			report_waiting(j, t, &waiting[t]);
			shown++;
		}
	return ok;
}

/* ---- the checker ------------------------------------------------------------------------- */

static enum tfprof_status run(struct check *c, struct tfprof_error *err)
{
	struct job j = {.c = c, .a = check_activity(c), .max_lines = check_int(c, "max_links")};
	bool ok = j.a && links_find(&j.links, j.a, false) && links_find(&j.copies, j.a, true);

	if (ok && !j.links.n && !j.copies.n) {
		check_skip(c, "not distributed",
			"No tensor was sent between tasks: the run is not distributed, or its run "
			"metadata has no RecvTensor entries. Skip JobChecker");
	} else if (ok) {
		report_links(&j);
		report_copies(&j);
		ok = report_tensors(&j) && report_servers(&j) && report_workers(&j) &&
			find_slow_links(&j);
	}
	vec_clear(&j.links);
	vec_clear(&j.copies);
	parameter_servers_clear(&j.servers);
	return ok ? TFPROF_OK : error_no_memory(err);
}

const struct checker job_checker = {
	.info = {"JobChecker",
		"A distributed run: links between tasks, slowest tensors, balance of the parameter "
		"servers, waiting.",
		options},
	.has_heading = true,
	.needs_run_meta = true,
	.run = run,
};
