/* Times the library through its public API, one line of JSON:
 *
 *     ours saved FILE OUT              load, each view (nothing printed; every
 *                                      line to a file; as a message), regex,
 *                                      serialize, timeline
 *     ours growth FILE                 load, each view, serialize
 *     ours diff BASE NEW               the two queries of op and scope view, the comparison
 *     ours files GRAPH OP_LOG RUN_META add graph, op log, a step
 *
 * `OUT` is where reports go: the same output as TensorFlow's profiler is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfprof/tfprof.h>
#include "now.h"

static struct tfprof_error error;
static const char *comma = "";

static void report(const char *name, double ms)
{
	printf("%s\"%s\": %.3f", comma, name, ms);
	comma = ", ";
}

static void check(enum tfprof_status status)
{
	if (status == TFPROF_OK)
		return;
	fprintf(stderr, "ours: %s\n", error.text);
	exit(1);
}

static double ask(tfprof_profile *p, const char *view, tfprof_options *o, int message)
{
	double start = now_ms();
	tfprof_result *result;
	void *bytes;
	size_t size;

	check(tfprof_ask(p, view, o, NULL, &result, &error));
	check(tfprof_result_output(result, 0, NULL, NULL, NULL, &error));
	if (message) {
		check(tfprof_result_render(result, "message", &bytes, &size, &error));
		tfprof_bytes_free(bytes);
	}
	tfprof_result_free(result);
	return now_ms() - start;
}

/* Short rows are repeated, because a single run depends on the memory that earlier rows left
 * to reuse: an odd number of runs that take 5 ms together, nine at most. */
struct runs {
	double ms[9], sum;
	size_t n;
};

static int more_runs(const struct runs *r)
{
	return r->n % 2 == 0 || (r->sum < 5 && r->n < 9);
}

static void add_run(struct runs *r, double ms)
{
	r->ms[r->n++] = ms;
	r->sum += ms;
}

static int compare_ms(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(struct runs *r)
{
	qsort(r->ms, r->n, sizeof(*r->ms), compare_ms);
	return r->ms[r->n / 2];
}

static double ask_again(tfprof_profile *p, const char *view, tfprof_options *o, int message)
{
	struct runs runs = {0};

	while (more_runs(&runs))
		add_run(&runs, ask(p, view, o, message));
	return median(&runs);
}

static void set(tfprof_options *o, const char *name, const char *value)
{
	check(tfprof_options_set(o, name, value, &error));
}

/* Every node, ordered by time. */
static void set_everything(tfprof_options *o)
{
	set(o, "max_depth", "100");
	set(o, "select", "micros,bytes,occurrence");
	set(o, "order_by", "micros");
}

static tfprof_options *everything(void)
{
	tfprof_options *o = tfprof_options_new();

	if (!o)
		exit(1);
	set_everything(o);
	return o;
}

static void report_view(const char *view, const char *what, double ms)
{
	char name[40];

	snprintf(name, sizeof(name), "%s_%s", view, what);
	report(name, ms);
}

/* `file` is where every line goes, too; NULL: nowhere. */
static void time_views(tfprof_profile *p, tfprof_options *o, const char *file)
{
	static const char *const views[] = {"op", "scope", "graph", "code"};

	for (int i = 0; i < 4; i++) {
		set(o, "output", "none");
		report_view(views[i], "first", ask(p, views[i], o, 0));
		report_view(views[i], "again", ask_again(p, views[i], o, 0));
		if (!file)
			continue;
		set(o, "output", file);
		report_view(views[i], "text", ask_again(p, views[i], o, 0));
	}
}

/* Options that came as a message, as in the drop-in Python API: the query then has all that
 * its message needs. It may need a view of its own, which is built before. */
static void time_messages(tfprof_profile *p)
{
	static const char *const views[] = {"op", "scope", "graph", "code"};
	tfprof_options *o = tfprof_options_new();

	if (!o)
		exit(1);
	check(tfprof_options_set_message(o, "", 0, &error));
	set(o, "step", "-1");
	set(o, "account_type_regexes", ".*");
	set(o, "start_name_regexes", ".*");
	set(o, "show_name_regexes", ".*");
	set_everything(o);
	set(o, "output", "none");
	for (int i = 0; i < 4; i++) {
		ask(p, views[i], o, 0);
		report_view(views[i], "message", ask_again(p, views[i], o, 1));
	}
	tfprof_options_free(o);
}

/* The most memory that was resident so far. Not what getrusage() says: that
 * begins with what the process had that started us. */
static double resident_mb(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[200];
	long kilobytes = 0;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld kB", &kilobytes) == 1)
			break;
	if (status)
		fclose(status);
	return (double)kilobytes * 1024 / 1e6;
}

static void time_serialize(tfprof_profile *p)
{
	struct runs runs = {0};

	while (more_runs(&runs)) {
		double start = now_ms();
		void *bytes;
		size_t size;

		check(tfprof_profile_serialize(p, &bytes, &size, &error));
		add_run(&runs, now_ms() - start);
		tfprof_bytes_free(bytes);
	}
	report("serialize", median(&runs));
}

static tfprof_profile *time_load(const char *path)
{
	struct tfprof_input saved = tfprof_input_file(path);
	tfprof_profile *p = tfprof_profile_new();
	double start = now_ms();

	if (!p)
		exit(1);
	check(tfprof_profile_add(p, "profile", &saved, 0, &error));
	report("load", now_ms() - start);
	return p;
}

/* Memory is counted while loading and reporting, without what the program had
 * before; a message or a serialized profile is its own size on top. */
static void time_saved(char **argv)
{
	double idle = resident_mb();
	tfprof_profile *p = time_load(argv[2]);
	tfprof_options *o = everything();
	char output[400];

	snprintf(output, sizeof(output), "file:outfile=%s", argv[3]);
	time_views(p, o, output);
	set(o, "show_name_regexes", ".*stage_[0-3]/unit_1.*(Conv|MatMul).*,.*ReluGrad_[0-9]+7");
	report("regex", ask_again(p, "scope", o, 0));
	set(o, "show_name_regexes", ".*");
	report("peak_mb", resident_mb() - idle);
	time_messages(p);
	snprintf(output, sizeof(output), "timeline:outfile=%s.timeline", argv[3]);
	set(o, "output", output);
	set(o, "step", "0");
	report("timeline", ask_again(p, "graph", o, 0));
	time_serialize(p);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

static void time_growth(char **argv)
{
	double idle = resident_mb();
	tfprof_profile *p = time_load(argv[2]);
	tfprof_options *o = everything();

	time_views(p, o, NULL);
	report("peak_mb", resident_mb() - idle);
	time_serialize(p);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

static void time_files(char **argv)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_input graph = tfprof_input_file(argv[2]), op_log = tfprof_input_file(argv[3]);
	struct tfprof_input run_meta = tfprof_input_file(argv[4]);
	double start = now_ms();

	if (!p)
		exit(1);
	check(tfprof_profile_add(p, "graph", &graph, 0, &error));
	check(tfprof_profile_add(p, "op_log", &op_log, 0, &error));
	report("new", now_ms() - start);
	start = now_ms();
	check(tfprof_profile_add_step(p, 0, NULL, &run_meta, NULL, NULL, &error));
	report("add_step", now_ms() - start);
	tfprof_profile_free(p);
}

static tfprof_profile *load(const char *path)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_input in = tfprof_input_file(path);

	check(tfprof_profile_add(p, TFPROF_INPUT_AUTO, &in, 0, &error));
	return p;
}

/* Times two queries with the columns that a comparison needs, and of comparing. */
static void measure_diff(const char *base_path, const char *new_path)
{
	static const char *const names[] = {"name", "parent", "total_exec_micros", "device"};
	tfprof_profile *profiles[2] = {load(base_path), load(new_path)};
	struct tfprof_diff_side base = {.profiles = profiles, .n = 1},
				new_side = {.profiles = profiles + 1, .n = 1};
	tfprof_options *o = tfprof_options_new();

	for (int view = 0; view < 3; view += 2) {
		double queries = 1e9, diff = 1e9, start;
		char name[40];

		for (int round = 0; round < 7; round++) {
			tfprof_result *result;

			start = now_ms();
			for (int side = 0; side < 2; side++) {
				struct tfprof_column column;

				check(tfprof_ask(profiles[side], tfprof_view_get_name(view), o,
					NULL, &result, &error));
				for (size_t k = 0; k < 4; k++)
					check(tfprof_result_get_column(result, names[k], &column,
						&error));
				tfprof_result_free(result);
			}
			queries = now_ms() - start < queries ? now_ms() - start : queries;
			start = now_ms();
			check(tfprof_diff_run(&base, &new_side, (enum tfprof_view)view, o, NULL,
				&result, &error));
			diff = now_ms() - start < diff ? now_ms() - start : diff;
			tfprof_result_free(result);
		}
		snprintf(name, sizeof(name), "%s_queries", tfprof_view_get_name((size_t)view));
		report(name, queries);
		snprintf(name, sizeof(name), "%s_diff", tfprof_view_get_name((size_t)view));
		report(name, diff);
	}
	tfprof_options_free(o);
	tfprof_profile_free(profiles[0]);
	tfprof_profile_free(profiles[1]);
}

int main(int argc, char **argv)
{
	printf("{");
	if (argc == 4 && strcmp(argv[1], "saved") == 0)
		time_saved(argv);
	else if (argc == 3 && strcmp(argv[1], "growth") == 0)
		time_growth(argv);
	else if (argc == 5 && strcmp(argv[1], "files") == 0)
		time_files(argv);
	else if (argc == 4 && strcmp(argv[1], "diff") == 0)
		measure_diff(argv[2], argv[3]);
	else
		return 2;
	printf("}\n");
	return 0;
}
