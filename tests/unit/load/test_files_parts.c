#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/* A graph, an op log and run metadata read in parts say what they say when read
 * in one: the same saved profile, notes and messages. Reading them in one part is
 * the oracle. */
#include <stdio.h>
#include <stdlib.h>

#include <tfprof/tfprof.h>

#include "base/mem.h"
#include "base/parallel.h"

#include "draw.h"
#include "messages.h"
#include "parts.h"

/* ---- files ------------------------------------------------------------------ */

static const char *const names[] = {"a", "b/c", "b/d", "conv", "gradients/conv_grad", "w",
	"MEMCPYHtoD", "RecvTensor", "_SOURCE", "late", ""};
static const char *const devices[] = {"/job:w/task:0/device:GPU:0", "/job:w/task:0/device:CPU:0",
	"/gpu:0/stream:all", "/gpu:0/memcpy", "/stream:all/gpu:0", "odd"};

static void put_name(struct buf *b, uint32_t number)
{
	put_text(b, number, names[draw(sizeof(names) / sizeof(*names))]);
}

static int64_t amount(void)
{
	static const int64_t some[] = {0, 1, 200, 70000, (int64_t)1 << 40, -3};

	return some[draw(6)];
}

static void put_output(struct buf *b)
{
	size_t output = wire_open(b, 7), tensor, description;

	wire_put_int(b, 1, draw(4));
	tensor = wire_open(b, 3);
	if (draw(5)) {
		description = wire_open(b, 4);
		wire_put_int(b, 1, amount());
		wire_put_int(b, 2, amount());
		wire_put_int(b, 6, amount());
		wire_close(b, description);
	}
	wire_close(b, tensor);
	wire_close(b, output);
}

static void put_allocator(struct buf *b)
{
	size_t allocator = wire_open(b, 6), record;

	for (unsigned n = draw(3); n; n--) {
		record = wire_open(b, 6);
		wire_put_int(b, 1, amount());
		wire_put_int(b, 2, amount());
		wire_close(b, record);
	}
	put_text(b, 1, draw(2) ? "GPU_0_bfc" : "cpu");
	for (uint32_t field = 2; field < 6; field++)
		wire_put_int(b, field, amount());
	wire_close(b, allocator);
}

static void put_entry(struct buf *b)
{
	size_t entry = wire_open(b, 2), memory;

	put_name(b, 1);
	wire_put_int(b, 2, draw(6) ? 1000 + draw(100) : 0);
	wire_put_int(b, 4, draw(9));
	for (unsigned n = draw(3); n; n--)
		put_allocator(b);
	for (unsigned n = draw(5); n; n--)
		put_output(b);
	if (draw(2)) {
		memory = wire_open(b, 12);
		wire_put_int(b, 1, amount());
		wire_put_int(b, 3, amount());
		wire_close(b, memory);
	}
	wire_close(b, entry);
}

static void make_step(struct buf *b)
{
	size_t stats = wire_open(b, 1), device;

	for (unsigned n = 2 + draw(3); n; n--) {
		const char *name = devices[draw(sizeof(devices) / sizeof(*devices))];
		bool name_comes_last = draw(4) == 0;

		device = wire_open(b, 1);
		if (!name_comes_last)
			put_text(b, 1, name);
		for (unsigned k = draw(8); k; k--)
			put_entry(b);
		if (name_comes_last)
			put_text(b, 1, name);
		wire_close(b, device);
	}
	wire_close(b, stats);
}

static void put_shape(struct buf *b)
{
	size_t shape = wire_open(b, 7), dim;

	for (unsigned n = draw(3); n; n--) {
		dim = wire_open(b, 2);
		wire_put_int(b, 1, draw(4));
		wire_close(b, dim);
	}
	wire_close(b, shape);
}

static void put_attr(struct buf *b)
{
	bool is_list = draw(2);
	size_t attr = wire_open(b, 5), value, list;

	put_text(b, 1, is_list ? "_output_shapes" : draw(2) ? "shape" : "T");
	value = wire_open(b, 2);
	if (is_list) {
		list = wire_open(b, 1);
		for (unsigned n = draw(3); n; n--)
			put_shape(b);
		wire_close(b, list);
	} else {
		put_shape(b);
	}
	wire_close(b, value);
	wire_close(b, attr);
}

static void make_graph(struct buf *b)
{
	for (unsigned n = 5 + draw(10); n; n--) {
		size_t node = wire_open(b, 1);

		put_name(b, 1);
		put_text(b, 2, draw(2) ? "Conv2D" : "VariableV2");
		for (unsigned k = draw(3); k; k--)
			put_name(b, 3);
		for (unsigned k = draw(3); k; k--)
			put_attr(b);
		wire_close(b, node);
	}
}

static void make_log(struct buf *b)
{
	for (int64_t n = 4 + draw(8); n; n--) {
		size_t entry = wire_open(b, 1), code, frame;

		put_name(b, 1);
		if (draw(2))
			wire_put_int(b, 2, amount());
		if (draw(2))
			put_text(b, 3, draw(2) ? "mine" : "yours");
		if (draw(2)) {
			code = wire_open(b, 4);
			frame = wire_open(b, 1);
			wire_put_int(b, 2, 300);
			wire_put_int(b, 6, n);
			wire_close(b, frame);
			wire_close(b, code);
		}
		wire_close(b, entry);
		put_string(b, OP_LOG_ID_TO_STRING, n, draw(2) ? "a.py" : "b.py");
	}
}

enum { GRAPH, LOG, STEP, N_FILES };

static void make_files(struct buf *files, uint64_t number)
{
	seed = number;
	make_graph(&files[GRAPH]);
	make_log(&files[LOG]);
	make_step(&files[STEP]);
}

static void clear_files(struct buf *files)
{
	for (int i = 0; i < N_FILES; i++)
		buf_clear(&files[i]);
}

/* ---- what they say ---------------------------------------------------------- */

static enum tfprof_status add_file(tfprof_profile *p, int kind, const struct buf *file,
	struct tfprof_error *err)
{
	struct tfprof_input in = tfprof_input_bytes(file->n ? file->at : "", file->n);

	switch (kind) {
	case GRAPH: return tfprof_profile_add(p, "graph", &in, 0, err);
	case LOG: return tfprof_profile_add(p, "op_log", &in, 0, err);
	default: return tfprof_profile_add_step(p, 7, NULL, &in, NULL, NULL, err);
	}
}

static void save(tfprof_profile *p, struct buf *out)
{
	struct tfprof_error err;
	void *bytes;
	size_t size;

	assert_int_equal(tfprof_profile_serialize(p, &bytes, &size, &err), TFPROF_OK);
	buf_put(out, bytes, size);
	tfprof_bytes_free(bytes);
}

static void tell(tfprof_profile *p, struct buf *out)
{
	buf_text(out, tfprof_profile_get_notes(p));
	save(p, out);
}

/* The files one after the other, the step twice, and all again on top of what was
 * saved; messages of what fails. */
static struct buf life(const struct buf *files)
{
	static const int order[] = {GRAPH, LOG, STEP, STEP, GRAPH};
	tfprof_profile *p = tfprof_profile_new(), *again = tfprof_profile_new();
	struct tfprof_error err;
	struct tfprof_input saved;
	struct buf out = {0};
	void *bytes;
	size_t size;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (add_file(p, order[i], &files[order[i]], &err) != TFPROF_OK)
			buf_text(&out, err.text);
		tell(p, &out);
	}
	assert_int_equal(tfprof_profile_serialize(p, &bytes, &size, &err), TFPROF_OK);
	saved = tfprof_input_bytes(bytes, size);
	if (tfprof_profile_add(again, "profile", &saved, 0, &err) != TFPROF_OK)
		buf_text(&out, err.text);
	else if (add_file(again, STEP, &files[STEP], &err) != TFPROF_OK)
		buf_text(&out, err.text);
	tell(again, &out);
	tfprof_bytes_free(bytes);
	tfprof_profile_free(p);
	tfprof_profile_free(again);
	return out;
}

static void compare_parts(const struct buf *files)
{
	struct buf one, more;

	use_parts(1);
	one = life(files);
	for (size_t parts = 2; parts <= PARALLEL_MAX; parts++) {
		use_parts(parts);
		more = life(files);
		assert_int_equal(one.n, more.n);
		assert_memory_equal(one.at, more.at, one.n);
		buf_clear(&more);
	}
	buf_clear(&one);
}

static void test_parts_say_the_same(void **state)
{
	for (uint64_t number = 1; number < 40; number++) {
		struct buf files[N_FILES] = {0};

		make_files(files, number);
		compare_parts(files);
		clear_files(files);
	}
}

/* Cut short everywhere, and each byte changed. */
static void test_damage_is_reported_alike(void **state)
{
	struct buf files[N_FILES] = {0};

	make_files(files, 77);
	for (int kind = 0; kind < N_FILES; kind++) {
		struct buf whole = files[kind];

		for (size_t i = 0; i < whole.n; i += 3) {
			char kept = whole.at[i];

			files[kind].n = i;
			compare_parts(files);
			files[kind].n = whole.n;
			whole.at[i] = (char)(kept ^ (i % 2 ? 0x80 : 7));
			compare_parts(files);
			whole.at[i] = kept;
		}
	}
	clear_files(files);
}

/* Whatever is wrong with a file: what was there before is there after. */
static void test_damage_changes_nothing(void **state)
{
	struct buf files[N_FILES] = {0}, before = {0};
	tfprof_profile *p = tfprof_profile_new();
	struct tfprof_error err;
	size_t refused = 0;

	make_files(files, 5);
	for (int kind = 0; kind < N_FILES; kind++)
		assert_int_equal(add_file(p, kind, &files[kind], &err), TFPROF_OK);
	clear_files(files);
	save(p, &before);
	make_files(files, 6);
	for (size_t parts = 1; parts <= 3; parts++) {
		use_parts(parts);
		for (int kind = 0; kind < N_FILES; kind++)
			for (size_t n = files[kind].n - 1; n > files[kind].n / 2; n--) {
				struct buf cut = files[kind], after = {0};

				cut.n = n;
				if (add_file(p, kind, &cut, &err) == TFPROF_OK) {
					/* it ended between two entries */
					before.n = 0;
					save(p, &before);
					continue;
				}
				save(p, &after);
				assert_int_equal(before.n, after.n);
				assert_memory_equal(before.at, after.at, after.n);
				buf_clear(&after);
				refused++;
			}
	}
	assert_true(refused > 100);
	buf_clear(&before);
	clear_files(files);
	tfprof_profile_free(p);
}

/* Many more nodes than are decoded at a time, some named twice, far apart. */
static void test_many_blocks(void **state)
{
	struct buf files[N_FILES] = {0}, name = {0};
	int n = 20000;

	make_files(files, 9);
	for (int i = 0; i < n; i++) {
		size_t node = wire_open(&files[GRAPH], 1);

		name.n = 0;
		buf_printf(&name, "n%d", i % (n - 100));
		wire_put_bytes(&files[GRAPH], 1, buf_get(&name));
		put_text(&files[GRAPH], 2, "Add");
		name.n = 0;
		buf_printf(&name, "n%d:1", (i * 7 + 1) % n);
		wire_put_bytes(&files[GRAPH], 3, buf_get(&name));
		wire_close(&files[GRAPH], node);
	}
	compare_parts(files);
	/* … and the last one damaged */
	files[GRAPH].n--;
	compare_parts(files);
	buf_clear(&name);
	clear_files(files);
}

static enum tfprof_status fill(tfprof_profile *p, const struct buf *files)
{
	struct tfprof_error err;
	enum tfprof_status status = TFPROF_OK;

	for (int i = 0; status == TFPROF_OK && i < 2 * N_FILES; i++)
		status = add_file(p, i % N_FILES, &files[i % N_FILES], &err);
	return status;
}

static void test_memory_out_in_any_part(void **state)
{
	struct buf files[N_FILES] = {0};

	make_files(files, 3);
	for (size_t parts = 1; parts <= 3; parts++) {
		enum tfprof_status status = TFPROF_NO_MEMORY;

		use_parts(parts);
		for (size_t n = 1; status == TFPROF_NO_MEMORY; n++) {
			tfprof_profile *p = tfprof_profile_new();

			mem_fail_at(n);
			status = fill(p, files);
			mem_fail_at(0);
			tfprof_profile_free(p);
			assert_true(n < 10000);
		}
		assert_int_equal(status, TFPROF_OK);
	}
	clear_files(files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_say_the_same),
		cmocka_unit_test(test_damage_is_reported_alike),
		cmocka_unit_test(test_damage_changes_nothing),
		cmocka_unit_test(test_many_blocks),
		cmocka_unit_test(test_memory_out_in_any_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
