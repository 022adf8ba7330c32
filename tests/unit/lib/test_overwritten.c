#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The bytes of a loaded profile are other ones when they are looked at again: another
 * program wrote to the file, and nobody noticed. Whatever is asked then is answered, or
 * refused with a word about it; nothing outside the bytes is read, nothing runs on
 * forever. Once with a file, once with memory, where sanitizers see every byte. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "lib/profile.h"
#include "parts.h"
#include "run_query.h"

enum { N_LAYERS = 12, N_SEEDS = 400 };

static char directory[] = "/tmp/tfprof_overwritten_XXXXXX";
static struct buf saved; /* a profile with all there can be in one */

/* ---- a profile ------------------------------------------------------------------ */

static void put_graph(struct buf *b)
{
	buf_text(b, "node { name: 'x' op: 'Placeholder' } ");
	for (int i = 0; i < N_LAYERS; i++)
		buf_printf(b,
			"node { name: 'net/layer_%d/w' op: 'VariableV2' attr { key: 'shape' value "
			"{ "
			"shape { dim { size: 3 } dim { size: %d } } } } attr { key: "
			"'_output_shapes' "
			"value { list { shape { dim { size: 3 } dim { size: %d } } } } } } "
			"node { name: 'net/layer_%d/conv' op: 'Conv2D' device: '/gpu:0' input: "
			"'%s' "
			"input: 'net/layer_%d/w' input: 'x:1' attr { key: 'data_format' value { s: "
			"'NHWC' } } attr { key: '_output_shapes' value { list { shape { dim { "
			"size: "
			"7 } } shape {} } } } } "
			"node { name: 'gradients/net/layer_%d/conv_grad/f' op: 'Back' input: "
			"'net/layer_%d/conv' input: '^x' } ",
			i, i + 1, i + 1, i, i ? "net/layer_0/conv:1" : "x", i, i, i);
}

static void put_step(struct buf *b, int step)
{
	static const char *const devices[] = {"/job:w/device:GPU:0", "/gpu:0/stream:all",
		"/device:CPU:0"};

	buf_text(b, "step_stats { ");
	for (int d = 0; d < 3; d++) {
		buf_printf(b, "dev_stats { device: '%s' ", devices[d]);
		for (int i = 0; i < N_LAYERS; i++)
			buf_printf(b,
				"node_stats { node_name: 'net/layer_%d/conv%s' all_start_micros: "
				"%d "
				"op_end_rel_micros: %d memory { allocator_name: 'GPU_0' "
				"total_bytes: 99 "
				"allocator_bytes_in_use: %d allocation_records { alloc_micros: 11 "
				"alloc_bytes: 99 } } output { slot: 0 tensor_description { "
				"allocation_description { requested_bytes: 4 ptr: %d } } } } ",
				i, d == 1 ? ":Conv2D" : "", 100 * step + 10 * i + 1, 5 + d,
				1000 * i, 77 + i);
		buf_text(b,
			"node_stats { node_name: 'RecvTensor' all_start_micros: 9 "
			"op_end_rel_micros: 4 timeline_label: '[4B] [edge_1_x from a to b]' } } ");
	}
	buf_text(b, "} ");
}

static void put_log(struct buf *b)
{
	for (int i = 0; i < N_LAYERS; i++)
		buf_printf(b,
			"log_entries { name: 'net/layer_%d/conv' float_ops: %d types: 'mine' "
			"code_def { "
			"traces { file_id: 1 lineno: 3 } traces { file_id: 2 lineno: %d "
			"function_id: 3 "
			"line_id: 4 } } } log_entries { name: 'gradients/net/layer_%d/conv_grad/f' "
			"code_def { traces { file_id: 1 lineno: 9 } } } ",
			i, 1000 * i, i, i);
	buf_text(b,
		"id_to_string { key: 0 value: '' } id_to_string { key: 1 value: '/a/main.py' } "
		"id_to_string { key: 2 value: '/a/net.py' } id_to_string { key: 3 value: 'build' } "
		"id_to_string { key: 4 value: 'y = conv(x, w)' }");
}

static struct tfprof_input input_of(const struct buf *b)
{
	assert_false(b->failed);
	return tfprof_input_bytes(b->at, b->n);
}

static int make_profile(void **state)
{
	tfprof_profile *p = tfprof_profile_new();
	struct buf graph = {0}, log = {0};
	struct tfprof_error err;
	void *bytes;
	size_t size;

	put_graph(&graph);
	put_log(&log);
	for (int step = 0; step < 2; step++) {
		struct buf run = {0};
		struct tfprof_input g, r, l;

		put_step(&run, step);
		g = input_of(&graph), r = input_of(&run), l = input_of(&log);
		if (tfprof_profile_add_step(p, step, &g, &r, &l, NULL, &err) != TFPROF_OK)
			fail_msg("%s", err.text);
		buf_clear(&run);
	}
	assert_int_equal(tfprof_profile_serialize(p, &bytes, &size, &err), TFPROF_OK);
	buf_put(&saved, bytes, size);
	assert_false(saved.failed);
	tfprof_bytes_free(bytes);
	tfprof_profile_free(p);
	buf_clear(&graph);
	buf_clear(&log);
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	static const char *const files[] = {"profile", "out", "out_-1", "out_0", "out_1", "out_2"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(files[i]);
	buf_clear(&saved);
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

/* ---- other bytes ---------------------------------------------------------------- */

static uint64_t random_state;

static size_t draw(size_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)(random_state >> 11) % limit;
}

/* From a single byte to all of them. */
static void overwrite(char *bytes, size_t n)
{
	size_t how = draw(6), begin = draw(n), end = begin + draw(n - begin) + 1;

	switch (how) {
	case 0: begin = 0, end = n; /* fall through */
	case 1:
		for (size_t i = begin; i < end; i++)
			bytes[i] = (char)draw(256);
		break;
	case 2: memset(bytes + begin, draw(2) ? 0xff : 0x80, end - begin); break;
	case 3: memmove(bytes, bytes + begin, n - begin); break;
	default:
		for (size_t i = draw(how == 4 ? 4 : 40) + 1; i; i--)
			bytes[draw(n)] = (char)(draw(4) ? draw(256) : 0xff);
	}
}

/* ---- asking --------------------------------------------------------------------- */

/* A file that has changed may not be recognized as such, but is no reason for anything
 * else than these. */
static void answered(enum tfprof_status status, const struct tfprof_error *err)
{
	if (status != TFPROF_OK && status != TFPROF_FORMAT && status != TFPROF_STEP &&
		status != TFPROF_UNSUPPORTED)
		fail_msg("status %d: %s", (int)status, err->text);
}

/* The query, its output, and if `all` its message and columns. */
static enum tfprof_status query(tfprof_profile *p, enum tfprof_view view, const tfprof_options *o,
	bool all, tfprof_result **r, struct tfprof_error *err)
{
	enum tfprof_status status = run_query(p, view, o, NULL, r, err);
	const struct tfprof_column_info *info;
	struct tfprof_column column;
	void *message = NULL;
	size_t size;

	if (status == TFPROF_OK && all)
		status = tfprof_result_render(*r, "message", &message, &size, err);
	tfprof_bytes_free(message);
	for (size_t i = 0; status == TFPROF_OK && all && (info = tfprof_column_get_info(i)); i++)
		status = tfprof_result_get_column(*r, info->name, &column, err);
	return status;
}

static void ask(tfprof_profile *p, enum tfprof_view view, const char *output, bool all)
{
	tfprof_options *o = tfprof_options_new();
	const char *several = draw(2) ? "micros,bytes,occurrence" : "device,op_types,input_shapes";
	const char *select = strncmp(output, "pprof", 5) == 0 ? "micros" : several;
	struct tfprof_error err = {0};
	tfprof_result *r;
	enum tfprof_status status;

	assert_int_equal(tfprof_options_set(o, "output", output, &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "max_depth", "1000", &err), TFPROF_OK);
	assert_int_equal(tfprof_options_set(o, "select", select, &err), TFPROF_OK);
	status = query(p, view, o, all, &r, &err);
	answered(status, &err);
	tfprof_result_free(r);
	tfprof_options_free(o);
}

static void advise(tfprof_profile *p)
{
	struct tfprof_error err = {0};
	tfprof_result *r;

	answered(tfprof_ask(p, "advise", NULL, NULL, &r, &err), &err);
	tfprof_result_free(r);
}

static void serialize(tfprof_profile *p)
{
	struct tfprof_error err = {0};
	void *bytes = NULL;
	size_t size;
	enum tfprof_status status = tfprof_profile_serialize(p, &bytes, &size, &err);

	answered(status, &err);
	if (status == TFPROF_OK)
		tfprof_bytes_free(bytes);
}

static void add_step(tfprof_profile *p)
{
	struct buf run = {0};
	struct tfprof_error err = {0};
	struct tfprof_input in;

	put_step(&run, (int)draw(3));
	in = input_of(&run);
	answered(tfprof_profile_add(p, "run_meta", &in, (int64_t)draw(3), &err), &err);
	buf_clear(&run);
}

static int count_name(void *context, const char *name, size_t length)
{
	return ++*(int *)context > 1000;
}

static void look_names_up(tfprof_profile *p)
{
	struct tfprof_error err = {0};
	struct tfprof_summary summary;
	size_t length;
	int n = 0;

	answered(tfprof_profile_find_names(p, "net/", count_name, &n, &err), &err);
	for (size_t i = 0; tfprof_profile_get_type(p, i, &length); i++)
		assert_true(i < 10000);
	tfprof_profile_get_summary(p, &summary);
}

enum { N_QUESTIONS = 18 };

static void ask_one(tfprof_profile *p, size_t which)
{
	switch (which) {
	case 0:
	case 1:
	case 2:
	case 3: ask(p, (enum tfprof_view)which, "stdout", false); break;
	case 4:
	case 5:
	case 6:
	case 7: ask(p, (enum tfprof_view)(which - 4), "none", true); break;
	case 8:
	case 9:
	case 10: ask(p, (enum tfprof_view)(which - 8), "json:outfile=/dev/null", false); break;
	case 11: ask(p, TFPROF_CODE, "pprof:outfile=/dev/null", false); break;
	case 12: ask(p, TFPROF_GRAPH, "timeline:outfile=out", false); break;
	case 13: ask(p, TFPROF_SCOPE, "timeline:outfile=out", false); break;
	case 14: advise(p); break;
	case 15: serialize(p); break;
	case 16: look_names_up(p); break;
	case 17: add_step(p); break;
	}
}

/* Some questions before the bytes change, all of them after. */
static void ask_some(tfprof_profile *p)
{
	for (size_t n = draw(4); n; n--)
		ask_one(p, draw(N_QUESTIONS - 1));
}

static void ask_all(tfprof_profile *p)
{
	size_t first = draw(N_QUESTIONS);

	for (size_t i = 0; i < N_QUESTIONS; i++)
		ask_one(p, (first + i) % N_QUESTIONS);
}

/* ---- tests ---------------------------------------------------------------------- */

static tfprof_profile *load(const struct tfprof_input *in)
{
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;

	if (tfprof_profile_add(p, "profile", in, 0, &err) != TFPROF_OK)
		fail_msg("%s", err.text);
	return p;
}

static void begin(int seed)
{
	random_state = (uint64_t)(seed + 1) * 0x9e3779b97f4a7c15u;
	use_parts(seed % 8 ? 1 : 3);
}

static void memory_overwritten(void **state)
{
	struct tfprof_input in = input_of(&saved);

	for (int seed = 0; seed < N_SEEDS; seed++) {
		tfprof_profile *p = load(&in);
		struct span kept = p->model.sources.at[0].bytes;

		begin(seed);
		ask_some(p);
		overwrite((char *)(uintptr_t)kept.at, kept.n);
		ask_all(p);
		tfprof_profile_free(p);
	}
}

static void write_in_place(const char *bytes, size_t n)
{
	int fd = open("profile", O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	assert_int_equal(close(fd), 0);
}

/* Size and time stay as they were, and the file is not watched, as if the system's
 * clock had not moved on. */
static void file_overwritten(void **state)
{
	struct tfprof_input in = tfprof_input_file("profile");
	char *bytes = malloc(saved.n);

	assert_non_null(bytes);
	for (int seed = 0; seed < N_SEEDS; seed++) {
		struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
		struct stat st;
		tfprof_profile *p;

		memcpy(bytes, saved.at, saved.n);
		write_in_place(bytes, saved.n);
		assert_int_equal(stat("profile", &st), 0);
		times[1] = st.st_mtim;
		p = load(&in);
		begin(seed);
		ask_some(p);
		overwrite(bytes, saved.n);
		write_in_place(bytes, saved.n);
		assert_int_equal(utimensat(AT_FDCWD, "profile", times, 0), 0);
		p->model.sources.at[0].file.is_watched = false;
		ask_all(p);
		close(p->model.sources.at[0].file.fd);
		tfprof_profile_free(p);
	}
	free(bytes);
}

/* Damage that is found is reported by this and every later call. */
static void expect_damage(tfprof_profile *p, enum tfprof_view view, const tfprof_options *o,
	struct tfprof_error *err)
{
	tfprof_result *r;

	assert_int_equal(query(p, view, o, true, &r, err), TFPROF_FORMAT);
	tfprof_result_free(r);
}

static void damage_is_reported(void **state)
{
	struct tfprof_input in = input_of(&saved);
	tfprof_profile *p = load(&in);
	struct span kept = p->model.sources.at[0].bytes;
	tfprof_options *o = tfprof_options_new();
	struct tfprof_error err;
	tfprof_result *r;

	memset((char *)(uintptr_t)kept.at, 0xff, kept.n);
	for (int view = TFPROF_SCOPE; view <= TFPROF_CODE; view++)
		expect_damage(p, (enum tfprof_view)view, o, &err);
	tfprof_profile_free(p);

	p = load(&in);
	kept = p->model.sources.at[0].bytes;
	assert_int_equal(query(p, TFPROF_SCOPE, o, true, &r, &err), TFPROF_OK);
	tfprof_result_free(r);
	memset((char *)(uintptr_t)kept.at, 0xff, kept.n);
	assert_int_equal(tfprof_ask(p, "advise", NULL, NULL, &r, &err), TFPROF_FORMAT);
	assert_string_equal(err.text,
		"an input: it is damaged, or has changed since it was loaded: reload it");
	assert_int_equal(tfprof_ask(p, "op", o, NULL, &r, &err), TFPROF_FORMAT);
	tfprof_options_free(o);
	tfprof_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_overwritten),
		cmocka_unit_test(file_overwritten),
		cmocka_unit_test(damage_is_reported),
	};

	return cmocka_run_group_tests(tests, make_profile, leave);
}
