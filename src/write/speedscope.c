/* A profile in speedscope's own format: a frame for each row, and a sample for each row with a
 * weight of its own. */
#include "write/json.h"
#include "write/stack_rows.h"

void speedscope_refuse(const struct query *q, struct buf *why)
{
	stack_refuse(q, "speedscope", why);
}

static void put_frames(struct json *j, const struct query *q)
{
	json_key(j, "shared");
	json_open_object(j);
	json_key(j, "frames");
	json_open_array(j);
	for (uint32_t i = 1; i < q->n; i++) {
		json_line(j);
		json_open_object(j);
		json_put_string(j, "name", stack_frame(q, i));
		if (q->kind == TFPROF_CODE) {
			struct frame frame = tree_frame(q->tree, q->view[i]);

			json_put_string(j, "file", frame.file);
			json_put_int(j, "line", frame.line);
		}
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

/* From the outermost frame; frames are rows, without the root. */
static void put_sample(struct json *j, const struct query *q, uint32_t row, uint32_t *stack)
{
	size_t n = 0;

	for (; row; row = q->parent[row])
		stack[n++] = row - 1;
	json_line(j);
	json_open_array(j);
	while (n)
		json_int(j, stack[--n]);
	json_close_array(j);
}

static int64_t put_samples(struct json *j, struct query *q, const int64_t *weights, uint32_t *stack)
{
	int64_t sum = 0;

	json_key(j, "samples");
	json_open_array(j);
	for (uint32_t i = 1; i < q->n && !query_cancelled(q); i++)
		if (weights[i] > 0)
			put_sample(j, q, i, stack);
	json_close_array(j);
	json_key(j, "weights");
	json_open_array(j);
	for (uint32_t i = 1; i < q->n; i++)
		if (weights[i] > 0) {
			json_int(j, weights[i]);
			sum = (int64_t)((uint64_t)sum + (uint64_t)weights[i]);
		}
	json_close_array(j);
	return sum;
}

enum tfprof_status speedscope_write(const struct writing *w, struct tfprof_error *err)
{
	static const char *const units[] =
		{[UNIT_COUNT] = "none", [UNIT_MICROS] = "microseconds", [UNIT_BYTES] = "bytes"};
	struct query *q = w->q;
	struct json j = json_writer(w->out);
	enum metric metric = stack_metric(q->options);
	int64_t *weights = metric < N_METRICS ? stack_weights(q, metric) : NULL;
	uint32_t *stack = arena_array(&q->arena, q->n, sizeof(*stack));

	if (!weights || !stack)
		return error_no_memory(err);
	json_open_object(&j);
	json_put_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_put_text(&j, "exporter", "tfprof");
	put_frames(&j, q);
	json_key(&j, "profiles");
	json_open_array(&j);
	json_open_object(&j);
	json_put_text(&j, "type", "sampled");
	json_put_text(&j, "name", metric_infos[metric].word);
	json_put_text(&j, "unit", units[metric_infos[metric].unit]);
	json_put_int(&j, "startValue", 0);
	json_put_int(&j, "endValue", put_samples(&j, q, weights, stack));
	json_close_object(&j);
	json_close_array(&j);
	json_close_object(&j);
	sink_char(w->out, '\n');
	return TFPROF_OK;
}
