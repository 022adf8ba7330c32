/* /api/memory and /api/holders: what devices had in use over time, and by whom. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/memory_call.h"
#include "server/routes.h"

enum { MAX_PARTS = 2000, DEFAULT_PARTS = 500, MAX_HOLDERS = 500, DEFAULT_HOLDERS = 10 };

static enum tfprof_status make_memory(void *context, tfprof_profile *profile,
	const volatile int *cancel, void **object, struct tfprof_error *err)
{
	tfprof_memory *memory;
	enum tfprof_status status = tfprof_memory_new(profile, *(int64_t *)context, &memory, err);

	(void)cancel;
	*object = memory;
	return status;
}

/* An estimate. */
static size_t count_memory_bytes(void *memory)
{
	enum { BYTES_PER_READING = 64 };
	struct tfprof_memory_device device;
	size_t n = 0;

	for (size_t i = 0; tfprof_memory_read_device(memory, i, &device); i++)
		n += device.n_readings * BYTES_PER_READING;
	return n;
}

static void free_memory(void *memory)
{
	tfprof_memory_free(memory);
}

enum tfprof_status memory_open(struct call *c, struct timeline_call *t, struct kept **kept,
	struct tfprof_error *err)
{
	struct maker maker = {make_memory, count_memory_bytes, free_memory, &t->step};
	char key[64];
	int64_t p;
	enum tfprof_status status = timeline_call_open(t, c, err);

	*kept = NULL;
	if (status == TFPROF_OK)
		status = call_get_int(c, "p", 0, 0, MAX_PROFILES - 1, &p, err);
	if (status != TFPROF_OK)
		return status;
	snprintf(key, sizeof(key), "%" PRId64 " memory %" PRId64, p, t->step);
	return store_use(c->store, p, key, &maker, &c->cancel, kept, err);
}

static void put_numbers(const char *key, const int64_t *numbers, int64_t n, struct json *out)
{
	json_key(out, key);
	json_open_array(out);
	for (int64_t i = 0; i < n; i++)
		json_int(out, numbers[i]);
	json_close_array(out);
}

static void put_devices(const tfprof_memory *memory, const struct timeline_call *t,
	const struct stretch *s, int64_t n, int64_t *numbers, struct json *out)
{
	struct tfprof_memory_device device;

	json_open_array(out);
	for (size_t i = 0; tfprof_memory_read_device(memory, i, &device); i++) {
		tfprof_memory_read(memory, i, s->from_us, s->until_us, (size_t)n, numbers,
			numbers + n);
		json_open_object(out);
		json_put_string(out, "device", (struct span){device.device, device.device_length});
		json_put_int(out, "peak", device.peak_bytes);
		json_put_int(out, "peak_at", device.peak_micros - t->start_us);
		put_numbers("lowest", numbers, n, out);
		put_numbers("highest", numbers + n, n, out);
		json_close_object(out);
	}
	json_close_array(out);
}

enum tfprof_status route_memory(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t = {0};
	struct kept *kept = NULL;
	struct stretch s;
	int64_t n = 0, *numbers = NULL;
	enum tfprof_status status = memory_open(c, &t, &kept, err);

	if (status == TFPROF_OK)
		status = timeline_call_stretch(&t, c, &s, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "n", DEFAULT_PARTS, 1, MAX_PARTS, &n, err);
	if (status == TFPROF_OK) {
		numbers = mem_array(2 * (size_t)n, sizeof(*numbers));
		if (numbers)
			put_devices(kept_get(kept), &t, &s, n, numbers, out);
		else
			status = error_no_memory(err);
	}
	mem_free(numbers);
	store_release(c->store, kept);
	timeline_call_close(&t);
	return status;
}

struct holder_list {
	tfprof_profile *profile;
	struct json *out;
	struct buf line; /* FILE:LINE of the node at hand */
	enum tfprof_status status;
	struct tfprof_error *err;
};

/* Frames come outermost first: the last one of the user's is the line, as the question memory says.
 */
static int note_line(void *context, const struct tfprof_frame *frame)
{
	struct holder_list *list = context;

	if (frame->line <= 0 || frame->is_library)
		return 0;
	buf_reset(&list->line);
	buf_span(&list->line, (struct span){frame->file, frame->file_length});
	buf_printf(&list->line, ":%d", (int)frame->line);
	return 0;
}

static int put_holder(void *context, uint64_t node, int64_t bytes)
{
	struct holder_list *list = context;
	struct tfprof_node_visitor visitor = {.frame = note_line, .context = list};
	size_t n, n_op;
	const char *name = tfprof_profile_get_node_name(list->profile, node, &n);
	const char *op = tfprof_profile_get_node_op(list->profile, node, &n_op);

	buf_reset(&list->line);
	list->status = tfprof_profile_visit_node(list->profile, node, NULL, &visitor, list->err);
	if (list->status != TFPROF_OK)
		return 1;
	json_open_object(list->out);
	json_put_int(list->out, "node", (int64_t)node);
	json_put_string(list->out, "name", (struct span){name, n});
	json_put_text(list->out, "family", tfprof_op_get_family(op, n_op));
	json_put_int(list->out, "bytes", bytes);
	if (list->line.n)
		json_put_string(list->out, "line", buf_get(&list->line));
	json_close_object(list->out);
	return 0;
}

enum tfprof_status route_holders(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t = {0};
	struct kept *kept = NULL;
	int64_t device = 0, at = 0, n = 0;
	enum tfprof_status status = memory_open(c, &t, &kept, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "device", 0, 0, INT32_MAX, &device, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "at", 0, 0, INT64_MAX / 4, &at, err);
	if (status == TFPROF_OK)
		status = call_get_int(c, "n", DEFAULT_HOLDERS, 1, MAX_HOLDERS, &n, err);
	if (status == TFPROF_OK) {
		struct holder_list list = {.profile = t.profile, .out = out, .err = err};

		json_open_array(out);
		tfprof_memory_find_holders(kept_get(kept), (size_t)device, t.start_us + at,
			(size_t)n, put_holder, &list);
		json_close_array(out);
		status = list.line.failed ? error_no_memory(err) : list.status;
		buf_clear(&list.line);
	}
	store_release(c->store, kept);
	timeline_call_close(&t);
	return status;
}
