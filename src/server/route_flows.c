/* /api/flows: when a node ran in a step, and the nodes it takes tensors from and gives them
 * to: for the arrows of the timeline. */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "server/routes.h"
#include "server/timeline_call.h"

enum { MAX_FLOWS = 200 };

enum role { ROLE_NONE, ROLE_SELF, ROLE_INPUT, ROLE_CONSUMER };

static const char *const role_names[] =
	{[ROLE_SELF] = "self", [ROLE_INPUT] = "input", [ROLE_CONSUMER] = "consumer"};

struct flows {
	const struct timeline_call *timeline;
	unsigned char *roles; /* of each node: enum role */
	size_t n_nodes, lane, n_put;
	struct json *out;
};

static void set_role(struct flows *f, const struct tfprof_link *link, enum role role)
{
	if (link->node < f->n_nodes && !f->roles[link->node])
		f->roles[link->node] = (unsigned char)role;
}

static int note_input(void *context, const struct tfprof_link *link)
{
	set_role(context, link, ROLE_INPUT);
	return 0;
}

static int note_consumer(void *context, const struct tfprof_link *link)
{
	set_role(context, link, ROLE_CONSUMER);
	return 0;
}

static int put_slice(void *context, const struct tfprof_slice *slice)
{
	struct flows *f = context;
	struct json *out = f->out;
	struct span name;

	if (f->n_put++ >= MAX_FLOWS)
		return 1;
	name.at = tfprof_profile_get_node_name(f->timeline->profile, slice->node, &name.n);
	json_open_object(out);
	json_put_text(out, "role", role_names[f->roles[slice->node]]);
	json_put_int(out, "node", (int64_t)slice->node);
	json_put_string(out, "name", name);
	json_put_int(out, "lane", (int64_t)f->lane);
	json_put_int(out, "x", slice->start_micros - f->timeline->start_us);
	json_put_int(out, "w", slice->end_micros - slice->start_micros);
	json_close_object(out);
	return 0;
}

static enum tfprof_status put_flows(struct flows *f, struct tfprof_error *err)
{
	const struct timeline_call *t = f->timeline;
	tfprof_timeline *only;
	enum tfprof_status status =
		tfprof_timeline_select(t->timeline, f->roles, f->n_nodes, &only, err);

	if (status != TFPROF_OK)
		return status;
	json_open_array(f->out);
	for (f->lane = 0; f->lane < t->n_lanes; f->lane++)
		tfprof_timeline_find_slices(only, f->lane, TFPROF_ALL_ROWS, t->start_us,
			t->end_us + 1, 0, put_slice, f);
	json_close_array(f->out);
	tfprof_timeline_free(only);
	return TFPROF_OK;
}

enum tfprof_status route_flows(struct call *c, struct json *out, struct tfprof_error *err)
{
	struct timeline_call t;
	struct flows f = {.timeline = &t, .out = out};
	struct tfprof_node_visitor visitor = {.input = note_input,
		.consumer = note_consumer,
		.context = &f};
	struct tfprof_summary summary;
	const char *text = call_get(c, "node");
	size_t node = SIZE_MAX;
	enum tfprof_status status = timeline_call_open(&t, c, err);

	if (status == TFPROF_OK) {
		node = view_find_node(t.profile, text ? text : "");
		if (node == SIZE_MAX)
			status = error_set(err, TFPROF_ARGUMENT, "node=%.200s: no such node",
				text ? text : "");
	}
	if (status == TFPROF_OK) {
		tfprof_profile_get_summary(t.profile, &summary);
		f.n_nodes = summary.n_nodes;
		f.roles = mem_zero_array(f.n_nodes + 1, 1);
		status = f.roles ? TFPROF_OK : error_no_memory(err);
	}
	if (status == TFPROF_OK) {
		f.roles[node] = ROLE_SELF;
		status = tfprof_profile_visit_node(t.profile, node, NULL, &visitor, err);
	}
	if (status == TFPROF_OK)
		status = put_flows(&f, err);
	mem_free(f.roles);
	timeline_call_close(&t);
	return status;
}
