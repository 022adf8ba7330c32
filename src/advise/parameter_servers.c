#include "advise/parameter_servers.h"

#include "formats/checkpoint/dtype.h"
#include "model/attrs.h"
#include "model/device.h"
#include "model/executed.h"

/* Finds or adds a server; NULL on allocation failure. */
static struct parameter_server *find(struct parameter_servers *p, struct span task)
{
	uint32_t id = strings_add(&p->names, task);

	while (id != NONE && p->at.n < id) {
		struct span name = strings_get(&p->names, (uint32_t)p->at.n + 1);

		if (!vec_push(&p->at, ((struct parameter_server){.task = name})))
			return NULL;
	}
	return id != NONE && id ? &p->at.at[id - 1] : NULL;
}

static bool is_variable(struct span op)
{
	return span_equal(op, SPAN("VariableV2")) || span_equal(op, SPAN("VarHandleOp")) ||
		span_equal(op, SPAN("Variable"));
}

static int64_t variable_bytes(const struct model *m, uint32_t node)
{
	struct attr attr;
	int64_t bytes, size = 0;

	if (attrs_get(m, node, SPAN("dtype"), &attr) && attr.kind == ATTR_TYPE)
		size = dtype_get((uint32_t)attr.number)->size;
	return __builtin_mul_overflow(model_parameters(m, node), size, &bytes) ? INT64_MAX : bytes;
}

static bool add_variable(struct parameter_servers *p, const struct model *m, uint32_t node,
	struct span job)
{
	struct span task = device_get_task(model_text(m, model_device(m, node)));
	struct parameter_server *server;

	if (!task.n || !span_equal(device_get_job(task), job))
		return true;
	server = find(p, task);
	if (!server)
		return false;
	server->n_variables++;
	add_clamped(&server->bytes, variable_bytes(m, node));
	add_clamped(&server->parameters, model_parameters(m, node));
	return true;
}

static bool add_moved(struct parameter_servers *p, const struct activity *a, uint32_t task,
	int64_t bytes, struct span job)
{
	struct parameter_server *server;

	if (task == NONE || !span_equal(a->devices.tasks.at[task].job, job))
		return true;
	server = find(p, a->devices.tasks.at[task].name);
	if (server)
		add_clamped(&server->moved_bytes, bytes);
	return server;
}

bool parameter_servers_find(struct parameter_servers *p, const struct model *m,
	const struct activity *a, const links_vec *links, struct span job)
{
	bool ok = strings_init(&p->names);

	for (size_t i = 0; ok && i < a->devices.tasks.n; i++)
		if (a->devices.tasks.at[i].name.n && span_equal(a->devices.tasks.at[i].job, job))
			ok = find(p, a->devices.tasks.at[i].name);
	for (uint32_t node = 0; ok && node < m->nodes.n; node++)
		if (is_variable(model_text(m, model_op(m, node))))
			ok = add_variable(p, m, node, job);
	for (size_t i = 0; ok && i < links->n; i++) {
		const struct link *link = &links->at[i];

		if (link->from != link->to)
			ok = add_moved(p, a, link->from, link->bytes / link->n_steps, job) &&
				add_moved(p, a, link->to, link->bytes / link->n_steps, job);
	}
	return ok;
}

void parameter_servers_clear(struct parameter_servers *p)
{
	strings_clear(&p->names);
	vec_clear(&p->at);
}
