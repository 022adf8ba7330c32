/* What the comparison with TensorFlow cannot cover: allocation failures, unwritable
 * files, cancelled queries, sorting through a file. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sorter.h"
#include "lib/profile.h"
#include "run_query.h"
#include "write/timeline.h"
#include "query/query.h"

#include "messages.h"

enum { N_NODES = 40 };

/* ---- a profile ----------------------------------------------------------- */

static void put_name(struct buf *b, uint32_t field, size_t i)
{
	struct buf name = {0};

	buf_printf(&name, "part%zu/node%zu", i % 3, i);
	wire_put_bytes(b, field, buf_get(&name));
	buf_clear(&name);
}

/* Each node has the previous one as an input. */
static struct buf make_graph(void)
{
	struct buf b = {0};

	for (size_t i = 0; i < N_NODES; i++) {
		size_t node = wire_open(&b, 1);

		put_name(&b, 1, i);
		wire_put_bytes(&b, 2, i % 2 ? SPAN("Add") : SPAN("Mul, \"quoted\""));
		if (i)
			put_name(&b, 3, i - 1);
		wire_close(&b, node);
	}
	return b;
}

static void put_memory(struct buf *b, int64_t start, size_t i)
{
	size_t memory = wire_open(b, 6), record;

	wire_put_bytes(b, 1, SPAN("GPU_0_bfc"));
	wire_put_int(b, 5, 100000 + (int64_t)i);
	record = wire_open(b, 6);
	wire_put_int(b, 1, start);
	wire_put_int(b, 2, 1000 * (int64_t)i);
	wire_close(b, record);
	wire_close(b, memory);
}

/* Even nodes run on a gpu, odd ones on a cpu, each three times. */
static struct buf make_run_meta(void)
{
	struct buf b = {0};
	size_t stats = wire_open(&b, 1);

	for (size_t d = 0; d < 3; d++) {
		static const char *const devices[] = {"/gpu:0", "/cpu:0", "/gpu:0/stream:all"};
		size_t device = wire_open(&b, 1);

		wire_put_bytes(&b, 1, span_of(devices[d]));
		for (size_t i = d % 2; i < N_NODES * 3; i += 2) {
			size_t entry = wire_open(&b, 2);
			int64_t start = 1000 + 60 * (int64_t)i;

			put_name(&b, 1, i % N_NODES);
			wire_put_int(&b, 2, start);
			wire_put_int(&b, 4, 100);
			if (d == 0)
				put_memory(&b, start, i);
			wire_close(&b, entry);
		}
		wire_close(&b, device);
	}
	wire_close(&b, stats);
	return b;
}

static struct buf make_op_log(void)
{
	struct buf b = {0};

	for (size_t i = 0; i < N_NODES; i++) {
		size_t entry = wire_open(&b, 1), code;

		put_name(&b, 1, i);
		code = wire_open(&b, 4);
		for (size_t k = 0; k < 4; k++) {
			size_t frame = wire_open(&b, 1);

			wire_put_int(&b, 2, (int64_t)(k * 10 + i % (k + 1)));
			wire_put_int(&b, 5, 1);
			wire_put_int(&b, 6, 2 + (int64_t)k % 2);
			wire_close(&b, frame);
		}
		wire_close(&b, code);
		wire_close(&b, entry);
	}
	for (int64_t id = 0; id < 4; id++) {
		static const char *const texts[] = {"none", "/home/me/model.py", "main", "build"};

		put_string(&b, OP_LOG_ID_TO_STRING, id, texts[id]);
	}
	return b;
}

static tfprof_profile *make_profile(void)
{
	struct buf graph = make_graph(), run_meta = make_run_meta(), op_log = make_op_log();
	struct tfprof_input inputs[] = {tfprof_input_bytes(graph.at, graph.n),
		tfprof_input_bytes(run_meta.at, run_meta.n),
		tfprof_input_bytes(op_log.at, op_log.n)};
	tfprof_profile *p = tfprof_profile_new();

	assert_non_null(p);
	for (int64_t step = 3; step < 5; step++)
		assert_int_equal(tfprof_profile_add_step(p, step, &inputs[0], &inputs[1],
					 &inputs[2], NULL, NULL),
			TFPROF_OK);
	buf_clear(&graph);
	buf_clear(&run_meta);
	buf_clear(&op_log);
	return p;
}

/* ---- queries ------------------------------------------------------------- */

static tfprof_options *make_options(const char *output, const char *select)
{
	tfprof_options *o = tfprof_options_new();

	assert_non_null(o);
	assert_int_equal(tfprof_options_set(o, "output", output, NULL), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "select", select, NULL), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "max_depth", "1000", NULL), TFPROF_OK);
	return o;
}

static enum tfprof_status run(tfprof_profile *p, enum tfprof_view view, const tfprof_options *o,
	const volatile int *cancel, struct tfprof_error *err)
{
	enum tfprof_status status;
	tfprof_result *r;
	void *message;
	size_t size;

	status = run_query(p, view, o, cancel, &r, err);
	if (status == TFPROF_OK)
		status = tfprof_result_render(r, "message", &message, &size, err);
	if (status == TFPROF_OK)
		tfprof_bytes_free(message);
	tfprof_result_free(r);
	return status;
}

static const struct {
	const char *type, *select;
	enum tfprof_view view;
	const char *step; /* NULL: all */
} outputs[] = {
	{"timeline", "micros", TFPROF_GRAPH, "3"},
	{"timeline", "micros", TFPROF_OP, "3"},
	{"timeline", "micros", TFPROF_SCOPE, NULL},
	{"timeline", "bytes", TFPROF_CODE, NULL},
	{"pprof", "cpu_micros", TFPROF_CODE, NULL},
	{"json", "micros,occurrence,device,op_types,input_shapes", TFPROF_OP, NULL},
	{"json", "params,device", TFPROF_CODE, NULL},
	{"csv", "params,op_types,input_shapes,occurrence,bytes", TFPROF_SCOPE, NULL},
	{"csv", "op_types", TFPROF_GRAPH, NULL},
	{"file", "micros", TFPROF_GRAPH, NULL},
};

enum { N_OUTPUTS = sizeof(outputs) / sizeof(*outputs) };

static char directory[] = "/tmp/tfprof-outputs-XXXXXX";

/* The option that writes output i, and the path of its file. */
static void name_output(size_t i, char *option, char *path, size_t size)
{
	snprintf(option, size, "%s:outfile=%s/out", outputs[i].type, directory);
	snprintf(path, size, "%s/out", directory);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct buf read_file(const char *path)
{
	struct buf b = {0};
	FILE *f = fopen(path, "r");
	char piece[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0)
		buf_put(&b, piece, n);
	fclose(f);
	return b;
}

static void assert_untouched(const char *path)
{
	struct buf text = read_file(path);

	assert_string_equal(text.at, "before");
	buf_clear(&text);
}

/* Writes output i with the nth allocation failing (0: none). */
static enum tfprof_status write_output(size_t i, size_t nth, struct tfprof_error *err)
{
	tfprof_profile *p = make_profile();
	char option[200], path[200];
	tfprof_options *o;
	enum tfprof_status status;

	name_output(i, option, path, sizeof(path));
	o = make_options(option, outputs[i].select);
	if (outputs[i].step)
		tfprof_options_set(o, "step", outputs[i].step, NULL);
	mem_fail_at(nth);
	status = run(p, outputs[i].view, o, NULL, err);
	mem_fail_at(0);
	tfprof_options_free(o);
	tfprof_profile_free(p);
	return status;
}

/* The file is unchanged or complete: allocations after writing it may fail too. */
static void test_allocation_failures(void **state)
{
	char option[200], path[200];

	for (size_t i = 0; i < N_OUTPUTS; i++) {
		enum tfprof_status status = TFPROF_NO_MEMORY;
		size_t nth = 0, n_untouched = 0;
		struct buf whole;

		name_output(i, option, path, sizeof(path));
		assert_int_equal(write_output(i, 0, NULL), TFPROF_OK);
		whole = read_file(path);
		while (status == TFPROF_NO_MEMORY) {
			struct tfprof_error err;
			struct buf text;

			write_file(path, "before");
			status = write_output(i, ++nth, &err);
			text = read_file(path);
			if (status == TFPROF_NO_MEMORY)
				assert_string_equal(err.text, "out of memory");
			if (status == TFPROF_NO_MEMORY &&
				span_equal(buf_get(&text), SPAN("before")))
				n_untouched++;
			else
				assert_true(span_equal(buf_get(&text), buf_get(&whole)));
			buf_clear(&text);
			assert_true(nth < 3000);
		}
		assert_int_equal(status, TFPROF_OK);
		assert_true(n_untouched > 20);
		buf_clear(&whole);
		unlink(path);
	}
	assert_int_equal(rmdir(directory), 0); /* nothing was left behind */
	assert_int_equal(mkdir(directory, 0700), 0);
}

static void test_cancelled(void **state)
{
	tfprof_profile *p = make_profile();
	char option[200], path[200];
	int stop = 1;

	for (size_t i = 0; i < N_OUTPUTS; i++) {
		tfprof_options *o;
		struct tfprof_error err;

		name_output(i, option, path, sizeof(path));
		o = make_options(option, outputs[i].select);
		write_file(path, "before");
		assert_int_equal(run(p, outputs[i].view, o, &stop, &err), TFPROF_CANCELLED);
		assert_string_equal(err.text, "the query was stopped");
		assert_untouched(path);
		unlink(path);
		tfprof_options_free(o);
	}
	tfprof_profile_free(p);
}

/* Runs a query of this profile, without writing its result. */
static void begin(struct query *q, tfprof_profile *p, enum tfprof_view view,
	const tfprof_options *o, const volatile int *cancel)
{
	*q = (struct query){.model = &p->model,
		.kind = view,
		.options = o,
		.cancel = cancel,
		.metrics = ALL_METRICS};
	assert_int_equal(profile_view(p, q, NULL), TFPROF_OK);
	assert_int_equal(query_run(q, NULL), TFPROF_OK);
}

static void test_cancelled_while_writing(void **state)
{
	tfprof_profile *p = make_profile();
	tfprof_options *o = make_options("none", "micros");
	struct buf text = {0}, printed = {0};
	struct tfprof_error err;
	struct sink out;
	struct query q;
	int stop = 0;

	tfprof_options_set(o, "step", "3", NULL);
	begin(&q, p, TFPROF_GRAPH, o, &stop);
	sink_open_buf(&out, &text, SINK_PLAIN, NULL);
	stop = 1;
	assert_int_equal(timeline_graph_write(&q, &out, &printed, &err), TFPROF_CANCELLED);
	sink_abandon(&out);
	query_clear(&q);
	stop = 0;
	begin(&q, p, TFPROF_OP, o, &stop);
	sink_open_buf(&out, &text, SINK_PLAIN, NULL);
	stop = 1;
	assert_int_equal(timeline_op_write(&q, &out, &printed, &err), TFPROF_CANCELLED);
	sink_abandon(&out);
	query_clear(&q);
	stop = 0;
	begin(&q, p, TFPROF_SCOPE, o, &stop);
	sink_open_buf(&out, &text, SINK_PLAIN, NULL);
	stop = 1;
	assert_int_equal(timeline_flame_write(&q, &out, &err), TFPROF_CANCELLED);
	sink_abandon(&out);
	query_clear(&q);
	buf_clear(&text);
	buf_clear(&printed);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

static struct buf graph_timeline(tfprof_profile *p, size_t sort_bytes, struct buf *printed)
{
	tfprof_options *o = make_options("none", "micros");
	struct buf text = {0};
	struct sink out;
	struct query q;

	tfprof_options_set(o, "step", "4", NULL);
	sorter_set_default(sort_bytes);
	begin(&q, p, TFPROF_GRAPH, o, NULL);
	sink_open_buf(&out, &text, SINK_PLAIN, NULL);
	assert_int_equal(timeline_graph_write(&q, &out, printed, NULL), TFPROF_OK);
	assert_int_equal(sink_commit(&out, NULL), TFPROF_OK);
	query_clear(&q);
	sorter_set_default(0);
	tfprof_options_free(o);
	return text;
}

/* However much is sorted through a file, the timeline is the same. */
static void test_sorted_through_a_file(void **state)
{
	tfprof_profile *p = make_profile();
	struct buf printed = {0}, expected = graph_timeline(p, 0, &printed);

	assert_true(expected.n > 10000);
	assert_non_null(strstr(expected.at, "Top Allocation 03"));
	assert_non_null(strstr(expected.at, "\"ph\":\"t\""));
	for (size_t bytes = 1; bytes < 20000; bytes = bytes * 3 + 50) {
		struct buf other_printed = {0}, text = graph_timeline(p, bytes, &other_printed);

		assert_int_equal(text.n, expected.n);
		assert_memory_equal(text.at, expected.at, expected.n);
		assert_string_equal(other_printed.at, printed.at);
		buf_clear(&text);
		buf_clear(&other_printed);
	}
	buf_clear(&expected);
	buf_clear(&printed);
	tfprof_profile_free(p);
}

static void test_unwritable_files(void **state)
{
	tfprof_profile *p = make_profile();

	for (size_t i = 0; i < N_OUTPUTS; i++) {
		static const char *const places[] = {"/nonexistent/x", "/dev/full", ""};
		struct tfprof_error err;
		char option[200];

		for (size_t k = 0; places[k][0]; k++) {
			tfprof_options *o;

			snprintf(option, sizeof(option), "%s:outfile=%s", outputs[i].type,
				places[k]);
			o = make_options(option, outputs[i].select);
			if (outputs[i].step)
				tfprof_options_set(o, "step", outputs[i].step, NULL);
			assert_int_equal(run(p, outputs[i].view, o, NULL, &err), TFPROF_IO);
			assert_non_null(strstr(err.text, places[k]));
			assert_non_null(strstr(err.text, k ? "No space left" : "No such file"));
			tfprof_options_free(o);
		}
	}
	tfprof_profile_free(p);
}

/* ---- options ------------------------------------------------------------- */

static void assert_output(const char *value, enum format type, const char *outfile,
	enum timeline_viewer viewer)
{
	tfprof_options *o = tfprof_options_new(), *copy;

	assert_int_equal(tfprof_options_set(o, "output", value, NULL), TFPROF_OK);
	copy = tfprof_options_copy(o);
	assert_string_equal(tfprof_options_get(o, "output"), value);
	tfprof_options_free(o);
	assert_int_equal(copy->output.format, type);
	assert_string_equal(copy->output.outfile.at, outfile);
	assert_int_equal(copy->output.viewer, viewer);
	assert_string_equal(tfprof_options_get(copy, "output"), value);
	tfprof_options_free(copy);
}

static void assert_rejected(const char *value, const char *expected)
{
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;

	assert_int_equal(tfprof_options_set(o, "output", value, &err), TFPROF_ARGUMENT);
	if (!strstr(err.text, expected))
		fail_msg("%s: %s", value, err.text);
	assert_int_equal(o->output.format, FORMAT_STDOUT);
	tfprof_options_free(o);
}

static void test_output_option(void **state)
{
	assert_output("stdout", FORMAT_STDOUT, "", VIEWER_CHROME);
	assert_output("stdout:", FORMAT_STDOUT, "", VIEWER_CHROME);
	assert_output("json:outfile=-", FORMAT_JSON, "-", VIEWER_CHROME);
	assert_output("csv:outfile=a=b,c", FORMAT_CSV, "a=b,c", VIEWER_CHROME);
	assert_output("timeline:outfile=t", FORMAT_TIMELINE, "t", VIEWER_CHROME);
	assert_output("timeline:outfile=t,viewer=perfetto", FORMAT_TIMELINE, "t", VIEWER_PERFETTO);
	assert_output("timeline:viewer=perfetto,outfile=a,b", FORMAT_TIMELINE, "a,b",
		VIEWER_PERFETTO);
	assert_output("timeline:outfile=t,viewer=chrome", FORMAT_TIMELINE, "t", VIEWER_CHROME);
	assert_rejected("jsn:outfile=x", "did you mean 'json'?");
#define X(id, word, ...) ", " word
	assert_rejected("xml", &(OUTPUT_FORMATS(X))[strlen(", ")]);
#undef X
	assert_output("csv", FORMAT_CSV, "", VIEWER_CHROME);
	assert_output("json", FORMAT_JSON, "", VIEWER_CHROME);
	assert_output("csv:formulas=text", FORMAT_CSV, "", VIEWER_CHROME);
	assert_output("csv:outfile=x,formulas=raw", FORMAT_CSV, "x", VIEWER_CHROME);
	assert_rejected("csv:formulas=no", "formulas=raw or formulas=text");
	assert_rejected("json:formulas=text", "expected outfile=PATH");
	assert_rejected("file", "--output=file:outfile=PATH");
	assert_rejected("json:outfile=", "needs a file");
	assert_rejected("none:outfile=x", "expected none");
	assert_rejected("file:outfile=x,viewer=perfetto", "viewer=perfetto");
	assert_rejected("timeline:outfile=x,viewer=netscape", "viewer=netscape");
	assert_rejected("timeline:outfile=x,view=chrome", "viewer=chrome or viewer=perfetto");
	assert_rejected("timeline:viewer=perfetto", "needs a file");
}

static void test_echo(void **state)
{
	tfprof_options *o = tfprof_options_new();

	tfprof_options_set(o, "output", "timeline:viewer=perfetto,outfile=t", NULL);
	assert_non_null(strstr(tfprof_options_get_text(o, NULL),
		"-output                     timeline:outfile=t,viewer=perfetto\n"));
	tfprof_options_set(o, "output", "csv:formulas=text", NULL);
	assert_non_null(strstr(tfprof_options_get_text(o, NULL),
		"-output                     csv:formulas=text\n"));
	tfprof_options_free(o);
}

static int make_directory(void **state)
{
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_cancelled_while_writing),
		cmocka_unit_test(test_sorted_through_a_file),
		cmocka_unit_test(test_unwritable_files),
		cmocka_unit_test(test_output_option),
		cmocka_unit_test(test_echo),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
