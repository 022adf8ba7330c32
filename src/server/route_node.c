/* /api/node: everything known about a node, by its number (id) or its name. */
#include <string.h>

#include "base/error.h"
#include "server/routes.h"
#include "server/view_query.h"

enum { MAX_LINKS = 100 };

static int put_output(void *context, int32_t slot, const char *shape)
{
	struct json *out = context;

	json_open_object(out);
	json_put_int(out, "slot", slot);
	json_put_text(out, "shape", shape);
	json_close_object(out);
	return 0;
}

struct link_list {
	struct json *out;
	size_t n;
};

static int put_link(void *context, const struct tfprof_link *link)
{
	struct link_list *list = context;
	struct json *out = list->out;

	if (list->n++ >= MAX_LINKS)
		return 0;
	json_open_object(out);
	if (link->node != SIZE_MAX)
		json_put_int(out, "node", (int64_t)link->node);
	json_put_string(out, "name", (struct span){link->name, link->name_length});
	json_put_text(out, "shape", link->shape);
	if (link->is_control)
		json_put_bool(out, "control", true);
	json_close_object(out);
	return 0;
}

static int put_attribute(void *context, const char *name, size_t name_length, const char *value,
	size_t value_length)
{
	struct json *out = context;

	json_open_object(out);
	json_put_string(out, "name", (struct span){name, name_length});
	json_put_string(out, "value", (struct span){value, value_length});
	json_close_object(out);
	return 0;
}

static int put_step(void *context, const struct tfprof_node_step *step)
{
	struct json *out = context;

	json_open_object(out);
	json_put_int(out, "step", step->step);
	json_put_int(out, "runs", step->n_runs);
	json_put_int(out, "cpu", step->cpu_micros);
	json_put_int(out, "accelerator", step->accelerator_micros);
	json_put_int(out, "requested", step->requested_bytes);
	json_put_int(out, "output", step->output_bytes);
	json_close_object(out);
	return 0;
}

static int put_frame(void *context, const struct tfprof_frame *frame)
{
	struct json *out = context;

	json_open_object(out);
	json_put_string(out, "file", (struct span){frame->file, frame->file_length});
	json_put_int(out, "line", frame->line);
	json_put_string(out, "function", (struct span){frame->function, frame->function_length});
	json_put_string(out, "text", (struct span){frame->text, frame->text_length});
	json_put_bool(out, "library", frame->is_library);
	json_close_object(out);
	return 0;
}

static enum tfprof_status put_list(tfprof_profile *profile, size_t node, const char *key,
	struct tfprof_node_visitor visitor, struct json *out, struct tfprof_error *err)
{
	enum tfprof_status status;

	json_key(out, key);
	json_open_array(out);
	visitor.context = out;
	status = tfprof_profile_visit_node(profile, node, NULL, &visitor, err);
	json_close_array(out);
	return status;
}

static enum tfprof_status put_links(tfprof_profile *profile, size_t node, bool inputs,
	struct json *out, struct tfprof_error *err)
{
	struct link_list list = {.out = out};
	struct tfprof_node_visitor visitor = {.input = inputs ? put_link : NULL,
		.consumer = inputs ? NULL : put_link,
		.context = &list};
	enum tfprof_status status;

	json_key(out, inputs ? "inputs" : "consumers");
	json_open_array(out);
	status = tfprof_profile_visit_node(profile, node, NULL, &visitor, err);
	json_close_array(out);
	json_put_int(out, inputs ? "n_inputs" : "n_consumers", (int64_t)list.n);
	return status;
}

static enum tfprof_status put_node(tfprof_profile *profile, size_t node, struct json *out,
	struct tfprof_error *err)
{
	struct tfprof_node n;
	enum tfprof_status status = tfprof_profile_visit_node(profile, node, &n, NULL, err);

	if (status != TFPROF_OK)
		return status;
	json_put_int(out, "node", (int64_t)node);
	json_put_string(out, "name", (struct span){n.name, n.name_length});
	json_put_string(out, "op", (struct span){n.op, n.op_length});
	json_put_text(out, "family", tfprof_op_get_family(n.op, n.op_length));
	json_put_string(out, "device", (struct span){n.device, n.device_length});
	json_put_int(out, "float_ops", n.float_ops);
	json_put_bool(out, "gradient", n.is_gradient);
	status = put_list(profile, node, "outputs",
		(struct tfprof_node_visitor){.output = put_output}, out, err);
	if (status == TFPROF_OK)
		status = put_links(profile, node, true, out, err);
	if (status == TFPROF_OK)
		status = put_links(profile, node, false, out, err);
	if (status == TFPROF_OK)
		status = put_list(profile, node, "attributes",
			(struct tfprof_node_visitor){.attribute = put_attribute}, out, err);
	if (status == TFPROF_OK)
		status = put_list(profile, node, "steps",
			(struct tfprof_node_visitor){.step = put_step}, out, err);
	if (status == TFPROF_OK)
		status = put_list(profile, node, "stack",
			(struct tfprof_node_visitor){.frame = put_frame}, out, err);
	return status;
}

enum tfprof_status route_node(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct shown_profile *profile;
	const char *name = call_get(c, "name");
	int64_t p, id;
	enum tfprof_status status = view_profile(c, &profile, &p, err);

	if (status == TFPROF_OK)
		status = call_get_int(c, "id", -1, 0, INT64_MAX, &id, err);
	if (status != TFPROF_OK)
		return status;
	if (id < 0 && name) {
		size_t found = tfprof_profile_find_node(profile->profile, name, strlen(name));

		id = found == SIZE_MAX ? -1 : (int64_t)found;
	}
	if (id < 0)
		return error_set(err, TFPROF_ARGUMENT, "no such node: %.200s", name ? name : "");
	json_open_object(out);
	status = put_node(profile->profile, (size_t)id, out, err);
	json_close_object(out);
	return status;
}
