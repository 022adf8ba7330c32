/* /api/load: how far loading is; polled by the page. /api/reload: loads files that have changed. */
#include "server/restart.h"
#include "server/routes.h"
#include "server/store.h"

static void put_profile(struct shown_profile *p, struct json *out)
{
	enum load_state state = (enum load_state)atomic_load(&p->state);

	json_open_object(out);
	json_put_text(out, "file", p->inputs.n ? p->inputs.at[0].path : "");
	switch (state) {
	case LOAD_RUNNING:
		json_put_text(out, "state", "loading");
		json_put_int(out, "done", (int64_t)atomic_load(&p->bytes_done));
		json_put_int(out, "total", (int64_t)atomic_load(&p->bytes_total));
		json_put_int(out, "nodes", (int64_t)atomic_load(&p->n_nodes));
		break;
	case LOAD_READY:
		json_put_text(out, "state", "ready");
		json_put_bool(out, "changed", store_has_changed(p));
		break;
	case LOAD_FAILED:
		json_put_text(out, "state", "failed");
		json_put_text(out, "error", p->err.text);
		json_put_bool(out, "changed", store_has_changed(p));
		break;
	}
	json_close_object(out);
}

enum tfprof_status route_load(struct call *c, struct json *out, struct tfprof_error *err)
{
	json_open_object(out);
	json_put_text(out, "instance", c->store->instance);
	json_key(out, "profiles");
	json_open_array(out);
	for (size_t i = 0; i < c->store->n_profiles; i++)
		put_profile(&c->store->profiles[i], out);
	json_close_array(out);
	json_close_object(out);
	return TFPROF_OK;
}

/* The program starts again, so that nothing of what was read before is left. */
enum tfprof_status route_reload(struct call *c, struct json *out, struct tfprof_error *err)
{
	bool has_changed = false;

	for (size_t i = 0; i < c->store->n_profiles; i++)
		has_changed |= atomic_load(&c->store->profiles[i].state) != LOAD_RUNNING &&
			store_has_changed(&c->store->profiles[i]);
	json_open_object(out);
	json_put_bool(out, "reloads", has_changed);
	json_close_object(out);
	if (has_changed)
		restart_ask();
	return TFPROF_OK;
}
